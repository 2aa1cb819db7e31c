//! The workers of a command, from its flags.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::operation::Catalogue;
use crate::workers::{Fleet, WorkerKey, WorkerTls, WorkersError};

/// Key and certificates shared by workers and their clients.
#[derive(Debug, Clone, Args)]
pub(super) struct WorkerAccess {
    /// A file with the key that workers and their clients share: one line of at least 32 letters and digits.
    #[arg(long, value_name = "FILE", env = "PARQUOTE_WORKER_KEY")]
    pub worker_key: Option<PathBuf>,
    /// PEM file of the authority that signs the certificates of workers and of their clients.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_ca: Option<PathBuf>,
    /// PEM file of this side's certificate.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// PEM file of its private key.
    #[arg(long, value_name = "FILE", requires = "tls_ca")]
    tls_key: Option<PathBuf>,
    /// Send the key in clear text to or from other machines, where the network itself encrypts.
    #[arg(long, conflicts_with = "tls_ca")]
    pub clear_text: bool,
}

impl WorkerAccess {
    /// Reads the key, which is required.
    pub(super) fn key(&self) -> anyhow::Result<WorkerKey> {
        let missing =
            || anyhow::anyhow!("--worker-key FILE is missing; `openssl rand -hex 32 > FILE` makes a key");
        Ok(WorkerKey::read(self.worker_key.as_ref().ok_or_else(missing)?)?)
    }

    /// Reads the certificates, if any.
    pub(super) fn tls(&self) -> Result<Option<WorkerTls>, WorkersError> {
        match (&self.tls_ca, &self.tls_cert, &self.tls_key) {
            (Some(authority), Some(certificate), Some(key)) => {
                WorkerTls::read(authority, certificate, key).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// The workers of a derivation.
#[derive(Debug, Clone, Args)]
pub(super) struct WorkersArgs {
    /// Read raw files and compute the tables on these workers, which see --data at the same place; the set is the same to the last byte.
    #[arg(long, value_name = "HOST:PORT,...", env = "PARQUOTE_WORKERS")]
    #[arg(value_delimiter = ',', requires = "worker_key")]
    workers: Vec<String>,
    #[command(flatten)]
    access: WorkerAccess,
}

impl WorkersArgs {
    /// Connects to the named workers, if any; all must run the same build.
    pub(super) async fn fleet(
        &self,
        catalogue: &Catalogue,
        data: &str,
    ) -> anyhow::Result<Option<Arc<Fleet>>> {
        if self.workers.is_empty() {
            return Ok(None);
        }
        let (key, tls) = (self.access.key()?, self.access.tls()?);
        let access = (tls, self.access.clear_text);
        Ok(Some(Arc::new(Fleet::connect_all(catalogue, data, &self.workers, key, access).await?)))
    }
}
