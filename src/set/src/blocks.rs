//! Reads files of an object store in blocks, through a disk cache with a maximum number of bytes; the least recently used blocks are
//! evicted first.
//!
//! A block is named by the hash of its file and its number, so a cached block never expires and outlives the process. The hash of a block
//! is checked before it is used or cached, because a store may truncate or change objects.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::TryStreamExt as _;
use object_store::path::Path as ObjectPath;
use object_store::{GetOptions, GetResult, ObjectStore};
use quick_cache::sync::{Cache, GuardResult};
use quick_cache::{DefaultHashBuilder, Lifecycle, Weighter};
use tokio::runtime::Handle;

use parquote_catalogue::blocking;

/// Bytes of a block: one request fetches a block, and a manifest has a hash of each. A point lookup reads one or two blocks, a key index
/// some tens.
const BLOCK_BYTES: u64 = 1 << 20;

/// Time limit for one block over all attempts. It is the time limit of a query, because a running query waits for the block. The store
/// client alone would retry for minutes.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The hash of a file, and the number of a block in it, from 0.
type BlockKey = (Arc<str>, u32);

/// Blocks of files of an object store, cached in a folder.
#[derive(Debug)]
pub struct Blocks {
    folder: PathBuf,
    /// Length in bytes of each cached block.
    cached: Cache<BlockKey, u64, Weight, DefaultHashBuilder, Evict>,
    /// Number of failed fetches.
    failures: AtomicU64,
    /// Text of the last failure; empty without one.
    last_error: Mutex<String>,
}

/// Weighs a block by its bytes.
#[derive(Debug, Clone)]
struct Weight;

/// Removes the file of an evicted block.
#[derive(Debug, Clone)]
struct Evict(PathBuf);

/// A file of a set in an object store.
#[derive(Debug)]
pub struct RemoteFile {
    store: Arc<dyn ObjectStore>,
    path: ObjectPath,
    /// Location of the file, for messages.
    location: String,
    hash: Arc<str>,
    bytes: u64,
    /// Hash of each block; empty if the manifest has none.
    hashes: Vec<String>,
    blocks: Arc<Blocks>,
    /// The runtime on which store requests run.
    runtime: Handle,
}

impl Weighter<BlockKey, u64> for Weight {
    fn weight(&self, _: &BlockKey, bytes: &u64) -> u64 {
        *bytes
    }
}

impl Lifecycle<BlockKey, u64> for Evict {
    type RequestState = ();

    fn on_evict(&self, (): &mut (), key: BlockKey, _: u64) {
        // A reader that misses the file fetches the block again.
        let _ = fs::remove_file(block_path(&self.0, &key));
    }
}

fn block_path(folder: &Path, (hash, number): &BlockKey) -> PathBuf {
    folder.join(format!("{hash}.{number}"))
}

