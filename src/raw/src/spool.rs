//! Spools bars beyond the memory bound to a file until they are needed.
//!
//! The file has no name and disappears with the process, however that ends. Values are written when they are stored and read one by one, so
//! that memory holds only the values that are being processed, in addition to the bound.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::error::RawError;

/// Memory bound of bars, and the file for the bars beyond it.
#[derive(Debug)]
pub struct Spool {
    /// The folder of the file; `None` for the system's temporary folder.
    folder: Option<PathBuf>,
    /// Bytes of values that may be in memory.
    bound: u64,
    /// Bytes of values in memory.
    bytes_in_memory: AtomicU64,
    /// The file, created with the first value that is written.
    file: Mutex<Option<File>>,
}

/// A value that is in memory or in the file.
#[derive(Debug)]
pub struct SpooledValue<T> {
    spool: Arc<Spool>,
    slot: SpoolSlot<T>,
}

#[derive(Debug)]
enum SpoolSlot<T> {
    InMemory { value: T, bytes: u64 },
    InFile { first: u64, bytes: usize },
    Taken,
}

/// A value that can be spooled.
pub trait SpooledRows: Sized {
    /// Returns the number of bytes that the value takes in memory.
    fn bytes(&self) -> u64;
    /// Appends the value to `to`.
    fn write(&self, to: &mut SpooledBytes);
    /// Reads a written value; `None` if the bytes are invalid.
    fn read(from: &mut SpooledBytes) -> Option<Self>;
}

impl Spool {
    /// Builds a spool that keeps `bound` bytes in memory; `None` is no bound.
    pub fn new(folder: Option<&Path>, bound: Option<u64>) -> Arc<Self> {
        Arc::new(Self {
            folder: folder.map(Path::to_owned),
            bound: bound.unwrap_or(u64::MAX),
            bytes_in_memory: AtomicU64::new(0),
            file: Mutex::new(None),
        })
    }

    /// Returns the maximum number of bytes in memory; `None` is no bound.
    pub(crate) fn bound(&self) -> Option<u64> {
        Some(self.bound).filter(|bound| *bound < u64::MAX)
    }

    /// Stores a value: in memory if the bound allows, else in the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn store<T: SpooledRows>(self: &Arc<Self>, value: T) -> Result<SpooledValue<T>, RawError> {
        let bytes = value.bytes();
        let bytes_in_memory = self.bytes_in_memory.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let slot = if bytes_in_memory <= self.bound {
            SpoolSlot::InMemory { value, bytes }
        } else {
            self.bytes_in_memory.fetch_sub(bytes, Ordering::Relaxed);
            let mut written = SpooledBytes::default();
            value.write(&mut written);
            drop(value);
            let first = self.append(&written.0).map_err(|source| self.spool_error(source))?;
            SpoolSlot::InFile { first, bytes: written.0.len() }
        };
        Ok(SpooledValue { spool: Arc::clone(self), slot })
    }

    fn append(&self, bytes: &[u8]) -> io::Result<u64> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match &mut *file {
            Some(file) => file,
            none => none.insert(match &self.folder {
                Some(folder) => tempfile::tempfile_in(folder)?,
                None => tempfile::tempfile()?,
            }),
        };
        let first = file.seek(SeekFrom::End(0))?;
        file.write_all(bytes)?;
        Ok(first)
    }

    fn read<T: SpooledRows>(&self, first: u64, bytes: usize) -> io::Result<T> {
        let mut buffer = vec![0; bytes];
        if let Some(file) = &mut *self.file.lock().unwrap_or_else(PoisonError::into_inner) {
            file.seek(SeekFrom::Start(first))?;
            file.read_exact(&mut buffer)?;
        }
        let mut buffer = SpooledBytes(buffer, 0);
        let value = T::read(&mut buffer).filter(|_| buffer.1 == bytes);
        value.ok_or_else(|| io::Error::other("what was written there is another value"))
    }

    fn spool_error(&self, source: io::Error) -> RawError {
        RawError::Spool { folder: self.folder.clone().unwrap_or_else(std::env::temp_dir), source }
    }
}

