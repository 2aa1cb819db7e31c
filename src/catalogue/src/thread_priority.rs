//! Thread priorities: background work yields to callers.

/// Niceness of background work, which then hardly delays the work for callers.
pub const BACKGROUND: i32 = 10;
/// Maximum niceness, for work that runs only if the machine is otherwise idle.
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
