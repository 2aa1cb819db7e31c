//! Identity of the file at a path. An open state file may be moved away and replaced by another one.

use std::path::{Path, PathBuf};

/// Device and inode of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// Returns the identity of the file at a path; `None` if there is no file, or the platform has no inodes.
    pub(super) fn from_path(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let metadata = std::fs::metadata(path).ok()?;
            Some(Self { device: metadata.dev(), inode: metadata.ino() })
        }
        #[cfg(not(unix))]
        {
            let _ = path;
            None
        }
    }
}

/// Returns the path with this text appended to the file name, such as SQLite's write-ahead log.
pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
