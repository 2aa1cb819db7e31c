//! Blocking work on a thread of a runtime.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs blocking or long work and returns its result. On a multi-threaded runtime, the other tasks of the thread move to other threads
/// first.
pub fn wait<T>(work: impl FnOnce() -> T) -> T {
    let is_multi_threaded =
        Handle::try_current().is_ok_and(|h| h.runtime_flavor() == RuntimeFlavor::MultiThread);
    if is_multi_threaded { tokio::task::block_in_place(work) } else { work() }
}
