//! Errors of running work units.

use parquote_set::SetError;

/// Error of running work units.
#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    /// No worker is left to run them; the last error.
    #[error("no worker is left that runs units; the last one failed: {0}")]
    NoWorkerLeft(String),
    /// A unit fails on every worker.
    #[error("a worker could not make {what}: {why}")]
    Failed {
        /// The unit's output, in words.
        what: String,
        /// The cause.
        why: String,
    },
    /// A path leads out of its folder.
    #[error("{0}")]
    Path(String),
    /// The transfer store fails.
    #[error(transparent)]
    Transfer(#[from] SetError),
}
