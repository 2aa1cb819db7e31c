//! Why data cannot be examined at all. What is wrong with the data itself is a finding, not an error.

use parquote_engine::EngineError;
use parquote_set::SetError;

/// Why data cannot be examined.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// Sets or files cannot be found, read or written.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The engine failed in a way that is not the data's fault.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Bytes of a set could not be fetched: that says nothing of the set.
    #[error("the object store failed while set {number} was read; it is read again: {why}")]
    Store {
        /// The number of the set.
        number: u64,
        /// What failed at last.
        why: String,
    },
    /// The disk has no place for copies of the new files.
    #[error(
        "the new files need {} MiB and {} MiB are free where sets are made; make room, or remove a file",
        needed >> 20,
        free >> 20
    )]
    Space {
        /// The bytes of the files, and a reserve.
        needed: u64,
        /// The bytes that are free.
        free: u64,
    },
    /// The process that reads new files cannot be started or talked to.
    #[error("the process that reads new files cannot be used")]
    Vetter(#[source] std::io::Error),
}
