//! Encryption of connections, from two PEM files. Where a proxy in front does it, there is none here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

/// A certificate and its private key.
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

/// Why they cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file is not there, or holds no PEM of the kind.
    #[error("{} holds no {what} in PEM form", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
        /// Why it does not.
        #[source]
        source: pem::Error,
    },
    /// The two do not belong together, or are of a kind that is not supported.
    #[error("the certificate and the private key cannot be used together")]
    Pair(#[source] rustls::Error),
}

impl Tls {
    /// Reads a certificate, followed by those that vouch for it, and its private key.
    ///
    /// # Errors
    /// Files that hold something else, or do not belong together.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let wrong = |path: &Path, what| {
            let path = path.to_owned();
            move |source| TlsError::File { path, what, source }
        };
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(wrong(certificate, "certificate"))?;
        if chain.is_empty() {
            return Err(wrong(certificate, "certificate")(pem::Error::NoItemsFound));
        }
        let private = PrivateKeyDer::from_pem_file(key).map_err(wrong(key, "private key"))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private))
            .map_err(TlsError::Pair)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    pub(super) async fn accept(&self, stream: TcpStream) -> std::io::Result<TlsStream<TcpStream>> {
        self.0.accept(stream).await
    }
}
