//! Blocking work on a thread of a runtime.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs blocking or long work. A thread of a multi-threaded runtime hands its other tasks over first.
pub fn wait<T>(wait: impl FnOnce() -> T) -> T {
    let many = Handle::try_current().is_ok_and(|h| h.runtime_flavor() == RuntimeFlavor::MultiThread);
    if many { tokio::task::block_in_place(wait) } else { wait() }
}
