//! The few disk operations that make data durable, behind a trait so that a test can simulate a power failure between any two of them.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// A disk on which files are published.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Writes a new file; its bytes are not durable yet.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Makes the bytes of a file durable.
    fn sync_file(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a folder durable.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// Creates a folder and its parents.
    fn make_folder(&self, path: &Path) -> io::Result<()>;
    /// Renames a file and replaces an existing target.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Creates a hard link to a file; fails if the name exists.
    fn link_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The disk of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemDisk;

impl Disk for SystemDisk {
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        OpenOptions::new().write(true).create(true).truncate(true).open(path)?.write_all(bytes)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        // On every system, a file that is open for writing can be synced.
        OpenOptions::new().write(true).open(path)?.sync_all()
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        #[cfg(unix)]
        {
            File::open(path)?.sync_all()
        }
        #[cfg(not(unix))]
        {
            // Other systems cannot open folders; names become durable with the files.
            let _ = (path, File::open::<&Path>);
            Ok(())
        }
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn link_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match fs::hard_link(from, to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Ok(()) => Ok(()),
            // On a file system without links, the name is claimed by creating the file, then its bytes are written.
            Err(_) => {
                let bytes = fs::read(from)?;
                let mut file = OpenOptions::new().write(true).create_new(true).open(to)?;
                file.write_all(&bytes)?;
                file.sync_all()
            }
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}
