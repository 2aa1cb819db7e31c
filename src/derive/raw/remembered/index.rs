//! The index of what is remembered: which file gave which pieces, and by which verdicts.
//!
//! It is written whole under another name and renamed; its first line is the hash of the rest. An index of other code, of
//! another as-of date or with another hash is none.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::derive::fingerprint::CODE;
use crate::derive::raw::container::Stamp;
use crate::derive::raw::read_faults::Ending;

const INDEX: &str = "index";

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Index {
    code: String,
    as_of: Option<NaiveDate>,
    /// A symbol's position is its number in the pieces.
    pub(super) symbols: Vec<KnownSymbol>,
    pub(super) files: Vec<KnownFile>,
    /// The names of the files.
    #[serde(skip)]
    pub(super) names: HashSet<String>,
}

/// A symbol that files hold.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct KnownSymbol {
    pub(crate) symbol: String,
    /// What it was judged to be, in words, in each turn of the reading.
    pub(crate) verdicts: [String; 2],
    /// How many bars it had in all.
    pub(crate) bars: usize,
}

/// A file that was read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KnownFile {
    pub(super) name: String,
    pub(super) stamp: Stamp,
    /// In their order; none where the file was only seen.
    pub(super) pieces: Option<Vec<Place>>,
}

/// Where a piece is, and what of it is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The position of its first byte.
    pub(super) at: u64,
    pub(super) bytes: u64,
    pub(super) hash: String,
    /// Rows read.
    pub(crate) read: u64,
    /// By reason: rows refused.
    pub(crate) refused: BTreeMap<String, u64>,
    /// Whether the last line of the file, which is in this piece, has no end.
    pub(super) is_open: bool,
}

impl Place {
    /// How the file ends, where this is its last piece. What ends with a fault is not remembered.
    pub(crate) fn ending(&self) -> Ending {
        if self.is_open { Ending::Open } else { Ending::Whole }
    }
}

impl Index {
    pub(super) fn new(as_of: Option<NaiveDate>, symbols: Vec<KnownSymbol>, files: Vec<KnownFile>) -> Self {
        Self { code: CODE.to_owned(), as_of, symbols, files, names: HashSet::new() }
    }

    /// The index in a folder, if it is one of this code and date.
    pub(super) fn read(folder: &Path, as_of: Option<NaiveDate>) -> Option<Self> {
        let text = fs::read_to_string(folder.join(INDEX)).ok()?;
        let (hash, json) = text.split_once('\n')?;
        if blake3::hash(json.as_bytes()).to_hex().as_str() != hash {
            return None;
        }
        let mut index: Self = serde_json::from_str(json).ok()?;
        index.names = index.files.iter().map(|file| file.name.clone()).collect();
        (index.code == CODE && index.as_of == as_of).then_some(index)
    }

    /// Puts the index in the place of the one before.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let json = serde_json::to_string(self)?;
        let aside = folder.join(format!("{INDEX}.{}", std::process::id()));
        fs::write(&aside, format!("{}\n{json}", blake3::hash(json.as_bytes()).to_hex()))?;
        fs::rename(aside, folder.join(INDEX))
    }

    /// Removes the index of a folder, so that nothing is remembered there.
    pub(super) fn remove(folder: &Path) -> io::Result<()> {
        fs::remove_file(folder.join(INDEX))
    }
}
