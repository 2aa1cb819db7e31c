//! LONG work that outlives a kill: a queue of jobs with bounded workers, kept step by step in a store that several
//! servers share. It knows no operation, no provider and no protocol, and nothing of what work does.
//!
//! Invariants: a job is held by one worker at a time, under a lease; a worker that lost it can record nothing. A step is
//! recorded once. The first final status stays. Nobody finds a job without its owner.
//!
//! Reading order: what a job is (`record`), how one is started (`start`), how work sees it (`work`), where jobs are kept
//! (`store`, `embedded`), how they are done (`log`, `held`, `worker`, `workers`), and what callers use (`jobs`, `cancel`).

mod error;
mod settings;

mod record;
mod start;
mod work;

mod embedded;
mod store;

mod held;
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
pub use record::{Job, Reported, Status, Step};
pub use settings::{Clock, Settings};
pub use start::{Budget, IdForm, Left, NewJob, RunLimit};
pub use store::{
    Address, Cancelling, Claim, Ending, Entry, Hold, Inserted, NewStep, Recorded, State, Store, StoreError,
    Taken,
};
pub use work::{Ended, Progress, Spent, StepLog, Work};
pub use workers::Workers;
