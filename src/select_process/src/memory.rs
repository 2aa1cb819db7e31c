//! Memory limit of this process.

/// Limits the memory of this process to a number of bytes, until the next call. Does nothing on systems without such a limit.
pub(super) fn limit_to(bytes: u64) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        // The hard limit is unchanged, so that this one can be raised again.
        let Rlimit { maximum, .. } = getrlimit(Resource::Data);
        let current = maximum.map_or(bytes, |most| most.min(bytes));
        let _ = setrlimit(Resource::Data, Rlimit { current: Some(current), maximum });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// Returns the bytes of writable memory of this process, which [`limit_to`] limits. `None` if the system does not report them.
pub(super) fn memory_used() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmData:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib << 10)
}
