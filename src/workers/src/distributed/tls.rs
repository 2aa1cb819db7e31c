//! Encryption between workers and those who ask them: each side shows a certificate that one authority signed.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use tonic::transport::{Certificate, ClientTlsConfig, Identity, ServerTlsConfig};

use super::error::WorkersError;

/// Certificates in PEM form: the authority that signs those of the other side, and one's own with its private key.
#[derive(Debug, Clone)]
pub struct WorkerTls {
    authority: Certificate,
    own: Identity,
}

impl WorkerTls {
    /// Reads the three files.
    ///
    /// # Errors
    /// A file that cannot be read or holds no PEM.
    pub fn read(authority: &Path, certificate: &Path, key: &Path) -> Result<Self, WorkersError> {
        Ok(Self {
            authority: Certificate::from_pem(pem(authority, "a certificate")?),
            own: Identity::from_pem(pem(certificate, "a certificate")?, pem(key, "a private key")?),
        })
    }

    /// How a worker shows its certificate and asks for that of others.
    pub(super) fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new().identity(self.own.clone()).client_ca_root(self.authority.clone())
    }

    /// How somebody who asks a worker does the same.
    pub(super) fn client(&self) -> ClientTlsConfig {
        ClientTlsConfig::new().identity(self.own.clone()).ca_certificate(self.authority.clone())
    }
}

fn pem(path: &Path, what: &str) -> Result<Vec<u8>, WorkersError> {
    let refused = |why: String| WorkersError::File { path: PathBuf::from(path), why };
    let bytes = fs::read(path).map_err(|error| refused(format!("{what} cannot be read: {error}")))?;
    if !bytes.windows(11).any(|window| window == b"-----BEGIN ") {
        return Err(refused(format!("it holds no {what} in PEM form")));
    }
    Ok(bytes)
}

/// Whether a host is this machine, so that nothing crosses a network.
pub(super) fn is_this_machine(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
