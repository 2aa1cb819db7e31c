//! Long work that outlives a kill.

mod work;

pub use work::{Ended, Progress, Spent, StepLog, Work};
