//! The size to which a packed file may unpack: a larger archive is refused before the disk or the memory is full.

use std::io::{self, Read};

/// Bytes for each byte of a packed file, beyond those to which any may unpack.
const RATIO: u64 = 200;
/// Bytes of any packed file.
const WHOLE: u64 = 256 << 30;

/// The bytes to which so many packed ones may unpack, where `free` are for any file, whatever its ratio.
pub(crate) fn most(packed: u64, free: u64) -> u64 {
    packed.saturating_mul(RATIO).max(free).min(WHOLE)
}

/// A reader that fails behind so many bytes.
#[derive(Debug)]
pub(crate) struct Bounded<R> {
    inner: R,
    most: u64,
    read: u64,
}

impl<R> Bounded<R> {
    pub(crate) const fn new(inner: R, most: u64) -> Self {
        Self { inner, most, read: 0 }
    }

    /// Bytes that were read.
    pub(crate) const fn read_bytes(&self) -> u64 {
        self.read
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.read += count as u64;
        if self.read > self.most {
            return Err(io::Error::other(format!("it unpacks to more than {} bytes", self.most)));
        }
        Ok(count)
    }
}
