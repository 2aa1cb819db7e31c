//! Files of which no row was read: whoever dropped one in learns the first row to blame, why, and what to do.
//!
//! A row that is understood and not used, as that of a fund, is no reason to name its file.

use std::collections::{BTreeMap, HashMap};

use crate::accounts::refused::{RefusedRows, RowText};
use crate::domain::reason;
use crate::files::source::RawSource;
use crate::report::{FileNote, Unreadable};

/// What is said of a file whose header no row follows.
const NO_ROW: &str = "it has a header and no row: fetch it again, or take it away";

/// By the rank of a file: what was read of it.
#[derive(Default)]
pub(crate) struct GaveNothing(HashMap<u32, ReadRows>);

#[derive(Default)]
struct ReadRows {
    read: u64,
    is_kept: bool,
    /// The first refused row, as long as none is kept.
    first: Option<RowText>,
}

impl GaveNothing {
    /// Adds a piece of a file: its rows, and whether any is kept.
    pub(crate) fn add(&mut self, source: &RawSource, (read, is_kept): (u64, bool), refused: &RefusedRows) {
        let file = self.0.entry(source.rank).or_default();
        file.read += read;
        file.is_kept |= is_kept;
        if !file.is_kept && file.first.is_none() {
            file.first = refused.first();
        }
    }

    /// The files in words, of a format and a reason the first; of those that cannot be read whole, another part of the report tells.
    pub(crate) fn notes(self, sources: &[RawSource], unreadable: &[Unreadable]) -> Vec<FileNote> {
        let is_told = |source: &RawSource| unreadable.iter().any(|file| file.file == source.name);
        let mut notes: BTreeMap<(&str, &str), (FileNote, u64)> = BTreeMap::new();
        for source in sources {
            let (reason, why) = match self.0.get(&source.rank) {
                Some(ReadRows { is_kept: true, .. }) => continue,
                Some(ReadRows { read, first: Some(first), .. }) => {
                    (first.reason.as_str(), first.blamed(*read))
                }
                _ if source.names_its_columns() => ("", Some(NO_ROW.to_owned())),
                _ => continue,
            };
            let Some(why) = why.filter(|_| !is_told(source)) else { continue };
            let note = || (FileNote { file: source.name.clone(), why }, 0);
            notes.entry((source.label(), reason)).and_modify(|(_, more)| *more += 1).or_insert_with(note);
        }
        let with_more = |((label, _), (note, more)): ((&str, &str), (FileNote, u64))| match more {
            0 => note,
            more => FileNote { why: format!("{}; so are {more} more files ({label})", note.why), ..note },
        };
        notes.into_iter().map(with_more).collect()
    }
}

impl RowText {
    /// Why a file of so many rows gave nothing, where this is its first row; none where the row is only not used.
    fn blamed(&self, rows: u64) -> Option<String> {
        /// Signs of a row that are shown.
        const SHOWN: usize = 120;
        let Self { line, reason, text } = self;
        let remedy = reason::remedy(reason.split(": ").next()?)?;
        let shown: String = text.chars().take(SHOWN).collect();
        Some(format!(
            "none of its {rows} rows could be read; the first, in line {line}: {reason} (`{shown}`); {remedy}"
        ))
    }
}
