//! Long-running jobs that survive a kill: a queue with a bounded number of workers, each of them a task that mostly waits. Each step is
//! kept in a store that several servers share. This module knows no operation, no provider and no protocol, and not what a job does.
//!
//! Invariants: one worker at a time holds a job, under a lease; a worker that lost its lease can record nothing. A step is
//! recorded once. The first final status stays. Nobody finds a job without its owner.
//!
//! Reading order: what a job is (`record`), how one is started (`start`), what a handler sees of its job (`work`), where jobs
//! are kept (`store`, `embedded`), how they are run (`log`, `held`, `worker`, `workers`), and what callers use (`jobs`,
//! `cancel`).

mod error;
mod settings;

mod record;
mod start;
mod work;

mod embedded;
mod store;

mod held;
mod shared;
mod log;
mod worker;
mod workers;

mod cancel;
mod jobs;

#[cfg(test)]
mod tests;

pub use cancel::{Cancelled, Signal};
pub use embedded::Embedded;
pub use error::JobError;
pub use jobs::Jobs;
pub use record::{Job, JobStatus, RecordedStep, Reported};
pub use settings::{Settings, UnixClock, WORKERS};
pub use start::{Budget, IdForm, Left, NewJob, RunLimit};
pub use store::{
    Address, Cancelling, ClaimResult, Hold, Inserted, JobEntry, JobStore, NewStep, RecordResult, StoreError,
};
pub use work::{JobHandler, JobProgress, Spent, StepLog, WorkError};
pub use workers::Workers;
