//! Why units could not be run.

use parquote_set::SetError;

/// Why units could not be run.
#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    /// Nobody was left to run them.
    #[error("no worker is left that runs units; the last one failed: {last}")]
    NobodyLeft {
        /// What was wrong with it.
        last: String,
    },
    /// A unit fails wherever it runs.
    #[error("a worker could not make {what}: {why}")]
    Failed {
        /// What it should make.
        what: String,
        /// Why it did not.
        why: String,
    },
    /// A file lies where none should.
    #[error("{0}")]
    Path(String),
    /// The place through which files pass fails.
    #[error(transparent)]
    Transfer(#[from] SetError),
}
