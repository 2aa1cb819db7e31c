//! The settings of a worker.

use std::path::PathBuf;

use super::{WorkerKey, WorkerTls};

/// Settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// The folder or object store whose transfer store is used.
    pub data: String,
    /// The parent folder of working folders and cached inputs.
    pub cache: PathBuf,
    /// Most bytes of cached inputs.
    pub cache_bytes: u64,
    /// The shared key.
    pub key: WorkerKey,
    /// Certificates; `None` without encryption.
    pub tls: Option<WorkerTls>,
    /// True if the key may cross a network in clear text.
    pub clear_text: bool,
}
