//! The manifest: one line for each request with its outcome, in a file to which lines are only appended.
//!
//! A line is written after its file has its final path. No line contains a key: URLs have `{key}` instead.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use super::error::FetchError;
use super::outcome::FetchOutcome;

/// A request and its outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestLine {
    /// Time of the request; the time of capture of a rolling file.
    pub at: DateTime<Utc>,
    /// Name of the source.
    pub source: String,
    /// The file: a date, a name, or `-` for the only one.
    pub item: String,
    /// The URL without a key.
    pub url: String,
    /// The status of the reply; `None` without a reply.
    pub status: Option<u16>,
    /// The outcome.
    pub outcome: FetchOutcome,
    /// The reason, in words; empty if the outcome needs none.
    #[serde(default)]
    pub why: String,
    /// True if the host replied completely, so that the request is not repeated soon.
    pub answered: bool,
    /// True if the file is not requested again automatically.
    #[serde(default)]
    pub settled: bool,
    /// Bytes of the file; 0 without a file.
    #[serde(default)]
    pub bytes: u64,
    /// BLAKE3 of the file, hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blake3: Option<String>,
    /// The ETag of the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The Last-Modified header, as the host writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// The date inside the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dated: Option<NaiveDate>,
    /// Number of rows of the file after its header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Path of the file below `raw/`; `None` if no file was saved there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl ManifestLine {
    /// Creates a line about the file `item` of a source, without facts of a received file.
    pub(crate) fn new(
        at: DateTime<Utc>,
        (source, item): (&str, &str),
        url: &str,
        outcome: FetchOutcome,
    ) -> Self {
        Self {
            at,
            source: source.to_owned(),
            item: item.to_owned(),
            url: url.to_owned(),
            outcome,
            answered: true,
            ..Self::default()
        }
    }
}

/// All lines, and the file to which new ones are appended.
#[derive(Debug)]
pub(crate) struct Manifest {
    path: PathBuf,
    /// `None` until a line is added.
    file: Option<File>,
    lines: Vec<ManifestLine>,
    /// Indexes into `lines` by source and item, oldest first.
    by_item: HashMap<(String, String), Vec<usize>>,
}

impl Manifest {
    /// Reads the lines. An incomplete last line is ignored.
    pub(crate) fn open(path: PathBuf) -> Result<Self, FetchError> {
        let text = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(FetchError::of_file("cannot read", path)(error)),
        };
        let mut manifest = Self { path, file: None, lines: Vec::new(), by_item: HashMap::new() };
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(line) => manifest.index_line(line),
                Err(error) => {
                    tracing::warn!(%error, "a line of the manifest of fetched files cannot be read");
                }
            }
        }
        Ok(manifest)
    }

    fn index_line(&mut self, line: ManifestLine) {
        let key = (line.source.clone(), line.item.clone());
        self.by_item.entry(key).or_default().push(self.lines.len());
        self.lines.push(line);
    }

    /// Appends a line durably.
    pub(crate) fn add(&mut self, line: ManifestLine) -> Result<(), FetchError> {
        let text = serde_json::to_string(&line).map_err(io::Error::other);
        let path = self.path.clone();
        let wrap = || FetchError::of_file("cannot write", path.clone());
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(open_for_append(&path).map_err(wrap())?),
        };
        let text = text.map_err(wrap())? + "\n";
        file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).map_err(wrap())?;
        self.index_line(line);
        Ok(())
    }

    /// Returns true if this line has already been written.
    pub(crate) fn has(&self, line: &ManifestLine) -> bool {
        self.lines_for(&line.source, &line.item)
            .any(|other| other.at == line.at && other.outcome == line.outcome)
    }

    /// Returns the lines of a file, newest first.
    pub(crate) fn lines_for(&self, source: &str, item: &str) -> impl Iterator<Item = &ManifestLine> {
        let positions = self.by_item.get(&(source.to_owned(), item.to_owned()));
        positions.into_iter().flatten().rev().filter_map(|position| self.lines.get(*position))
    }

    /// Returns the newest line of a file whose request was answered.
    pub(crate) fn newest_answered(&self, source: &str, item: &str) -> Option<&ManifestLine> {
        self.lines_for(source, item).find(|line| line.answered)
    }

    /// Returns the newest line of a file with a good outcome.
    pub(crate) fn newest_good(&self, source: &str, item: &str) -> Option<&ManifestLine> {
        self.lines_for(source, item).find(|line| line.outcome.is_good())
    }

    /// Returns all lines of a source, oldest first.
    pub(crate) fn lines_of_source<'a>(
        &'a self,
        source: &'a str,
    ) -> impl DoubleEndedIterator<Item = &'a ManifestLine> {
        self.lines.iter().filter(move |line| line.source == source)
    }
}

/// Opens the file for appending after its last complete line.
fn open_for_append(path: &PathBuf) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
    let bytes = fs::read(path)?;
    let complete_bytes = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    file.set_len(complete_bytes as u64)?;
    drop(file);
    OpenOptions::new().append(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(second: u32, outcome: FetchOutcome) -> ManifestLine {
        let at = DateTime::from_timestamp(i64::from(second), 0).unwrap();
        let line = ManifestLine::new(at, ("a", "2026-07-08"), "https://example.com/{key}", outcome);
        ManifestLine { status: Some(200), answered: outcome != FetchOutcome::Failed, bytes: 1, ..line }
    }

    #[test]
    fn a_truncated_line_is_ignored_and_harms_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.jsonl");
        let mut manifest = Manifest::open(path.clone()).unwrap();
        manifest.add(line(1, FetchOutcome::Ok)).unwrap();
        let mut text = fs::read(&path).unwrap();
        text.extend_from_slice(b"{\"at\":\"2026");
        fs::write(&path, &text).unwrap();
        let mut manifest = Manifest::open(path.clone()).unwrap();
        manifest.add(line(2, FetchOutcome::Failed)).unwrap();
        let manifest = Manifest::open(path).unwrap();
        assert_eq!(manifest.lines.len(), 2);
        assert!(manifest.has(&line(2, FetchOutcome::Failed)) && !manifest.has(&line(3, FetchOutcome::Ok)));
        let newest = manifest.newest_answered("a", "2026-07-08").unwrap();
        assert_eq!(newest.outcome, FetchOutcome::Ok, "what was not answered is looked over");
    }
}
