//! The free space on the file systems of data, state and cache.

use std::path::{Path, PathBuf};

use super::{Diagnosis, DoctorArgs};

/// Free bytes below which a derivation or a cache may fail.
const LOW_SPACE: u64 = 2 << 30;
/// Free bytes below which writes of keys and counters may fail.
const FULL_SPACE: u64 = 128 << 20;

pub(super) fn check(args: &DoctorArgs) -> Option<Diagnosis> {
    let data = Some(PathBuf::from(&args.data.data)).filter(|_| !args.data.data.contains("://"));
    let state = args.state.state.file().map(Path::to_owned);
    let folders = [("data", data), ("state", state), ("cache", Some(args.data.cache.clone()))];
    let measured = folders.into_iter().filter_map(|(name, path)| Some((name, free_bytes(&path?)?)));
    let (name, free) = measured.min_by_key(|(_, free)| *free)?;
    let (subject, finding) = ("disk", format!("{} MiB are free for {name}", free >> 20));
    let remedy = "make room: fewer sets with --keep-sets, or another folder with --data, --state or --cache";
    Some(if free < FULL_SPACE {
        Diagnosis::fault(subject, finding, remedy)
    } else if free < LOW_SPACE {
        Diagnosis::warning(subject, finding, remedy)
    } else {
        Diagnosis::ok(subject, finding)
    })
}

/// Returns the free bytes of the file system of a path, or of its nearest folder that exists.
fn free_bytes(path: &Path) -> Option<u64> {
    let path = std::path::absolute(path).ok()?;
    #[cfg(unix)]
    {
        let stat = rustix::fs::statvfs(path.ancestors().find(|folder| folder.exists())?).ok()?;
        Some(stat.f_bavail.saturating_mul(stat.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}
