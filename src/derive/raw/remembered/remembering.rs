//! Adds to what a folder remembers: pieces at the end of the file of pieces, then an index that names them.
//!
//! Bytes that an index may name are never written over while the folder is another derivation's: whoever writes locks the
//! file of pieces, and who finds it locked remembers nothing. An index that is left with other pieces than its own names
//! hashes that they do not have.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::index::{Index, KnownFile, KnownSymbol, Place};
use super::{Origin, PIECES, PieceBytes, Remembered};
use crate::derive::raw::files::Source;
use crate::derive::raw::read_faults::Ending;
use crate::derive::raw::refused::RefusedRows;

/// Remembers the pieces of one reading.
pub(crate) struct Remembering<'a> {
    of: &'a Remembered,
    /// None where nothing is remembered, or nothing can be.
    pieces: Option<File>,
    /// The length of the file of pieces.
    end: u64,
    files: BTreeMap<u32, KnownFile>,
}

impl<'a> Remembering<'a> {
    pub(crate) fn begin(of: &'a Remembered) -> Self {
        let opened = of.folder.as_deref().map(|folder| open(folder, of.files.is_empty())).transpose();
        let opened = opened.unwrap_or_else(|error| complain(of.folder.as_deref(), &error)).flatten();
        let (pieces, end) = opened.map_or((None, 0), |(pieces, end)| (Some(pieces), end));
        Self { of, pieces, end, files: BTreeMap::new() }
    }

    /// Remembers a piece as the next one of its file, with how many rows it has, which of them are refused, and how the file ends.
    pub(crate) fn add(
        &mut self,
        source: &Source,
        origin: &Origin,
        rows: (u64, &RefusedRows),
        ending: &Ending,
    ) {
        let Some(stamp) = source.stamp().filter(|_| self.pieces.is_some()) else { return };
        let place = match origin {
            Origin::Remembered(place) => Some(place.clone()),
            // A file that cannot be read whole is not remembered, so that the next reading finds the same.
            Origin::Read(_) if matches!(ending, Ending::Fault(_)) => None,
            Origin::Read(bytes) => bytes.as_ref().and_then(|bytes| self.append(bytes, rows, ending)),
        };
        let seen = || KnownFile { name: source.name.clone(), stamp, pieces: Some(Vec::new()) };
        let file = self.files.entry(source.rank).or_insert_with(seen);
        match (place, &mut file.pieces) {
            (Some(place), Some(pieces)) => pieces.push(place),
            // A file that lacks a piece is only seen.
            (None, pieces) => *pieces = None,
            (Some(_), None) => {}
        }
    }

    fn append(
        &mut self,
        piece: &PieceBytes,
        (read, refused): (u64, &RefusedRows),
        ending: &Ending,
    ) -> Option<Place> {
        let PieceBytes { bytes, hash } = piece;
        if let Err(error) = self.pieces.as_mut()?.write_all(bytes) {
            complain::<()>(self.of.folder.as_deref(), &error);
            self.pieces = None;
            return None;
        }
        let (at, length) = (self.end, bytes.len() as u64);
        self.end += length;
        let (hash, refused, is_open) = (hash.clone(), refused.counts().clone(), *ending == Ending::Open);
        Some(Place { at, bytes: length, hash, read, refused, is_open })
    }

    /// Puts the index in place; `symbols` are all that pieces number.
    pub(crate) fn finish(self, symbols: Vec<KnownSymbol>) {
        let (Some(folder), Some(pieces)) = (&self.of.folder, &self.pieces) else { return };
        let files: Vec<KnownFile> = self.files.into_values().collect();
        let used: u64 =
            files.iter().flat_map(|file| file.pieces.iter().flatten()).map(|place| place.bytes).sum();
        let outcome = if used < self.end / 3 {
            // Two thirds of the pieces are of no use any more: the next reading begins anew.
            Index::remove(folder).and_then(|()| pieces.set_len(0))
        } else {
            Index::new(self.of.as_of, symbols, files).write(folder)
        };
        if let Err(error) = outcome {
            complain::<()>(Some(folder), &error);
        }
    }
}

/// The file of pieces and its length, emptied where nothing in it is of use; none where another derivation has it.
fn open(folder: &Path, is_anew: bool) -> io::Result<Option<(File, u64)>> {
    fs::create_dir_all(folder)?;
    let pieces = OpenOptions::new().create(true).append(true).open(folder.join(PIECES))?;
    if pieces.try_lock().is_err() {
        return Ok(None);
    }
    if is_anew {
        pieces.set_len(0)?;
    }
    let end = pieces.metadata()?.len();
    Ok(Some((pieces, end)))
}

fn complain<T>(folder: Option<&Path>, error: &io::Error) -> Option<T> {
    let folder = folder.unwrap_or(Path::new("")).display();
    tracing::warn!(%folder, %error, "what files gave cannot be remembered; the next derivation reads them again");
    None
}
