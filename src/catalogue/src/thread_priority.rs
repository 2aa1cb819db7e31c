//! The priority of threads: what nobody waits for goes behind what callers wait for.

/// The niceness of work in the background: callers feel no more of it than of an idle process.
pub const BACKGROUND: i32 = 10;
/// The largest niceness: only a machine with nothing else to do works for it.
pub const IDLE: i32 = 19;

/// Lowers the priority of this thread, and with it that of the threads that it starts from then on. Where the system has no
/// priorities of threads, nothing happens.
pub fn lower(niceness: i32) {
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), niceness);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}
