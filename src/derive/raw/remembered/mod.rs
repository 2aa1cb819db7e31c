//! What files of prices and statements gave when they were read before, so that a day more costs a day's reading.
//!
//! A folder remembers pieces of files as they came out of the reading: bars or figures, refused rows, ISINs. A piece serves
//! again only where reading its file would give the same: the file is as it was, the code and the as-of date are, and every
//! symbol in it is judged as it was; what else it takes is for the reader of its kind to say. Whatever is missing, damaged or
//! doubtful is read again, and nothing here is ever an error: the folder may be deleted at any time, and two derivations may
//! share it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use super::container::Stamp;
use super::files::Source;
use super::prices::PricePiece;
use super::screen::Verdict;

/// Whole numbers in as few bytes as they need.
mod packed;

/// A piece as bytes.
mod piece;

/// What is remembered, and where.
mod index;

/// Adds what is read for the first time.
mod remembering;

pub(crate) use index::{KnownSymbol, Place};
pub(crate) use packed::{Packer, Unpacker};
pub(crate) use piece::PieceBytes;
pub(crate) use remembering::Remembering;

use index::Index;

/// The file of pieces, one after the other.
const PIECES: &str = "pieces";

/// Where a piece is from.
#[derive(Debug)]
pub(crate) enum Origin {
    /// It was remembered.
    Remembered(Place),
    /// It was read; with the bytes to remember it by, if it is to be remembered.
    Read(Option<PieceBytes>),
}

/// What is remembered of files.
#[derive(Default)]
pub(crate) struct Remembered {
    /// None where nothing is to be remembered.
    folder: Option<PathBuf>,
    as_of: Option<NaiveDate>,
    index: Index,
    /// By name and stamp: the position in the index.
    files: HashMap<(String, Stamp), usize>,
}

/// One worker's hold on the pieces.
pub(crate) struct Memory<'a> {
    of: &'a Remembered,
    pieces: Option<File>,
    /// By number of a symbol: whether it is judged as it was.
    stands: &'a [bool],
}

impl Remembered {
    /// What a folder remembers of readings up to the same date.
    pub(crate) fn open(folder: Option<&Path>, as_of: Option<NaiveDate>) -> Self {
        let index = folder.and_then(|folder| Index::read(folder, as_of)).unwrap_or_default();
        let files = index.files.iter().enumerate();
        let files = files.map(|(position, file)| ((file.name.clone(), file.stamp), position)).collect();
        Self { folder: folder.map(Path::to_owned), as_of, index, files }
    }

    /// The symbols that remembered pieces number.
    pub(crate) fn symbols(&self) -> &[KnownSymbol] {
        &self.index.symbols
    }

    /// By number of a symbol: whether it is still judged as it was when files of this turn were read.
    pub(crate) fn stands(&self, turn: usize, judge: impl Fn(&str) -> Verdict) -> Vec<bool> {
        let symbols = self.index.symbols.iter();
        symbols
            .map(|known| known.verdicts.get(turn).is_some_and(|was| was == judge(&known.symbol).words()))
            .collect()
    }

    /// A hold on the pieces of one turn.
    pub(crate) fn memory<'a>(&'a self, stands: &'a [bool]) -> Memory<'a> {
        let pieces = self.folder.as_ref().filter(|_| !self.files.is_empty());
        Memory { of: self, pieces: pieces.and_then(|folder| File::open(folder.join(PIECES)).ok()), stands }
    }

    fn places(&self, source: &Source) -> &[Place] {
        let file = source.stamp().and_then(|stamp| self.files.get(&(source.name.clone(), stamp)));
        file.and_then(|position| self.index.files.get(*position))
            .and_then(|file| file.pieces.as_deref())
            .unwrap_or_default()
    }

    /// Whether it is worth remembering a file. One that was another file when it was seen last will be another the next time.
    fn is_worth(&self, source: &Source) -> bool {
        let Some(stamp) = source.stamp().filter(|_| self.folder.is_some()) else { return false };
        let was_there = self.index.names.contains(&source.name);
        !was_there || self.files.contains_key(&(source.name.clone(), stamp))
    }
}

impl Memory<'_> {
    /// Hands the remembered pieces of a price file on, as [`Memory::recall_as`] does.
    pub(crate) fn recall(&mut self, source: &Source, put: impl FnMut(PricePiece) -> bool) -> Recalled {
        let stands = self.stands;
        let is_judged_so = |number: u32| stands.get(number as usize).copied().unwrap_or_default();
        let piece = |bytes: &[u8], place: &Place| {
            let piece = piece::of_bytes(bytes, place, source.rank)?;
            piece.met.iter().all(|met| is_judged_so(met.number)).then_some(piece)
        };
        self.recall_as(source, piece, put)
    }

    /// Hands the remembered pieces of a file on, from its first as far as they serve; the file is done if all do. `piece` makes
    /// a piece of its bytes, if it serves; `put` says whether somebody takes it.
    pub(crate) fn recall_as<P>(
        &mut self,
        source: &Source,
        piece: impl Fn(&[u8], &Place) -> Option<P>,
        mut put: impl FnMut(P) -> bool,
    ) -> Recalled {
        let places = self.of.places(source);
        let mut pieces = 0;
        for place in places {
            let Some(piece) = self.bytes(place).and_then(|bytes| piece(&bytes, place)) else { break };
            pieces += 1;
            if !put(piece) {
                return Recalled::All;
            }
        }
        match pieces {
            pieces if pieces > 0 && pieces == places.len() => Recalled::All,
            pieces => Recalled::First(pieces),
        }
    }

    /// Whether it is worth remembering a file.
    pub(crate) fn is_worth(&self, source: &Source) -> bool {
        self.of.is_worth(source)
    }

    fn bytes(&mut self, place: &Place) -> Option<Vec<u8>> {
        let pieces = self.pieces.as_mut()?;
        let mut bytes = vec![0; usize::try_from(place.bytes).ok()?];
        pieces.seek(SeekFrom::Start(place.at)).ok()?;
        pieces.read_exact(&mut bytes).ok()?;
        (piece::hash(&bytes) == place.hash).then_some(bytes)
    }
}

/// How much of a file is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recalled {
    /// Everything.
    All,
    /// So many pieces from its first; what follows them must be read.
    First(usize),
}
