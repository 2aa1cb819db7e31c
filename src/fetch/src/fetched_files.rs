//! Moves a fetched file to its final path and adds it to the manifest, in steps that survive a kill in between.
//!
//! The order is: the download note records the outcome; the file is renamed to its final path; the line is added to the manifest;
//! the note is deleted. The next start completes the remaining steps without repeating a request.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};

use super::error::FetchError;
use super::folders::{FilesOnDisk, Folders, sync_folder};
use super::known_files::KnownFiles;
use super::manifest::{Manifest, ManifestLine};
use super::outcome::FetchOutcome;
use super::partial_download::PartialDownload;
use super::source::Source;
use super::source_catalogue::SourceCatalogue;
use parquote_catalogue::operation::Market;

/// The age at which an incomplete download is deleted.
const DOWNLOAD_LIFETIME: TimeDelta = TimeDelta::days(30);

/// The fetched files and the manifest.
#[derive(Debug)]
pub(crate) struct FetchedFiles {
    folders: Folders,
    manifest: Manifest,
    on_disk: BTreeMap<Market, FilesOnDisk>,
}

impl FetchedFiles {
    /// Reads the manifest and the names of the files on disk.
    pub(crate) fn open(folders: &Folders) -> Result<Self, FetchError> {
        let mut on_disk = BTreeMap::new();
        for market in Market::ALL {
            on_disk.insert(market, folders.files_on_disk(market)?);
        }
        Ok(Self { folders: folders.clone(), manifest: Manifest::open(folders.manifest())?, on_disk })
    }

    /// Returns a view of the files and the manifest at the time `now`.
    pub(crate) fn known_files<'a>(
        &'a self,
        sources: &'a SourceCatalogue,
        now: DateTime<Utc>,
        again: bool,
    ) -> KnownFiles<'a> {
        KnownFiles {
            catalogue: sources,
            folders: &self.folders,
            manifest: &self.manifest,
            files_on_disk: &self.on_disk,
            now,
            again,
        }
    }

    /// Completes the steps that a kill interrupted; returns complete downloads that were not checked yet.
    pub(crate) fn recover(&mut self, now: DateTime<Utc>) -> Result<Vec<PartialDownload>, FetchError> {
        let folder = self.folders.parts();
        let downloads = PartialDownload::all(&folder).map_err(FetchError::of_file("cannot read", folder))?;
        let mut complete = Vec::new();
        for mut download in downloads {
            match download.note().cloned() {
                Some(note) if note.line.is_some() => {
                    if let Some(line) = note.line {
                        self.move_into_place(&mut download, line, None)?;
                    }
                }
                Some(note) if note.complete && download.path().is_file() => complete.push(download),
                Some(note) if !note.complete && now - note.file.at < DOWNLOAD_LIFETIME => {}
                _ => discard(&mut download)?,
            }
        }
        Ok(complete)
    }

    /// Finishes a download: records the line in the note, moves the file, and adds the line to the manifest.
    pub(crate) fn finish_download(
        &mut self,
        download: &mut PartialDownload,
        line: ManifestLine,
        source: &Source,
    ) -> Result<(), FetchError> {
        let path = download.path().to_owned();
        with_path(&path, download.record_outcome(line.clone()))?;
        self.move_into_place(download, line, Some(source))
    }

    /// Adds a line to the manifest for a request without a file.
    pub(crate) fn add(&mut self, line: ManifestLine) -> Result<(), FetchError> {
        self.manifest.add(line)
    }

    fn move_into_place(
        &mut self,
        download: &mut PartialDownload,
        line: ManifestLine,
        source: Option<&Source>,
    ) -> Result<(), FetchError> {
        if line.outcome == FetchOutcome::Ok && download.path().is_file() {
            let to = self.final_path(&line);
            with_path(&to, move_into(download.path(), &to))?;
            self.index_line(&line);
        }
        if !self.manifest.has(&line) {
            let (source_name, item) = (line.source.clone(), line.item.clone());
            self.manifest.add(line)?;
            if let Some(keep) = source.and_then(|source| source.keep) {
                self.delete_older_copies(&source_name, &item, keep)?;
            }
        }
        discard(download)
    }

    /// Returns the final path of the file of a line: below `raw/`, or in the fetcher's folder of pages.
    fn final_path(&self, line: &ManifestLine) -> PathBuf {
        match &line.path {
            Some(path) => self.folders.raw().join(path),
            None => self.folders.page(&line.source, &line.item),
        }
    }

    fn index_line(&mut self, line: &ManifestLine) {
        let Some((market, name)) = line.path.as_deref().and_then(|path| {
            let market: Market = path.split('/').next()?.parse().ok()?;
            Some((market, path.rsplit('/').next()?))
        }) else {
            return;
        };
        self.on_disk.entry(market).or_default().add(name);
    }

    /// Deletes all but the newest `keep` copies of a snapshot; only files in the manifest are deleted.
    fn delete_older_copies(&self, source: &str, item: &str, keep: usize) -> Result<(), FetchError> {
        let copies = self.manifest.lines_for(source, item).filter(|line| line.outcome == FetchOutcome::Ok);
        for path in copies.filter_map(|line| line.path.as_deref()).skip(keep) {
            let path = self.folders.raw().join(path);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => with_path(&path, Err(error))?,
                _ => {}
            }
        }
        Ok(())
    }
}

fn discard(download: &mut PartialDownload) -> Result<(), FetchError> {
    let path = download.path().to_owned();
    with_path(&path, download.discard())
}

fn with_path(path: &Path, outcome: io::Result<()>) -> Result<(), FetchError> {
    outcome.map_err(FetchError::of_file("cannot write", path))
}

/// Renames a file, and syncs both folders.
fn move_into(from: &Path, to: &Path) -> io::Result<()> {
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder)?;
    fs::rename(from, to)?;
    // The new name is synced first: a kill in between leaves two names instead of none.
    sync_folder(folder)?;
    from.parent().map_or(Ok(()), sync_folder)
}
