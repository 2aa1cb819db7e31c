//! A lock on a piece of work in a folder. It ends with the process that holds it, however that ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::Path;

use super::manifest::publisher;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why a lock was not had.
#[derive(Debug)]
pub enum NotHad {
    /// Another holds it: who, as it says itself.
    Held(String),
    /// The file of the lock cannot be made or locked.
    Failed(io::Error),
}

impl Lock {
    /// Takes the lock at once, or says who holds it.
    ///
    /// # Errors
    /// A lock that is held, or a folder that cannot be written.
    pub fn try_take(path: &Path) -> Result<Self, NotHad> {
        let mut file = open(path).map_err(NotHad::Failed)?;
        match file.try_lock() {
            Ok(()) => {
                // Who holds it is told to others; a holder that cannot write this holds it all the same.
                let _ = file.set_len(0).and_then(|()| file.write_all(publisher().as_bytes()));
                Ok(Self { _file: file })
            }
            Err(TryLockError::WouldBlock) => {
                let holder = fs::read_to_string(path).unwrap_or_default();
                Err(NotHad::Held(if holder.is_empty() { "another process".to_owned() } else { holder }))
            }
            // A file system without locks: one works without, as it did before there were any.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(Self { _file: file })
            }
            Err(TryLockError::Error(error)) => Err(NotHad::Failed(error)),
        }
    }

    /// Takes the lock as soon as it is free.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn take(path: &Path) -> io::Result<Self> {
        let file = open(path)?;
        match file.lock() {
            Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(error),
            _ => Ok(Self { _file: file }),
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_is_told_who_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Lock::try_take(&path).unwrap();
        let Err(NotHad::Held(holder)) = Lock::try_take(&path) else { panic!("it is had twice") };
        assert!(holder.contains(&format!("process {}", std::process::id())), "{holder}");
        drop(held);
        Lock::try_take(&path).unwrap();
    }
}
