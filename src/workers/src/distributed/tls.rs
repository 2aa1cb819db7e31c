//! Mutual TLS between workers and clients: each presents a certificate signed by a common authority.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use tonic::transport::{Certificate, ClientTlsConfig, Identity, ServerTlsConfig};

use super::error::WorkersError;

/// Certificates in PEM format: the authority of the other side's certificates, and the certificate of this side with its private key.
#[derive(Debug, Clone)]
pub struct WorkerTls {
    authority: Certificate,
    identity: Identity,
}

impl WorkerTls {
    /// Reads the three files.
    ///
    /// # Errors
    /// A file cannot be read or has no PEM data.
    pub fn read(authority: &Path, certificate: &Path, key: &Path) -> Result<Self, WorkersError> {
        Ok(Self {
            authority: Certificate::from_pem(read_pem(authority, "a certificate")?),
            identity: Identity::from_pem(
                read_pem(certificate, "a certificate")?,
                read_pem(key, "a private key")?,
            ),
        })
    }

    /// Returns the server configuration: presents the certificate and requires the client's.
    pub(super) fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new().identity(self.identity.clone()).client_ca_root(self.authority.clone())
    }

    /// Returns the corresponding client configuration.
    pub(super) fn client(&self) -> ClientTlsConfig {
        ClientTlsConfig::new().identity(self.identity.clone()).ca_certificate(self.authority.clone())
    }
}

fn read_pem(path: &Path, what: &str) -> Result<Vec<u8>, WorkersError> {
    let refused = |why: String| WorkersError::File { path: PathBuf::from(path), why };
    let bytes = fs::read(path).map_err(|error| refused(format!("{what} cannot be read: {error}")))?;
    if !bytes.windows(11).any(|window| window == b"-----BEGIN ") {
        return Err(refused(format!("it holds no {what} in PEM form")));
    }
    Ok(bytes)
}

/// Returns true if a host is this machine, so that no traffic crosses a network.
pub(super) fn is_this_machine(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
