//! TLS from two PEM files, which are reloaded when they change: a renewed certificate needs no restart. A server behind a proxy that
//! encrypts does not use it.

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

/// A certificate and its private key, as last loaded from their files.
#[derive(Clone)]
pub struct Tls(Arc<CertificateFiles>);

struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
    config: ArcSwap<ServerConfig>,
}

/// Modification time and length of each file; `None` for a missing one.
type FileVersions = [Option<(SystemTime, u64)>; 2];

/// Reason for which the files cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file is missing, or has no certificate or key in PEM form.
    #[error("{} holds no {what} in PEM form", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Kind of the expected content: `certificate` or `private key`.
        what: &'static str,
        /// Error of the PEM parser.
        #[source]
        source: pem::Error,
    },
    /// The certificate and the key do not belong together, or are of an unsupported kind.
    #[error("the certificate and the private key cannot be used together")]
    Pair(#[source] rustls::Error),
}

impl Tls {
    /// Interval at which the files are checked for changes.
    pub const CHECK_INTERVAL: Duration = Duration::from_secs(5);

    /// Reads a certificate, followed by its chain, and its private key.
    ///
    /// # Errors
    /// A file cannot be used, or the two do not belong together.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let config = ArcSwap::new(read_config(certificate, key)?);
        Ok(Self(Arc::new(CertificateFiles {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            config,
        })))
    }

    /// Checks the files forever. New contents apply from the next connection on; if they cannot be used, the last loaded certificate stays.
    pub async fn watch_files(self, every: Duration) {
        let (mut loaded, mut last) = (self.0.versions(), self.0.versions());
        loop {
            tokio::time::sleep(every).await;
            let (before, now) = (last, self.0.versions());
            last = now;
            // The two files are replaced one after the other: they are read once they have stopped changing.
            if now == loaded || now != before {
                continue;
            }
            loaded = now;
            match read_config(&self.0.certificate, &self.0.key) {
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

    /// Accepts a TLS connection.
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

fn read_config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
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
