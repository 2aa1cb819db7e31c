//! Which file lies at a path, whatever it is called: a state file that was moved away is still open, and another one may lie there.

use std::path::{Path, PathBuf};

/// The device and the number of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// The identity of the file at a path; none where there is no file, or where files have no numbers.
    pub(super) fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let found = std::fs::metadata(path).ok()?;
            Some(Self { device: found.dev(), inode: found.ino() })
        }
        #[cfg(not(unix))]
        {
            let _ = path;
            None
        }
    }
}

/// The file whose name is another one's with this ending, such as SQLite's write-ahead log.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
