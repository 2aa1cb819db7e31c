//! The size to which a packed file may unpack: a larger archive is refused before it fills the disk or the memory.

use std::io::{self, Read};

/// Maximum ratio of unpacked to packed bytes, above the allowance for any file.
const MOST_RATIO: u64 = 200;
/// Absolute maximum of unpacked bytes.
const MOST_UNPACKED: u64 = 256 << 30;

/// Returns the maximum of unpacked bytes for a packed size; `free` bytes are allowed for any file.
pub(crate) fn most_unpacked(packed: u64, free: u64) -> u64 {
    packed.saturating_mul(MOST_RATIO).max(free).min(MOST_UNPACKED)
}

/// A reader that fails after a number of bytes.
#[derive(Debug)]
pub(crate) struct BoundedReader<R> {
    inner: R,
    most: u64,
    read: u64,
}

impl<R> BoundedReader<R> {
    pub(crate) const fn new(inner: R, most: u64) -> Self {
        Self { inner, most, read: 0 }
    }

    /// Returns the number of bytes read.
    pub(crate) const fn read_bytes(&self) -> u64 {
        self.read
    }
}

impl<R: Read> Read for BoundedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.read += count as u64;
        if self.read > self.most {
            return Err(io::Error::other(format!("it unpacks to more than {} bytes", self.most)));
        }
        Ok(count)
    }
}
