//! A file of a table, on disk or in an object store, read at offsets by concurrent threads.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use chrono::{DateTime, Utc};

use super::blocks::RemoteFile;
use super::error::SetError;

/// The files of each table of a market.
pub type TableFiles = BTreeMap<String, Vec<StoredFile>>;

/// A file of a table, not yet opened.
#[derive(Debug, Clone)]
pub struct StoredFile {
    /// BLAKE3 of its bytes for a file of a set, which never changes; a hash of path, time and tag for a plain file in a store; `None` for a
    /// local plain file.
    hash: Option<Arc<str>>,
    location: FileLocation,
    /// Modification time of a plain file in a store.
    written: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone)]
enum FileLocation {
    Local(PathBuf),
    Remote(Arc<RemoteFile>),
}

/// An open file.
#[derive(Debug, Clone)]
pub enum OpenStoredFile {
    /// On a disk of this machine.
    Local {
        /// The file.
        file: Arc<File>,
        /// Its length when it was opened.
        bytes: u64,
        /// Its modification time when it was opened.
        modified: Option<SystemTime>,
    },
    /// In an object store, read by blocks.
    Remote(Arc<RemoteFile>),
}

impl StoredFile {
    /// Advice to the user about a damaged file.
    pub const REMEDY: &str = "put the file back from a copy, or remove it and derive or publish the market again, or go back with `parquote rollback`";

    /// Describes a plain file, which users may change at any time.
    pub fn plain(path: impl Into<PathBuf>) -> Self {
        Self { hash: None, location: FileLocation::Local(path.into()), written: None }
    }

    /// Describes a file of a set on a local disk.
    pub fn of_set(path: PathBuf, hash: &str) -> Self {
        Self { hash: Some(hash.into()), location: FileLocation::Local(path), written: None }
    }

    /// Describes a file in an object store.
    pub(super) fn remote(file: RemoteFile) -> Self {
        Self { hash: Some(file.hash().into()), location: FileLocation::Remote(Arc::new(file)), written: None }
    }

    /// Sets the modification time.
    #[must_use]
    pub(super) fn written_at(self, at: DateTime<Utc>) -> Self {
        Self { written: Some(at), ..self }
    }

    /// Returns the modification time of a plain file; `None` if it is unknown.
    pub fn written(&self) -> Option<DateTime<Utc>> {
        match &self.location {
            FileLocation::Local(path) => Some(std::fs::metadata(path).ok()?.modified().ok()?.into()),
            FileLocation::Remote(_) => self.written,
        }
    }

    /// Returns the hash that identifies its content, hexadecimal; `None` for a local plain file, which may change at any time.
    pub fn hash(&self) -> Option<&str> {
        self.hash.as_deref()
    }

    /// Returns its location, for messages.
    pub fn location(&self) -> String {
        match &self.location {
            FileLocation::Local(path) => path.display().to_string(),
            FileLocation::Remote(file) => file.location().to_owned(),
        }
    }

    /// Returns the name of the part that a plain file is, by its path; `None` if the table is one file.
    pub fn part(&self, table: &str) -> Option<String> {
        let path = match &self.location {
            FileLocation::Local(path) => path.clone(),
            FileLocation::Remote(file) => PathBuf::from(file.path()),
        };
        let folder = path.parent()?.file_name()?;
        (folder == table).then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))?
    }

    /// Returns the path of a file on disk; `None` for a file in an object store.
    pub fn path(&self) -> Option<&Path> {
        match &self.location {
            FileLocation::Local(path) => Some(path),
            FileLocation::Remote(_) => None,
        }
    }

    /// Reads a file of a set and returns its damage, in words; `None` if its bytes have the hash of its name, or if it is not of a set.
    pub fn damage(&self) -> Option<String> {
        let expected = self.hash.as_deref()?;
        match self.open().and_then(|open| open.hash()) {
            Ok(hash) if hash == expected => None,
            Ok(_) => Some(
                "its bytes are not those that its name says: the file was damaged or changed after it was published"
                    .to_owned(),
            ),
            Err(error) => Some(format!("it cannot be read ({error})")),
        }
    }

    /// Opens the file.
    ///
    /// # Errors
    /// A file that is missing or unreadable.
    pub fn open(&self) -> io::Result<OpenStoredFile> {
        match &self.location {
            FileLocation::Remote(file) => Ok(OpenStoredFile::Remote(Arc::clone(file))),
            FileLocation::Local(path) => {
                let file = File::open(path)?;
                let stat = file.metadata()?;
                if stat.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
                Ok(OpenStoredFile::Local {
                    bytes: stat.len(),
                    modified: stat.modified().ok(),
                    file: Arc::new(file),
                })
            }
        }
    }
}

impl OpenStoredFile {
    /// Its length in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Local { bytes, .. } => *bytes,
            Self::Remote(file) => file.bytes(),
        }
    }

    /// Reads bytes from an offset into a buffer; returns their number, 0 at the end of the file.
    ///
    /// # Errors
    /// A disk or a store that fails.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::Local { file, .. } => local_read_at(file, buffer, offset),
            Self::Remote(file) => file.read_at(buffer, offset),
        }
    }

    /// As [`OpenStoredFile::read_at`], but fills the whole buffer.
    ///
    /// # Errors
    /// As [`OpenStoredFile::read_at`], and an end of file before the end of the buffer.
    pub fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(buffer, offset)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => {
                    offset += read as u64;
                    buffer = std::mem::take(&mut buffer).get_mut(read..).unwrap_or_default();
                }
            }
        }
        Ok(())
    }

    /// Computes BLAKE3 of all its bytes, hexadecimal.
    fn hash(&self) -> io::Result<String> {
        const PIECE: usize = 1 << 20;
        let (mut hasher, mut piece, mut at) = (blake3::Hasher::new(), vec![0; PIECE], 0);
        loop {
            let read = self.read_at(&mut piece, at)?;
            if read == 0 {
                return Ok(hasher.finalize().to_string());
            }
            hasher.update(piece.get(..read).unwrap_or_default());
            at += read as u64;
        }
    }

    /// Returns true if a local file has the length and modification time that it had when it was opened; always true for a remote file.
    ///
    /// # Errors
    /// A disk that fails.
    pub fn is_untouched(&self) -> io::Result<bool> {
        match self {
            Self::Remote(_) => Ok(true),
            Self::Local { file, bytes, modified } => {
                let stat = file.metadata()?;
                Ok(stat.len() == *bytes && stat.modified().ok() == *modified)
            }
        }
    }
}

/// Computes BLAKE3 of a local file, hexadecimal.
///
/// # Errors
/// A file that cannot be read.
pub fn hash_of(path: &Path) -> Result<String, SetError> {
    let failed = SetError::file(path, "read");
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path).map_err(&failed)?).map_err(&failed)?;
    Ok(hasher.finalize().to_string())
}

#[cfg(unix)]
fn local_read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn local_read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}
