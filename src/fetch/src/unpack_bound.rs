//! The size to which a packed file may unpack: a larger archive is refused before it fills the disk or the memory.

use std::io::{self, Read};

/// Maximum ratio of unpacked to packed bytes, for files that unpack to more than is allowed for any file.
const MOST_RATIO: u64 = 200;
/// Maximum unpacked bytes of any file.
const MOST_UNPACKED: u64 = 256 << 30;

/// Returns the maximum of unpacked bytes for a packed size; `always_allowed` bytes are allowed for any file.
pub(crate) fn most_unpacked(packed: u64, always_allowed: u64) -> u64 {
    packed.saturating_mul(MOST_RATIO).max(always_allowed).min(MOST_UNPACKED)
}

/// A reader that fails after a number of bytes.
#[derive(Debug)]
pub(crate) struct BoundedReader<R> {
    inner: R,
    most: u64,
    bytes_read: u64,
}

impl<R> BoundedReader<R> {
    pub(crate) const fn new(inner: R, most: u64) -> Self {
        Self { inner, most, bytes_read: 0 }
    }

    /// Returns the number of bytes read.
    pub(crate) const fn bytes_read(&self) -> u64 {
        self.bytes_read
    }
}

impl<R: Read> Read for BoundedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.bytes_read += count as u64;
        if self.bytes_read > self.most {
            return Err(io::Error::other(format!("it unpacks to more than {} bytes", self.most)));
        }
        Ok(count)
    }
}
