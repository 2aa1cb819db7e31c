//! Requests to the store of jobs. Its answers are those of the state, in the forms of this module.

use super::start::NewJob;
use parquote_catalogue::causes::with_causes;

/// A job to store.
#[derive(Debug, Clone, PartialEq)]
pub struct JobEntry {
    /// The owner's request.
    pub job: NewJob,
    /// Id of the new job.
    pub id: String,
    /// Now, in Unix seconds.
    pub now: i64,
}

/// Identity of a job for its owner; all parts must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Name of the job's owner.
    pub owner: String,
    /// Kind of work, such as `committee`.
    pub kind: String,
    /// Id of the job.
    pub id: String,
}

/// A worker's hold on a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// The job's number.
    pub number: i64,
    /// The worker's run id.
    pub worker: String,
}

/// The store cannot be read or written; the cause is for the log.
#[derive(Debug, thiserror::Error)]
#[error("the store of jobs failed")]
pub struct StoreError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl StoreError {
    /// Wraps the underlying error.
    pub fn new(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(source.into())
    }

    /// Returns the whole error chain on one line, for the log.
    pub(super) fn chain(&self) -> String {
        with_causes(self)
    }
}