impl Blocks {
    /// Opens the block cache in a folder, which is created if missing; blocks of earlier runs are reused.
    ///
    /// # Errors
    /// A folder that cannot be created or listed.
    pub fn open(folder: &Path, most_bytes: u64) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let items = (most_bytes / BLOCK_BYTES).max(16) as usize;
        let evict = Evict(folder.to_owned());
        let cached = Cache::with(items, most_bytes, Weight, DefaultHashBuilder::default(), evict);
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            // Another process that uses the folder may remove a block at any moment.
            let Ok(stat) = entry.metadata() else { continue };
            match entry.file_name().to_str().and_then(key_of) {
                Some(key) => cached.insert(key, stat.len()),
                // A partial file of a killed process.
                None => drop(fs::remove_file(entry.path())),
            }
        }
        let (folder, last_error) = (folder.to_owned(), Mutex::default());
        Ok(Self { folder, cached, failures: AtomicU64::new(0), last_error })
    }

    /// Returns the number of failed fetches of blocks.
    pub(super) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Returns the text of the last failure; empty if no fetch has failed.
    pub(super) fn last_failure(&self) -> String {
        self.last_error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn record_failure(&self, why: String) {
        *self.last_error.lock().unwrap_or_else(PoisonError::into_inner) = why;
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the bytes of a block, from the cache or the store. If several callers want the same block at once, one of them fetches it.
    fn get(&self, key: &BlockKey, fetch: impl Fn() -> io::Result<Bytes>) -> io::Result<Bytes> {
        let path = block_path(&self.folder, key);
        match self.cached.get_value_or_guard(key, None) {
            GuardResult::Value(bytes) => match fs::read(&path) {
                Ok(read) if read.len() as u64 == bytes => Ok(read.into()),
                _ => {
                    let bytes = fetch()?;
                    let _ = write_block(&path, &bytes);
                    Ok(bytes)
                }
            },
            GuardResult::Guard(guard) => {
                let bytes = fetch()?;
                // A block that cannot be written, as on a full disk, is returned without being cached.
                if write_block(&path, &bytes).is_ok() {
                    let _ = guard.insert(bytes.len() as u64);
                }
                Ok(bytes)
            }
            GuardResult::Timeout => fetch(),
        }
    }
}

fn key_of(name: &str) -> Option<BlockKey> {
    let (hash, number) = name.split_once('.')?;
    Some((hash.into(), number.parse().ok()?))
}

/// Computes the hash of each block of a local file, as a manifest lists them.
pub(super) fn block_hashes(path: &Path) -> io::Result<Vec<String>> {
    let mut file = fs::File::open(path)?;
    let (mut hashes, mut block) = (Vec::new(), Vec::with_capacity(BLOCK_BYTES as usize));
    loop {
        block.clear();
        if (&mut file).take(BLOCK_BYTES).read_to_end(&mut block)? == 0 {
            return Ok(hashes);
        }
        hashes.push(block_hash(&block));
    }
}

/// Returns BLAKE3 of a block, cut to half its length because a manifest has one for each MiB.
fn block_hash(block: &[u8]) -> String {
    const DIGITS: usize = 32;
    blake3::hash(block).to_hex().chars().take(DIGITS).collect()
}

/// Reads the body of a reply, up to `most` bytes.
pub(super) async fn read_body(reply: GetResult, most: u64) -> object_store::Result<Bytes> {
    let mut parts = reply.into_stream();
    let mut bytes = BytesMut::new();
    while let Some(part) = parts.try_next().await? {
        if (bytes.len() + part.len()) as u64 > most {
            let source = format!("it sent more than the {most} bytes that can be").into();
            return Err(object_store::Error::Generic { store: "reply", source });
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes.freeze())
}

/// Writes a block to a temporary file and renames it, so that no reader sees an incomplete block.
fn write_block(path: &Path, bytes: &Bytes) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new().prefix("half-").tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.persist(path).map(drop).map_err(|error| error.error)
}

impl RemoteFile {
    /// Creates a remote file with its hash and length; it has no block hashes yet.
    pub(super) fn new(
        store: Arc<dyn ObjectStore>,
        path: ObjectPath,
        (hash, bytes): (&str, u64),
        blocks: Arc<Blocks>,
        (runtime, location): (Handle, String),
    ) -> Self {
        Self { store, path, location, hash: hash.into(), bytes, hashes: Vec::new(), blocks, runtime }
    }

    /// Adds the hash of each block, from the manifest.
    #[must_use]
    pub(super) fn with_hashes(self, hashes: Vec<String>) -> Self {
        Self { hashes, ..self }
    }

    /// BLAKE3 of its bytes, hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Its length in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Its path in the store.
    pub(super) fn path(&self) -> &str {
        self.path.as_ref()
    }

    /// Its location, for messages.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Reads bytes from an offset, up to the end of their block.
    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset >= self.bytes || buffer.is_empty() {
            return Ok(0);
        }
        let number = offset / BLOCK_BYTES;
        let start = number * BLOCK_BYTES;
        let key = (Arc::clone(&self.hash), number as u32);
        let end = (start + BLOCK_BYTES).min(self.bytes);
        let block = self.blocks.get(&key, || self.fetch(start..end, self.hashes.get(number as usize)))?;
        let available = block.get((offset - start) as usize..).unwrap_or_default();
        let read = available.len().min(buffer.len());
        let (Some(into), Some(from)) = (buffer.get_mut(..read), available.get(..read)) else { return Ok(0) };
        into.copy_from_slice(from);
        Ok(read)
    }

    /// Fetches a range, compares it with `hash` if there is one, and counts a failure. A missing file is not counted.
    fn fetch(&self, range: std::ops::Range<u64>, hash: Option<&String>) -> io::Result<Bytes> {
        let start = range.start;
        let fetched = self.fetch_range(range).and_then(|bytes| match hash {
            Some(hash) if *hash != block_hash(&bytes) => {
                let why = format!("the bytes from {start} on are not those that were published");
                Err(io::Error::new(io::ErrorKind::InvalidData, why))
            }
            _ => Ok(bytes),
        });
        if let Err(error) = &fetched
            && error.kind() != io::ErrorKind::NotFound
        {
            self.blocks.record_failure(format!("{}: {error}", self.location));
        }
        fetched
    }

    /// Fetches a range of bytes. The call blocks its thread, and the runtime moves the other tasks of that thread to others.
    fn fetch_range(&self, range: std::ops::Range<u64>) -> io::Result<Bytes> {
        let (send, receive) = sync_channel(1);
        let (store, path, length) = (Arc::clone(&self.store), self.path.clone(), range.end - range.start);
        self.runtime.spawn(async move {
            let options = GetOptions::new().with_range(Some(range));
            let body = async { read_body(store.get_opts(&path, options).await?, length).await };
            let _gone = send.send(tokio::time::timeout(READ_TIMEOUT, body).await);
        });
        let reply = blocking::wait(|| receive.recv()).map_err(io::Error::other)?;
        let store_error = |error: object_store::Error| match error {
            object_store::Error::NotFound { .. } => io::Error::new(io::ErrorKind::NotFound, error),
            error => io::Error::other(error),
        };
        let bytes = reply.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?.map_err(store_error)?;
        if bytes.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use object_store::ObjectStoreExt as _;
    use object_store::memory::InMemory;

    use super::*;

    /// Bytes that encode their offset.
    fn bytes(blocks: u64) -> Vec<u8> {
        (0..blocks * BLOCK_BYTES / 8).flat_map(u64::to_le_bytes).collect()
    }

    #[test]
    fn blocks_of_one_file_that_are_cached_at_once_do_not_mix() {
        const BLOCKS: u64 = 8;
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (store, path) = (Arc::new(InMemory::new()), ObjectPath::from("x.parquet"));
        let all = bytes(BLOCKS);
        runtime.block_on(store.put(&path, all.clone().into())).unwrap();
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let read = |cached: Blocks, number: u64| {
                let named = ("0123", all.len() as u64);
                let (store, handle) = (Arc::clone(&store) as Arc<dyn ObjectStore>, runtime.handle().clone());
                let file =
                    RemoteFile::new(store, path.clone(), named, Arc::new(cached), (handle, String::new()));
                let mut read = vec![0; BLOCK_BYTES as usize];
                assert_eq!(file.read_at(&mut read, number * BLOCK_BYTES).unwrap(), read.len());
                read
            };
            let open = || Blocks::open(folder.path(), 1 << 30).unwrap();
            // Each thread has its own view of the folder, as two servers of one machine have.
            let views: Vec<Blocks> = (0..BLOCKS).map(|_| open()).collect();
            std::thread::scope(|scope| {
                for (number, view) in views.into_iter().enumerate() {
                    scope.spawn(move || read(view, number as u64));
                }
            });
            for number in 0..BLOCKS {
                let cached = fs::read(folder.path().join(format!("0123.{number}"))).unwrap();
                let start = (number * BLOCK_BYTES) as usize;
                assert!(
                    cached == all[start..start + BLOCK_BYTES as usize],
                    "block {number} holds other bytes"
                );
            }
        }
    }
}
