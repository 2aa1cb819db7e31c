//! The memory that the system lets this process take.

/// Lets this process take so many bytes in all, until it is called again. Where the system has no such limit, there is none.
pub(super) fn limit_to(bytes: u64) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        // The hard limit stays, so that this one can be raised again.
        let Rlimit { maximum, .. } = getrlimit(Resource::Data);
        let current = maximum.map_or(bytes, |most| most.min(bytes));
        let _ = setrlimit(Resource::Data, Rlimit { current: Some(current), maximum });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// What counts against that limit: the bytes of memory that this process may write to. None where the system does not say.
pub(super) fn taken() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmData:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib << 10)
}
