//! The cache of one raw file: a stream of Arrow IPC, with a batch per piece of the file, followed by a hash of all preceding bytes.
//!
//! The schema has the versions of the raw file and of the code. The file is written under a temporary name and renamed, so that no reader
//! finds a partial one.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Take, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;
use xxhash_rust::xxh3::Xxh3;

/// The key of the version in the schema's metadata.
const VERSION: &str = "version";

const HASH_BYTES: u64 = 16;

/// Maximum number of bytes per read.
const BLOCK: usize = 1 << 20;

/// The pieces in a file, in their order.
pub(super) type Pieces = StreamReader<BufReader<Take<File>>>;

/// Opens the pieces in a file, if it is intact and of this version.
pub(super) fn open(path: &Path, version: &str) -> Option<Pieces> {
    let mut file = File::open(path).ok()?;
    let bytes = file.metadata().ok()?.len().checked_sub(HASH_BYTES)?;
    if hash(&mut file, bytes).ok()? != stored_hash(&mut file).ok()? {
        return None;
    }
    file.seek(SeekFrom::Start(0)).ok()?;
    let capacity = usize::try_from(bytes).ok()?.min(BLOCK);
    let reader = StreamReader::try_new(BufReader::with_capacity(capacity, file.take(bytes)), None).ok()?;
    let is_same = reader.schema().metadata().get(VERSION).is_some_and(|cached| cached == version);
    is_same.then_some(reader)
}

/// Returns the hash of the first `bytes` bytes.
fn hash(file: &mut File, bytes: u64) -> io::Result<u128> {
    let mut hasher = Xxh3::new();
    let mut block = vec![0; usize::try_from(bytes).unwrap_or(BLOCK).min(BLOCK)];
    let mut rest = file.take(bytes);
    loop {
        let read = rest.read(&mut block)?;
        if read == 0 {
            return Ok(hasher.digest128());
        }
        hasher.update(block.get(..read).unwrap_or_default());
    }
}

/// Reads the hash at the end of the file.
fn stored_hash(file: &mut File) -> io::Result<u128> {
    let mut bytes = [0; HASH_BYTES as usize];
    file.read_exact(&mut bytes)?;
    Ok(u128::from_le_bytes(bytes))
}

/// Writes the pieces of a raw file; an unfinished file is removed.
pub(super) struct CacheFileWriter {
    path: PathBuf,
    temporary_path: PathBuf,
    version: String,
    stream: Option<StreamWriter<HashingWriter>>,
}

/// A file whose bytes are hashed as they are written.
struct HashingWriter {
    file: BufWriter<File>,
    hasher: Xxh3,
}

impl Write for HashingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl CacheFileWriter {
    /// Builds a writer of the file at a path.
    pub(super) fn new(path: PathBuf, version: String) -> Self {
        let temporary_path = path.with_extension(format!("{}.aside", std::process::id()));
        Self { path, temporary_path, version, stream: None }
    }

    pub(super) fn write(&mut self, piece: &RecordBatch) -> Result<(), ArrowError> {
        if self.stream.is_none() {
            let metadata = [(VERSION.to_owned(), self.version.clone())].into();
            let schema = Arc::unwrap_or_clone(piece.schema()).with_metadata(metadata);
            let file = HashingWriter {
                file: BufWriter::new(File::create(&self.temporary_path)?),
                hasher: Xxh3::new(),
            };
            self.stream = Some(StreamWriter::try_new(file, &schema)?);
        }
        self.stream.as_mut().map_or(Ok(()), |stream| stream.write(piece))
    }

    /// Completes the file and renames it to its final name.
    pub(super) fn finish(mut self) -> Result<(), ArrowError> {
        let Some(stream) = self.stream.take() else { return Ok(()) };
        let mut hashed = stream.into_inner()?;
        let hash = hashed.hasher.digest128().to_le_bytes();
        hashed.file.write_all(&hash)?;
        hashed.file.flush()?;
        Ok(fs::rename(&self.temporary_path, &self.path)?)
    }
}

impl Drop for CacheFileWriter {
    fn drop(&mut self) {
        if self.stream.take().is_some() {
            // An unfinished file is useless; if it cannot be removed, it is harmless.
            fs::remove_file(&self.temporary_path).ok();
        }
    }
}
