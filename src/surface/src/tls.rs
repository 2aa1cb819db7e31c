//! Encryption of connections, from two PEM files, which are read again when they change: a certificate that is renewed needs
//! no restart. Where a proxy in front does it, there is none here.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

/// A certificate and its private key, as their files had them last.
#[derive(Clone)]
pub struct Tls(Arc<CertificateFiles>);

struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
    config: ArcSwap<ServerConfig>,
}

/// When each file was changed last and how long it is; none of one that is not there.
type FileVersions = [Option<(SystemTime, u64)>; 2];

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
    /// How often the files are looked at.
    pub const LOOK: Duration = Duration::from_secs(5);

    /// Reads a certificate, followed by those that vouch for it, and its private key.
    ///
    /// # Errors
    /// Files that hold something else, or do not belong together.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let config = ArcSwap::new(config(certificate, key)?);
        Ok(Self(Arc::new(CertificateFiles {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            config,
        })))
    }

    /// Looks at the files for ever. What they hold counts from the next connection on; if it cannot be used, the certificate
    /// that was read last stays.
    pub async fn follow(self, every: Duration) {
        let (mut read, mut seen) = (self.0.versions(), self.0.versions());
        loop {
            tokio::time::sleep(every).await;
            let (before, now) = (seen, self.0.versions());
            seen = now;
            // The two files are replaced one after the other: they are read when they have come to rest.
            if now == read || now != before {
                continue;
            }
            read = now;
            match config(&self.0.certificate, &self.0.key) {
                Ok(config) => {
                    self.0.config.store(config);
                    tracing::info!("the certificate has changed and was read again");
                }
                Err(error) => {
                    let cause = std::error::Error::source(&error);
                    tracing::error!(cause, "{error}; the certificate that was read before stays in use");
                }
            }
        }
    }

    /// Encrypts a connection of HTTP.
    pub async fn accept(&self, stream: TcpStream) -> std::io::Result<TlsStream<TcpStream>> {
        TlsAcceptor::from(self.0.config.load_full()).accept(stream).await
    }
}

impl CertificateFiles {
    fn versions(&self) -> FileVersions {
        [&self.certificate, &self.key].map(|path| {
            let metadata = std::fs::metadata(path).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        })
    }
}

fn config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
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
    Ok(Arc::new(config))
}
