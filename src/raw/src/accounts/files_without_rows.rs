//! Files from which no row was read: the report names the first row to blame, the reason and the remedy.
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
pub(crate) struct FilesWithoutRows(HashMap<u32, ReadRows>);

#[derive(Default)]
struct ReadRows {
    read: u64,
    has_used_row: bool,
    /// The first refused row, while no row of the file is used.
    first_refused: Option<RowText>,
}

impl FilesWithoutRows {
    /// Adds a piece of a file: its number of rows, and whether one of them is used.
    pub(crate) fn add(&mut self, source: &RawSource, read: u64, has_used_row: bool, refused: &RefusedRows) {
        let file = self.0.entry(source.rank).or_default();
        file.read += read;
        file.has_used_row |= has_used_row;
        if !file.has_used_row && file.first_refused.is_none() {
            file.first_refused = refused.first();
        }
    }

    /// Returns a note for each format and reason, on the first such file. Unreadable files are in another part of the report.
    pub(crate) fn notes(self, sources: &[RawSource], unreadable: &[UnreadableFile]) -> Vec<FileNote> {
        let is_unreadable = |source: &RawSource| unreadable.iter().any(|file| file.file == source.name);
        let mut notes: BTreeMap<(&str, &str), (FileNote, u64)> = BTreeMap::new();
        for source in sources {
            let (reason, why) = match self.0.get(&source.rank) {
                Some(ReadRows { has_used_row: true, .. }) => continue,
                Some(ReadRows { read, first_refused: Some(first_refused), .. }) => {
                    (first_refused.reason.as_str(), first_refused.reason_for_nothing(*read))
                }
                _ if source.names_its_columns() => ("", Some(NO_ROW.to_owned())),
                _ => continue,
            };
            let Some(why) = why.filter(|_| !is_unreadable(source)) else { continue };
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
    /// Explains why a file of `rows` rows, of which this is the first, has no used row; `None` if the row is understood, but not used.
    fn reason_for_nothing(&self, rows: u64) -> Option<String> {
        /// Maximum number of characters of the row in the message.
        const MOST_CHARACTERS: usize = 120;
        let Self { line, reason, text } = self;
        let remedy = reason::remedy(reason.split(": ").next()?)?;
        let excerpt: String = text.chars().take(MOST_CHARACTERS).collect();
        Some(format!(
            "none of its {rows} rows could be read; the first, in line {line}: {reason} (`{excerpt}`); {remedy}"
        ))
    }
}
