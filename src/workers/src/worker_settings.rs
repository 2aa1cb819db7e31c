//! The settings of a worker.

use std::path::PathBuf;

use super::{WorkerKey, WorkerTls};

/// Settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// The data folder or the URL of an object store; files pass through its transfer store.
    pub data: String,
    /// The parent folder of the working folders and of the cached inputs.
    pub cache: PathBuf,
    /// Most bytes of cached inputs.
    pub cache_bytes: u64,
    /// The key that callers must send.
    pub key: WorkerKey,
    /// Certificates; `None` without encryption.
    pub tls: Option<WorkerTls>,
    /// True if the key may cross a network in clear text.
    pub clear_text: bool,
}
