//! Errors of running work units.

use parquote_set::SetError;

/// Error of running work units.
#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    /// No worker is left that runs units. The text is the error of the last worker.
    #[error("no worker is left that runs units; the last one failed: {0}")]
    NoWorkerLeft(String),
    /// A unit has failed on every worker.
    #[error("a worker could not make {what}: {why}")]
    Failed {
        /// The output of the unit, such as the name of a table.
        what: String,
        /// The last error of a worker.
        why: String,
    },
    /// A path leads out of its folder. The text is the message.
    #[error("{0}")]
    Path(String),
    /// The transfer store has failed.
    #[error(transparent)]
    Transfer(#[from] SetError),
}
