//! A lock file for one piece of work in a folder. The system releases the lock when the process ends, for any reason.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::manifest::publisher_name;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    /// The open lock file; closing it, after `drop`, releases the lock.
    file: File,
    /// Path of a lock file that is removed on drop; `None` for a lock file that stays.
    temporary_path: Option<PathBuf>,
}

/// The reason why a lock was not taken.
#[derive(Debug)]
pub enum LockError {
    /// Another process holds the lock; the text of the lock file, which names that process.
    Held(String),
    /// The lock file cannot be created or locked.
    Failed(io::Error),
}

impl Lock {
    /// Takes the lock, or fails at once with the name of its holder.
    ///
    /// # Errors
    /// A lock that is held, or a folder that cannot be written.
    pub fn try_take(path: &Path) -> Result<Self, LockError> {
        let mut file = open(path).map_err(LockError::Failed)?;
        match file.try_lock() {
            Ok(()) => {
                // The holder's name is for messages; the lock is valid even if the name cannot be written.
                let _ = file.set_len(0).and_then(|()| file.write_all(publisher_name().as_bytes()));
                Ok(Self { file, temporary_path: None })
            }
            Err(TryLockError::WouldBlock) => {
                let holder = fs::read_to_string(path).unwrap_or_default();
                Err(LockError::Held(if holder.is_empty() { "another process".to_owned() } else { holder }))
            }
            // On a file system without locks, the work continues without one.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(Self { file, temporary_path: None })
            }
            Err(TryLockError::Error(error)) => Err(LockError::Failed(error)),
        }
    }

    /// Takes a lock like [`Lock::try_take`]; on drop, the lock file is removed, and so is its folder if it is empty.
    ///
    /// # Errors
    /// As [`Lock::try_take`].
    pub fn try_take_temporary(path: &Path) -> Result<Self, LockError> {
        loop {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(LockError::Failed)?;
            }
            let mut lock = Self::try_take(path)?;
            // The last holder may have removed the file between opening and locking it; then the lock excludes no other process.
            if is_same_file(&lock.file, path) {
                lock.temporary_path = Some(path.to_owned());
                return Ok(lock);
            }
        }
    }

    /// Waits until the lock is free, then takes it.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn take(path: &Path) -> io::Result<Self> {
        let file = open(path)?;
        match file.lock() {
            Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(error),
            _ => Ok(Self { file, temporary_path: None }),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(path) = &self.temporary_path {
            let _ = fs::remove_file(path);
            let _ = path.parent().map(fs::remove_dir);
        }
    }
}

/// Returns true if an open file is still the one at a path.
fn is_same_file(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let numbers = |stat: &fs::Metadata| (stat.dev(), stat.ino());
        matches!((file.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if numbers(&a) == numbers(&b))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_a_second_process_names_the_holder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Lock::try_take(&path).unwrap();
        let Err(LockError::Held(holder)) = Lock::try_take(&path) else { panic!("the lock was taken twice") };
        assert!(holder.contains(&format!("process {}", std::process::id())), "{holder}");
        drop(held);
        Lock::try_take(&path).unwrap();
    }
}
