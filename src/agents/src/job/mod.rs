//! Long-running jobs that survive a kill: a queue with a bounded number of workers, each a task that mostly waits. Every step is recorded
//! in a store that several servers share. Operations, providers, protocols and the content of jobs are unknown here.
//!
//! Invariants: one worker at a time holds a job, under a lease; a worker that lost its lease can record nothing. A step is recorded once.
//! The first final status is permanent. A job is found only with its owner.
//!
//! Reading order: the job (`record`), its start (`start`), the handler's interface (`work`), the stores (`store`, `embedded`), the workers
//! (`log`, `held`, `worker`, `workers`), and the callers' interface (`jobs`, `cancel`).

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

pub use cancel::{CancelResult, Signal};
pub use embedded::StateJobStore;
pub use error::JobError;
pub use jobs::Jobs;
pub use parquote_state::RunLimit;
pub use record::{Job, JobStatus, JobWithReport, RecordedStep};
pub use settings::{Settings, UnixClock, WORKERS};
pub use start::{Budget, IdForm, NewJob, RunsLeft};
pub use store::{Address, Hold, JobEntry, StoreError};
pub use work::{JobHandler, JobProgress, ProviderUsage, StepLog, WorkError};
pub use workers::Workers;