impl<T: SpooledRows + Clone> SpooledValue<T> {
    /// Returns the value, which stays in the spool.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn get(&self) -> Result<Cow<'_, T>, RawError> {
        if let SpoolSlot::InMemory { value, .. } = &self.slot {
            Ok(Cow::Borrowed(value))
        } else {
            self.read_back().map(Cow::Owned)
        }
    }

    /// Takes the value out of the spool.
    ///
    /// # Errors
    /// As [`SpooledValue::get`].
    pub fn into_value(mut self) -> Result<T, RawError> {
        match std::mem::replace(&mut self.slot, SpoolSlot::Taken) {
            SpoolSlot::InMemory { value, bytes } => {
                self.spool.bytes_in_memory.fetch_sub(bytes, Ordering::Relaxed);
                Ok(value)
            }
            slot => {
                self.slot = slot;
                self.read_back()
            }
        }
    }

    /// Changes the value.
    ///
    /// # Errors
    /// As [`SpooledValue::get`] and [`Spool::store`].
    pub fn change(self, change: impl FnOnce(&mut T)) -> Result<Self, RawError> {
        let spool = Arc::clone(&self.spool);
        let mut value = self.into_value()?;
        change(&mut value);
        spool.store(value)
    }

    fn read_back(&self) -> Result<T, RawError> {
        let read = match self.slot {
            SpoolSlot::InFile { first, bytes } => self.spool.read(first, bytes),
            _ => Err(io::Error::other("the value is taken")),
        };
        read.map_err(|source| self.spool.spool_error(source))
    }
}

impl<T> Drop for SpooledValue<T> {
    fn drop(&mut self) {
        if let SpoolSlot::InMemory { bytes, .. } = self.slot {
            self.spool.bytes_in_memory.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

/// Bytes of a value in the file, and the number of bytes read.
#[derive(Debug, Default)]
pub struct SpooledBytes(Vec<u8>, usize);

impl SpooledBytes {
    /// Writes a column with its length.
    pub(crate) fn write_column<const N: usize>(&mut self, column: impl ExactSizeIterator<Item = [u8; N]>) {
        self.0.reserve(8 + column.len() * N);
        self.0.extend((column.len() as u64).to_ne_bytes());
        column.for_each(|value| self.0.extend(value));
    }

    /// Reads the next column; `None` if the bytes end before it does.
    pub(crate) fn column<const N: usize, V>(&mut self, decode: impl Fn([u8; N]) -> V) -> Option<Vec<V>> {
        let rest = self.0.get(self.1..)?;
        let (length, rest) = rest.split_first_chunk()?;
        let bytes = usize::try_from(u64::from_ne_bytes(*length)).ok()?.checked_mul(N)?;
        let (values, _) = rest.get(..bytes)?.as_chunks();
        self.1 += 8 + bytes;
        Some(values.iter().map(|value| decode(*value)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl SpooledRows for Vec<u32> {
        fn bytes(&self) -> u64 {
            4 * self.len() as u64
        }

        fn write(&self, to: &mut SpooledBytes) {
            to.write_column(self.iter().map(|value| value.to_ne_bytes()));
        }

        fn read(from: &mut SpooledBytes) -> Option<Self> {
            from.column(u32::from_ne_bytes)
        }
    }

    #[test]
    fn what_has_no_room_waits_in_a_file_and_room_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::new(Some(folder.path()), Some(10));
        let is_held = |value: &SpooledValue<Vec<u32>>| matches!(value.get().unwrap(), Cow::Borrowed(_));
        let [first, second, third] =
            [vec![1, 2], vec![3, 4, 5], vec![]].map(|value| spool.store(value).unwrap());
        assert_eq!([&first, &second, &third].map(is_held), [true, false, true]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the file has no name");
        assert_eq!(second.get().unwrap().into_owned(), [3, 4, 5]);
        assert_eq!((first.into_value().unwrap(), second.into_value().unwrap()), (vec![1, 2], vec![3, 4, 5]));
        let fourth = spool.store(vec![6, 7]).unwrap();
        assert!(is_held(&fourth), "the first left its room");
        drop(fourth);
        let many: Vec<_> = (0..100).map(|n| spool.store(vec![n; n as usize]).unwrap()).collect();
        assert!(is_held(&many[1]) && !is_held(&many[2]) && !is_held(&many[99]));
        for (n, value) in (0..).zip(many) {
            assert_eq!(value.into_value().unwrap(), vec![n; n as usize]);
        }
    }

    #[test]
    fn a_folder_that_is_gone_is_named() {
        let folder = tempfile::tempdir().unwrap().path().join("gone");
        let error = Spool::new(Some(&folder), Some(0)).store(vec![1]).unwrap_err();
        assert!(error.to_string().contains(&folder.display().to_string()), "{error}");
    }
}
