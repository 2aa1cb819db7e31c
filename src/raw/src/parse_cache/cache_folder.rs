//! A folder with the cache of each raw file, named by a hash of the raw file's name.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use xxhash_rust::xxh3::xxh3_128;

use crate::files::source::RawSource;
use crate::parse_cache::cache_file::{self, CacheFileWriter, Pieces};
use parquote_catalogue::operation::Market;

/// The version of the parser: a hash over its code.
const PARSER: &str = env!("PARQUOTE_FIGURES");

/// The parse cache of one kind of files.
pub(crate) struct ParseCache {
    /// `None` if nothing is cached.
    folder: Option<PathBuf>,
    market: Market,
}

/// Writes a raw file to the cache, piece by piece.
pub(crate) struct CacheWriter(Option<CacheFileWriter>);

impl ParseCache {
    /// Opens the cache in a folder, which is created; without a folder, nothing is cached.
    pub(crate) fn open(folder: Option<&Path>, market: Market) -> Self {
        let created = folder.and_then(|folder| match fs::create_dir_all(folder) {
            Ok(()) => Some(folder.to_owned()),
            Err(error) => {
                warn(folder, &error.into());
                None
            }
        });
        Self { folder: created, market }
    }

    /// Returns the folder; `None` if nothing is cached.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns the pieces of a raw file, if its current version is cached.
    pub(crate) fn pieces(&self, source: &RawSource) -> Option<Pieces> {
        cache_file::open(&self.path(source)?, &self.version(source)?)
    }

    /// Returns a writer for a raw file, which writes nothing if nothing is cached.
    pub(crate) fn writer(&self, source: &RawSource) -> CacheWriter {
        let target = self.path(source).zip(self.version(source));
        CacheWriter(target.map(|(path, version)| CacheFileWriter::new(path, version)))
    }

    /// Removes the cache files of raw files that are gone.
    pub(crate) fn sweep(&self, sources: &[&RawSource]) {
        let Some(Ok(entries)) = self.folder.as_ref().map(fs::read_dir) else { return };
        let used: HashSet<String> = sources.iter().map(|source| cache_name(source)).collect();
        for path in entries.flatten().map(|entry| entry.path()) {
            let is_used =
                path.file_name().and_then(|name| name.to_str()).is_some_and(|name| used.contains(name));
            if !is_used {
                // A file that cannot be removed is useless and harmless.
                fs::remove_file(&path).ok();
            }
        }
    }

    fn path(&self, source: &RawSource) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(cache_name(source)))
    }

    fn version(&self, source: &RawSource) -> Option<String> {
        Some(format!("{PARSER} {} {:?}", self.market, source.version()?))
    }
}

fn cache_name(source: &RawSource) -> String {
    format!("{:032x}.arrow", xxh3_128(source.name.as_bytes()))
}

impl CacheWriter {
    /// Returns true if it writes a file.
    pub(crate) const fn is_writing(&self) -> bool {
        self.0.is_some()
    }

    /// Adds a piece; if that fails, the file is not cached.
    pub(crate) fn write(&mut self, piece: Result<RecordBatch, ArrowError>) {
        let Some(writer) = &mut self.0 else { return };
        if let Err(error) = piece.and_then(|piece| writer.write(&piece)) {
            warn(Path::new(""), &error);
            self.0 = None;
        }
    }

    /// Discards the pieces so far: the file is not cached.
    pub(crate) fn give_up(&mut self) {
        self.0 = None;
    }

    /// Adds the finished file to the cache.
    pub(crate) fn finish(self) {
        if let Some(Err(error)) = self.0.map(CacheFileWriter::finish) {
            warn(Path::new(""), &error);
        }
    }
}

fn warn(folder: &Path, error: &ArrowError) {
    let folder = folder.display();
    tracing::warn!(%folder, %error, "parsed files cannot be cached; the next derivation parses them again");
}
