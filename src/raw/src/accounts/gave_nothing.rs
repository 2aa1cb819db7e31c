//! Files of which no row was read: the report names the first row to blame, the reason and the remedy.
//!
//! A file whose rows are understood but not used, such as those of a fund, is not named.

use std::collections::{BTreeMap, HashMap};

use crate::accounts::refused::{RefusedRows, RowText};
use crate::domain::reason;
use crate::files::source::RawSource;
use crate::report::{FileNote, UnreadableFile};
use parquote_catalogue::digits::counted;

/// Note on a file with a header and no row.
const NO_ROW: &str = "it has a header and no row: fetch it again, or take it away";

/// Rows read, by the rank of their file.
#[derive(Default)]
pub(crate) struct GaveNothing(HashMap<u32, ReadRows>);

#[derive(Default)]
struct ReadRows {
    read: u64,
    is_kept: bool,
    /// The first refused row, while no row of the file is used.
    first: Option<RowText>,
}

impl GaveNothing {
    /// Adds a piece of a file: its number of rows, and whether one of them is used.
    pub(crate) fn add(&mut self, source: &RawSource, read: u64, is_kept: bool, refused: &RefusedRows) {
        let file = self.0.entry(source.rank).or_default();
        file.read += read;
        file.is_kept |= is_kept;
        if !file.is_kept && file.first.is_none() {
            file.first = refused.first();
        }
    }

    /// Returns the notes: for each format and reason the first file. Unreadable files are left out; another part of the report lists them.
    pub(crate) fn notes(self, sources: &[RawSource], unreadable: &[UnreadableFile]) -> Vec<FileNote> {
        let is_told = |source: &RawSource| unreadable.iter().any(|file| file.file == source.name);
        let mut notes: BTreeMap<(&str, &str), (FileNote, u64)> = BTreeMap::new();
        for source in sources {
            let (reason, why) = match self.0.get(&source.rank) {
                Some(ReadRows { is_kept: true, .. }) => continue,
                Some(ReadRows { read, first: Some(first), .. }) => {
                    (first.reason.as_str(), first.reason_for_nothing(*read))
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
            more => {
                let so = if more == 1 { "so is" } else { "so are" };
                let files = counted(more, "more file", "more files");
                FileNote { why: format!("{}; {so} {files} ({label})", note.why), ..note }
            }
        };
        notes.into_iter().map(with_more).collect()
    }
}

impl RowText {
    /// Returns the reason why a file of `rows` rows, of which this is the first, yielded nothing; `None` if the row is understood but not used.
    fn reason_for_nothing(&self, rows: u64) -> Option<String> {
        /// Characters of the row that are shown.
        const MOST_CHARACTERS: usize = 120;
        let Self { line, reason, text } = self;
        let remedy = reason::remedy(reason.split(": ").next()?)?;
        let shown: String = text.chars().take(MOST_CHARACTERS).collect();
        Some(format!(
            "none of its {rows} rows could be read; the first, in line {line}: {reason} (`{shown}`); {remedy}"
        ))
    }
}
