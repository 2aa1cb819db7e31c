//! Waiting on a thread that a runtime may need.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs what waits or computes for long. A thread of a runtime of several hands its other tasks over first.
pub fn wait<T>(wait: impl FnOnce() -> T) -> T {
    let many = Handle::try_current().is_ok_and(|h| h.runtime_flavor() == RuntimeFlavor::MultiThread);
    if many { tokio::task::block_in_place(wait) } else { wait() }
}
