//! Errors that prevent a check. Faults of the data itself are findings, not errors.

use parquote_engine::EngineError;
use parquote_set::SetError;

/// A failure that prevents a check.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// Sets or files cannot be found, read or written.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The engine failed in a way that is not the data's fault.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Bytes of a set could not be fetched; the set itself may be valid.
    #[error("the object store failed while set {number} was read; it is read again: {why}")]
    Store {
        /// The number of the set.
        number: u64,
        /// The last failure of the store.
        why: String,
    },
    /// The disk has no room for copies of the new files.
    #[error(
        "the new files need {} MiB and {} MiB are free on the disk of the sets; free more space, or remove a new file",
        needed >> 20,
        free >> 20
    )]
    Space {
        /// Bytes of the files, plus a reserve.
        needed: u64,
        /// Free bytes on the disk of the sets.
        free: u64,
    },
    /// The reader process of new files cannot be started or does not answer.
    #[error("the process that reads new files cannot be started, or does not answer")]
    Vetter(#[source] std::io::Error),
}
