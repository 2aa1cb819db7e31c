//! TLS connections to PostgreSQL. The certificate must match the host name and be signed by a root of the system or of a given file.

use std::error::Error as _;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

use super::PostgresServer;
use crate::database::{self, DatabaseError};

/// TLS settings for one server.
#[derive(Clone)]
pub(super) struct DatabaseTls(TlsConnector);

/// A TLS connection before its handshake.
pub(super) struct Handshake(TlsConnector, ServerName<'static>);

pub(super) struct EncryptedStream(TlsStream<Socket>);

type TlsFailure = Box<dyn std::error::Error + Send + Sync>;

impl DatabaseTls {
    pub(super) fn for_server(server: &PostgresServer) -> database::Result<Self> {
        let roots = if let Some(file) = &server.root_certificate {
            read_roots(file)
                .map_err(|source| DatabaseError::RootCertificate { file: file.clone(), source })?
        } else {
            let mut roots = RootCertStore::empty();
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            roots
        };
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| DatabaseError::Unreachable(error.into()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

/// Reads the root certificates of a file.
fn read_roots(file: &Path) -> Result<RootCertStore, TlsFailure> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file)? {
        roots.add(certificate?)?;
    }
    if roots.is_empty() { Err("there is no certificate in it".into()) } else { Ok(roots) }
}

/// Maps a connection error: the certificate is not trusted, or the server cannot be reached.
pub(super) fn connect_error(error: tokio_postgres::Error) -> DatabaseError {
    let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    let cause = cause.and_then(io::Error::get_ref).and_then(|source| source.downcast_ref());
    if matches!(cause, Some(rustls::Error::InvalidCertificate(_))) {
        DatabaseError::Untrusted(error)
    } else {
        DatabaseError::Unreachable(error.into())
    }
}

impl MakeTlsConnect<Socket> for DatabaseTls {
    type Stream = EncryptedStream;
    type TlsConnect = Handshake;
    type Error = TlsFailure;

    fn make_tls_connect(&mut self, domain: &str) -> Result<Handshake, TlsFailure> {
        Ok(Handshake(self.0.clone(), ServerName::try_from(domain.to_owned())?))
    }
}

impl TlsConnect<Socket> for Handshake {
    type Stream = EncryptedStream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<EncryptedStream>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move { self.0.connect(self.1, socket).await.map(EncryptedStream) })
    }
}

impl tokio_postgres::tls::TlsStream for EncryptedStream {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for EncryptedStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_read(cx, buf)
    }
}

impl AsyncWrite for EncryptedStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().0).poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_shutdown(cx)
    }
}
