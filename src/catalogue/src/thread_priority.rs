//! Thread priorities: background work yields to callers.

/// Niceness of background work, at which it hardly delays callers.
pub const BACKGROUND: i32 = 10;
/// Maximum niceness: such work runs only on an otherwise idle machine.
pub const IDLE: i32 = 19;

/// Lowers the priority of this thread, and of threads that it starts later. Does nothing on systems without thread priorities.
pub fn lower(niceness: i32) {
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), niceness);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}
