//! A download in progress: its bytes so far, and a note file.
//!
//! The note makes every step repeatable after a kill: first it records the URL and the version of the bytes, then that they are
//! complete, and last the manifest line to write, with the path of the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::folders::write_whole;
use super::manifest::ManifestLine;

/// The requested file and the time of the request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RequestedFile {
    pub(crate) source: String,
    pub(crate) item: String,
    /// The URL without a key.
    pub(crate) url: String,
    pub(crate) at: DateTime<Utc>,
}

/// Facts about the file from the headers of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReplyHeaders {
    pub(crate) status: u16,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    /// Total length in bytes; `None` if the host did not state it.
    pub(crate) length: Option<u64>,
}

/// The note of a download: the requested file, the version of its bytes, and the progress.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DownloadNote {
    #[serde(flatten)]
    pub(crate) file: RequestedFile,
    #[serde(flatten)]
    pub(crate) headers: ReplyHeaders,
    /// True if all bytes were received.
    pub(crate) complete: bool,
    /// The manifest line to write; `None` before the outcome is determined.
    pub(crate) line: Option<ManifestLine>,
}

impl ReplyHeaders {
    /// Returns the validator for a range request: a strong ETag, otherwise the Last-Modified date; `None` without both.
    pub(crate) fn validator(&self) -> Option<&str> {
        let strong = self.etag.as_deref().filter(|etag| !etag.starts_with("W/") && !etag.is_empty());
        strong.or(self.last_modified.as_deref())
    }
}

/// A download in progress.
#[derive(Debug)]
pub(crate) struct PartialDownload {
    /// Path of the bytes so far.
    bytes_path: PathBuf,
    note_path: PathBuf,
    note: Option<DownloadNote>,
    file: Option<File>,
    length: u64,
}

impl PartialDownload {
    /// Opens the download of one file of a source. Bytes of an earlier run from another URL, or without a validator, are ignored.
    pub(crate) fn open(folder: &Path, (source, item): (&str, &str), url: &str) -> Self {
        let name = blake3::hash(format!("{source}\n{item}").as_bytes()).to_hex();
        let note_path = folder.join(format!("{}.json", name.as_str().get(..24).unwrap_or_default()));
        let mut download = Self::from_note(note_path);
        let is_resumable = download.note.as_ref().is_some_and(|note| {
            note.file.url == url
                && !note.complete
                && note.line.is_none()
                && note.headers.validator().is_some()
        });
        if !is_resumable || download.length == 0 {
            download.note = None;
            download.length = 0;
        }
        download
    }

    /// Opens the download with a note at a path.
    pub(crate) fn from_note(note_path: PathBuf) -> Self {
        let bytes_path = note_path.with_extension("part");
        let note = fs::read(&note_path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let length = fs::metadata(&bytes_path).map_or(0, |metadata| metadata.len());
        Self { bytes_path, note_path, note, file: None, length }
    }

    /// Opens all downloads in a folder, ordered by the paths of their notes.
    pub(crate) fn all(folder: &Path) -> io::Result<Vec<Self>> {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        paths.sort();
        Ok(paths.into_iter().map(Self::from_note).collect())
    }

    pub(crate) const fn note(&self) -> Option<&DownloadNote> {
        self.note.as_ref()
    }

    /// Returns the path of the bytes.
    pub(crate) fn path(&self) -> &Path {
        &self.bytes_path
    }

    /// Returns the number of bytes so far.
    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// Returns the offset at which the download may resume, and its validator; `None` if it starts from the beginning.
    pub(crate) fn resume(&self) -> Option<(u64, String)> {
        let note = self.note.as_ref().filter(|_| self.length > 0)?;
        Some((self.length, note.headers.validator()?.to_owned()))
    }

    /// Starts from the beginning.
    pub(crate) fn begin(&mut self, note: DownloadNote) -> io::Result<()> {
        // Bytes of an earlier version are deleted before the note names this one.
        self.file = Some(File::create(&self.bytes_path)?);
        self.length = 0;
        self.write_note(note)
    }

    /// Continues after the bytes so far.
    pub(crate) fn continue_download(&mut self) -> io::Result<()> {
        self.file = Some(OpenOptions::new().append(true).open(&self.bytes_path)?);
        Ok(())
    }

    /// Appends bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = self.file.as_mut().ok_or_else(|| io::Error::other("the download is not open"))?;
        file.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Marks the download as complete, with all bytes durable.
    pub(crate) fn complete(&mut self) -> io::Result<()> {
        if let Some(file) = self.file.take() {
            file.sync_all()?;
        } else {
            // A download that was complete before a kill may not be durable.
            File::options().write(true).open(&self.bytes_path)?.sync_all()?;
        }
        match self.note.clone() {
            Some(mut note) => {
                (note.complete, note.headers.length) = (true, Some(self.length));
                self.write_note(note)
            }
            None => Err(io::Error::other("the download has no note")),
        }
    }

    /// Records the outcome in the note, so that the remaining steps can be repeated.
    pub(crate) fn record_outcome(&mut self, line: ManifestLine) -> io::Result<()> {
        match self.note.clone() {
            Some(note) => self.write_note(DownloadNote { line: Some(line), ..note }),
            None => Err(io::Error::other("the download has no note")),
        }
    }

    /// Deletes the bytes, then the note: bytes without a note would never be deleted.
    pub(crate) fn discard(&mut self) -> io::Result<()> {
        self.file = None;
        self.length = 0;
        self.note = None;
        for path in [&self.bytes_path, &self.note_path] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn write_note(&mut self, note: DownloadNote) -> io::Result<()> {
        let text = serde_json::to_vec(&note).map_err(io::Error::other)?;
        write_whole(&self.note_path, &text)?;
        self.note = Some(note);
        Ok(())
    }
}
