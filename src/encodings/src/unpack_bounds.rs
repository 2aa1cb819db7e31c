//! Resource limits of a raw file: unpacked bytes, bytes of a row, and bytes of a document that is held in memory. A panic of a reader
//! refuses only its file.
//!
//! A file over a limit is refused: the report names the file and the limit, its rows before the limit count as read, and the run continues.
//! This is not a read fault, because the file is not damaged.

use std::any::Any;
use std::cell::Cell;
use std::error::Error;
use std::io::{self, Read};
use std::panic::{self, AssertUnwindSafe};

use serde::{Deserialize, Serialize};

/// Bytes to which any packed file may unpack, whatever its length.
pub(crate) const ALWAYS_ALLOWED: u64 = 64 << 20;

/// Maximum bytes of a row; the longest rows of real files are transcripts of some 200 kB.
const MOST_ROW_BYTES: u64 = 8 << 20;

/// Maximum bytes of a document that is held in memory; the largest real ones, tables of Form 13F, have some 50 MB.
pub(crate) const DOCUMENT: u64 = 256 << 20;

/// Limits on the unpacked size of raw files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnpackBounds {
    /// Maximum unpacked bytes per packed byte; 64 MiB are allowed in any case.
    pub ratio: u64,
    /// Maximum unpacked bytes of a file; for an archive, of all members together.
    pub unpacked: u64,
}

impl Default for UnpackBounds {
    fn default() -> Self {
        Self { ratio: 200, unpacked: 256 << 30 }
    }
}

impl UnpackBounds {
    /// Returns the maximum number of bytes to which `packed` bytes may unpack.
    pub fn most_unpacked(&self, packed: u64) -> u64 {
        packed.saturating_mul(self.ratio).max(ALWAYS_ALLOWED).min(self.unpacked)
    }

    /// Checks the unpacked size that a file of `packed` bytes declares.
    pub fn check(&self, packed: u64, declared: u64) -> io::Result<()> {
        let most = self.most_unpacked(packed);
        if declared <= most { Ok(()) } else { Err(too_large_error(packed, most)) }
    }
}

fn too_large_error(packed: u64, most: u64) -> io::Error {
    refusal(format!(
        "it unpacks from {packed} bytes to more than {most}; --unpack-ratio and --unpack-gib allow more"
    ))
}

/// The reason, in words, why a file is refused: it is over a limit or not allowed, or its reader panicked.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct FileRefusal(String);

/// Creates an error that refuses a file; `words` is the reason.
pub fn refusal(words: impl Into<String>) -> io::Error {
    io::Error::other(FileRefusal(words.into()))
}

/// Returns true if an error refuses a file; false for read errors.
pub fn is_refusal(error: &io::Error) -> bool {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        if error.is::<FileRefusal>() {
            return true;
        }
        next = match error.downcast_ref::<io::Error>() {
            Some(outer) => outer.get_ref().map(|inner| inner as &(dyn Error + 'static)),
            None => error.source(),
        };
    }
    false
}

/// Reads one file; a panic of its reader refuses the file.
pub fn catch_panics<T>(read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    // After a panic no state of the reader is used again, except for the complete rows that it has passed on.
    panic::catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|panic| Err(refusal(format!("its reader failed: {}", panic_message(&*panic)))))
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it does not say why")
}

/// A reader of an unpacked file that fails beyond a limit.
pub struct UnpackReader<R> {
    inner: R,
    /// Length of the packed file.
    packed: u64,
    most: u64,
    /// Unpacked bytes so far.
    passed: u64,
}

impl<R> UnpackReader<R> {
    /// Wraps a reader of unpacked bytes: `packed` is the length of the packed file, `most` the maximum number of unpacked bytes.
    pub const fn new(inner: R, packed: u64, most: u64) -> Self {
        Self { inner, packed, most, passed: 0 }
    }
}

impl<R: Read> Read for UnpackReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(into)?;
        self.passed += bytes as u64;
        if self.passed > self.most { Err(too_large_error(self.packed, self.most)) } else { Ok(bytes) }
    }
}

/// A reader that fails when a row is too long. `since` counts the bytes since the previous row; the caller resets it after each row.
pub(crate) struct RowBoundReader<'a, R> {
    inner: R,
    since: &'a Cell<u64>,
}

impl<'a, R> RowBoundReader<'a, R> {
    pub(crate) const fn new(inner: R, since: &'a Cell<u64>) -> Self {
        Self { inner, since }
    }
}

impl<R: Read> Read for RowBoundReader<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(into)?;
        self.since.set(self.since.get() + bytes as u64);
        check_row(self.since.get()).map(|()| bytes)
    }
}

/// Checks the length of a row.
pub(crate) fn check_row(bytes: u64) -> io::Result<()> {
    if bytes > MOST_ROW_BYTES {
        Err(refusal(format!("a row of it is longer than {MOST_ROW_BYTES} bytes")))
    } else {
        Ok(())
    }
}

/// Reads a whole file of at most `most` bytes.
pub(crate) fn read_whole(reader: &mut dyn Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(refusal(format!(
            "it is longer than {most} bytes, the limit of a file that is read into memory"
        )));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_fails_refuses_its_file() {
        let failing = || -> io::Result<()> { panic!("no such cell: {}", 7) };
        let error = catch_panics(failing).unwrap_err();
        assert_eq!(error.to_string(), "its reader failed: no such cell: 7");
        assert!(is_refusal(&error));
        assert!(
            is_refusal(&io::Error::other(catch_panics(failing).unwrap_err())),
            "also where it is wrapped"
        );
        assert!(!is_refusal(&io::Error::other("cut")));
        assert_eq!(catch_panics(|| Ok(7)).unwrap(), 7);
    }

    #[test]
    fn what_is_unpacked_ends_at_the_bound() {
        let bounds = UnpackBounds { ratio: 10, unpacked: 2 * ALWAYS_ALLOWED };
        assert_eq!(
            [1, ALWAYS_ALLOWED / 8, ALWAYS_ALLOWED].map(|packed| bounds.most_unpacked(packed)),
            [ALWAYS_ALLOWED, ALWAYS_ALLOWED / 8 * 10, 2 * ALWAYS_ALLOWED]
        );
        assert!(bounds.check(1, ALWAYS_ALLOWED).is_ok() && bounds.check(1, ALWAYS_ALLOWED + 1).is_err());
        let mut read = Vec::new();
        let outcome = UnpackReader::new(io::repeat(0), 5, 100_000).read_to_end(&mut read);
        assert!(is_refusal(&outcome.unwrap_err()) && read.len() <= 100_000);
        assert_eq!(UnpackReader::new(&b"abc"[..], 1, 3).read_to_end(&mut read).unwrap(), 3);
    }
}
