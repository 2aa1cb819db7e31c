//! A file of a table, on disk or in an object store, read at offsets by any number of threads.

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

/// A file of a table that can be opened.
#[derive(Debug, Clone)]
pub struct StoredFile {
    /// BLAKE3 of its bytes, where it belongs to a set; such a file never changes.
    hash: Option<Arc<str>>,
    place: FileLocation,
    /// When a store says that a plain file was written last.
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
        /// When it had been written last by then.
        modified: Option<SystemTime>,
    },
    /// In an object store, read by blocks.
    Remote(Arc<RemoteFile>),
}

impl StoredFile {
    /// The remedy for a damaged file.
    pub const REMEDY: &str = "put the file back from a copy, or remove it and derive or publish the market again, or go back with `parquote rollback`";

    /// A plain file that anybody may change.
    pub fn plain(path: impl Into<PathBuf>) -> Self {
        Self { hash: None, place: FileLocation::Local(path.into()), written: None }
    }

    /// A file of a set on a disk.
    pub fn of_set(path: PathBuf, hash: &str) -> Self {
        Self { hash: Some(hash.into()), place: FileLocation::Local(path), written: None }
    }

    /// A file of a set in an object store.
    pub(super) fn remote(file: RemoteFile) -> Self {
        Self { hash: Some(file.hash().into()), place: FileLocation::Remote(Arc::new(file)), written: None }
    }

    /// The same file, written then.
    #[must_use]
    pub(super) fn written_at(self, at: DateTime<Utc>) -> Self {
        Self { written: Some(at), ..self }
    }

    /// When a plain file was written last, as far as that is known.
    pub fn written(&self) -> Option<DateTime<Utc>> {
        match &self.place {
            FileLocation::Local(path) => Some(std::fs::metadata(path).ok()?.modified().ok()?.into()),
            FileLocation::Remote(_) => self.written,
        }
    }

    /// BLAKE3 of its bytes, where it belongs to a set.
    pub fn hash(&self) -> Option<&str> {
        self.hash.as_deref()
    }

    /// Where it lies, for a person.
    pub fn shown(&self) -> String {
        match &self.place {
            FileLocation::Local(path) => path.display().to_string(),
            FileLocation::Remote(file) => file.shown().to_owned(),
        }
    }

    /// Which part of its table a plain file is, by its path; none where the table is one file.
    pub fn part(&self, table: &str) -> Option<String> {
        let path = match &self.place {
            FileLocation::Local(path) => path.clone(),
            FileLocation::Remote(file) => PathBuf::from(file.path()),
        };
        let folder = path.parent()?.file_name()?;
        (folder == table).then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))?
    }

    /// The path, where it lies on a disk.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            FileLocation::Local(path) => Some(path),
            FileLocation::Remote(_) => None,
        }
    }

    /// Reads the whole file and returns why it is damaged; `None` where its bytes have the hash of its name, and where it belongs to no set.
    pub fn damage(&self) -> Option<String> {
        let named = self.hash.as_deref()?;
        match self.open().and_then(|open| open.hash()) {
            Ok(found) if found == named => None,
            Ok(_) => Some(
                "its bytes are not those that its name says: the file was damaged or changed after it was published"
                    .to_owned(),
            ),
            Err(error) => Some(format!("it cannot be read ({error})")),
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// A file that is not there or cannot be read.
    pub fn open(&self) -> io::Result<OpenStoredFile> {
        match &self.place {
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

    /// Reads bytes from an offset on into a buffer; how many there were.
    ///
    /// # Errors
    /// A disk or a store that fails.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::Local { file, .. } => local_read_at(file, buffer, offset),
            Self::Remote(file) => file.read_at(buffer, offset),
        }
    }

    /// As [`OpenStoredFile::read_at`], the whole buffer.
    ///
    /// # Errors
    /// As [`OpenStoredFile::read_at`], and an end of the file before the end of the buffer.
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

    /// BLAKE3 of all of its bytes, hexadecimal.
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

    /// Whether a file on a disk is as it was when it was opened.
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

/// BLAKE3 of the bytes of a file on a disk, hexadecimal.
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
