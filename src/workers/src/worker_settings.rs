//! The settings of a worker.

use std::path::PathBuf;

use super::{WorkerKey, WorkerTls};

/// How a worker runs.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// The folder or object store beside whose sets files pass.
    pub data: String,
    /// The folder below which it runs units and keeps their inputs.
    pub cache: PathBuf,
    /// Bytes of inputs that it keeps for the next units.
    pub cache_bytes: u64,
    /// The shared key.
    pub key: WorkerKey,
    /// Certificates; none where nothing is encrypted.
    pub tls: Option<WorkerTls>,
    /// Whether the key may cross a network in clear text.
    pub clear_text: bool,
}
