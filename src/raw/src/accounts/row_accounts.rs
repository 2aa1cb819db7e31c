//! Row accounting: every row that is read is used, refused or a duplicate.
//!
//! Pieces of files pass through here on their way into memory, in the order of the files. Invariant: rows read = rows used + rows refused +
//! duplicates.

use std::io;

use crate::accounts::ending::FileEnding;
use crate::accounts::files_without_rows::FilesWithoutRows;
use crate::accounts::read_faults::ReadFaults;
use crate::accounts::refused::{RefusedRow, RefusedRows, RefusedSink, RefusedText};
use crate::domain::note::FigureNote;
use crate::domain::reason::{Reason, Refusal};
use crate::error::RawError;
use crate::figure_counts::UnusedFigures;
use crate::files::source::RawSource;
use crate::records::duplicates::Duplicate;
use crate::report::{Report, Tally};
use parquote_encodings::last_line::LastLine;
use parquote_encodings::text::cells::CellRecord;

/// Maximum number of rows of a piece: about 10 MB of text.
const PIECE_ROWS: u64 = 50_000;

/// Maximum number of bytes of a piece, for files whose rows are longer than rows of figures.
const PIECE_BYTES: usize = 32 << 20;

/// Consecutive rows of one file, while it is being read.
pub(crate) struct FilePiece<T> {
    file: String,
    rows: Vec<T>,
    refused: RefusedText,
    /// Number of rows read.
    read: u64,
    /// Bytes of the rows.
    bytes: usize,
    notes: Vec<FigureNote>,
    /// Buffer for the text of a refused row.
    text: String,
}

/// Consecutive rows of one file, ready to be added to the accounts.
#[derive(Debug)]
pub(crate) struct ReadPiece<T> {
    pub(crate) rows: Vec<T>,
    pub(crate) refused: RefusedRows,
    /// Number of rows read.
    pub(crate) read: u64,
    pub(crate) notes: Vec<FigureNote>,
    /// End of the file, set in its last piece.
    pub(crate) ending: FileEnding,
}

/// Counts of a piece, without its refused rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Rows that are used.
    pub(crate) rows: u64,
    /// Rows read.
    pub(crate) read: u64,
    /// Figures that yield no row.
    pub(crate) noted: UnusedFigures,
}

impl<T> ReadPiece<T> {
    /// Drains and counts the figures that yield no row.
    pub(crate) fn take_unused_figures(&mut self) -> UnusedFigures {
        let mut noted = UnusedFigures::default();
        self.notes.drain(..).for_each(|note| noted.add(note));
        noted
    }
}

impl<T> FilePiece<T> {
    pub(crate) fn for_source(source: &RawSource) -> Self {
        Self::for_file(source.name.clone())
    }

    fn for_file(file: String) -> Self {
        let (rows, notes) = (Vec::new(), Vec::new());
        Self { file, rows, refused: RefusedText::new(), read: 0, bytes: 0, notes, text: String::new() }
    }

    /// Adds the result of parsing a record.
    pub(crate) fn add(&mut self, record: &CellRecord, row: Result<T, Reason>) {
        self.read += 1;
        self.bytes += record.bytes();
        match row {
            Ok(row) => self.rows.push(row),
            Err(reason) => self.refuse(record, reason.label(), None),
        }
    }

    /// Adds a row that was parsed and is not used.
    pub(crate) fn add_unused(&mut self, record: &CellRecord, row: T, reason: Reason) {
        self.read += 1;
        self.bytes += record.bytes();
        self.rows.push(row);
        self.refuse(record, reason.label(), None);
    }

    /// Adds a figure that is counted, but yields no row.
    pub(crate) fn note(&mut self, note: FigureNote) {
        self.notes.push(note);
    }

    /// Adds a row of a user-supplied table, or refuses the record and names the column to blame.
    pub(crate) fn add_supplied(&mut self, record: &CellRecord, row: Result<T, Refusal>) {
        self.read += 1;
        self.bytes += record.bytes();
        match row {
            Ok(row) => self.rows.push(row),
            Err((reason, column)) => self.refuse(record, &reason, column.as_deref()),
        }
    }

    fn refuse(&mut self, record: &CellRecord, reason: &str, column: Option<&str>) {
        self.text.clear();
        record.put_source_text(&mut self.text);
        let (file, line, text) = (&self.file, record.line(), &self.text);
        self.refused.add(&RefusedRow { file, line, reason, column, text });
    }

    /// Takes the piece if it has reached its maximum length, and leaves an empty one.
    pub(crate) fn take_if_full(&mut self) -> Option<ReadPiece<T>> {
        let is_full = self.read + self.notes.len() as u64 >= PIECE_ROWS || self.bytes >= PIECE_BYTES;
        is_full.then(|| std::mem::replace(self, Self::for_file(self.file.clone())).close())
    }

    fn close(self) -> ReadPiece<T> {
        let (rows, refused, ending) = (self.rows, self.refused.pack(), FileEnding::Whole);
        ReadPiece { rows, refused, read: self.read, notes: self.notes, ending }
    }

    /// Closes the last piece of a file by the outcome of reading it. The rest of an unreadable file counts as one refused row.
    pub(crate) fn close_after(mut self, outcome: io::Result<LastLine>) -> ReadPiece<T> {
        let ending = FileEnding::from_outcome(&self.file, outcome);
        if let FileEnding::Fault(fault) = &ending {
            self.read += 1;
            let (file, text, reason) = (&self.file, &fault.why, Reason::Unreadable.label());
            self.refused.add(&RefusedRow { file, line: 0, reason, column: None, text });
        }
        ReadPiece { ending, ..self.close() }
    }
}

/// The accounts of all rows, and the sink of the refused ones.
pub(crate) struct RowAccounts<'a> {
    pub(crate) report: Report,
    sink: &'a mut dyn RefusedSink,
    /// Rows refused by `refuse_used` that have not been passed to the sink.
    unsent_rows: RefusedText,
    faults: ReadFaults,
    without_rows: FilesWithoutRows,
}

impl<'a> RowAccounts<'a> {
    pub(crate) fn new(report: Report, sink: &'a mut dyn RefusedSink) -> Self {
        Self {
            report,
            sink,
            unsent_rows: RefusedText::new(),
            faults: ReadFaults::default(),
            without_rows: FilesWithoutRows::default(),
        }
    }

    pub(crate) fn record_end(&mut self, source: &RawSource, ending: &FileEnding) {
        self.faults.add(source, ending);
    }

    /// Fails if files are unreadable and `allowed` is false; called after all files are read.
    pub(crate) fn settle_faults(&mut self, allowed: bool) -> Result<(), RawError> {
        std::mem::take(&mut self.faults).settle(&mut self.report, allowed)
    }

    /// Counts files by their format.
    pub(crate) fn count_files(&mut self, sources: &[RawSource]) {
        for source in sources {
            self.tally(source).files += 1;
        }
    }

    /// Returns the tally of a source's format.
    pub(crate) fn tally(&mut self, source: &RawSource) -> &mut Tally {
        self.report.formats.entry(source.report_key()).or_default()
    }

    /// Books a piece: its rows count as used until `refuse_used` refuses them.
    pub(crate) fn book<T>(&mut self, source: &RawSource, piece: &mut ReadPiece<T>) -> Result<(), RawError> {
        self.record_end(source, &piece.ending);
        let (rows, read, noted) = (piece.rows.len() as u64, piece.read, piece.take_unused_figures());
        self.book_counts(source, &Counts { rows, read, noted }, &piece.refused)
    }

    /// Books a piece by its counts and its refused rows.
    pub(crate) fn book_counts(
        &mut self,
        source: &RawSource,
        counts: &Counts,
        refused: &RefusedRows,
    ) -> Result<(), RawError> {
        let has_used_row = counts.rows > 0 || !counts.noted.is_empty();
        self.without_rows.add(source, counts.read, has_used_row, refused);
        let tally = self.tally(source);
        tally.read += counts.read;
        tally.kept += counts.rows;
        tally.refused += refused.len();
        if !counts.noted.is_empty() {
            let noted = self.report.noted.entry(source.label().to_owned()).or_default();
            noted.append(&counts.noted);
        }
        if refused.is_empty() {
            return Ok(());
        }
        self.send_unsent()?;
        self.send(refused)
    }

    /// Refuses a row that was counted as used, in view of the whole market.
    pub(crate) fn refuse_used(
        &mut self,
        source: &RawSource,
        line: u32,
        reason: Reason,
        text: &str,
    ) -> Result<(), RawError> {
        let tally = self.tally(source);
        tally.kept -= 1;
        tally.refused += 1;
        let (file, reason) = (&source.name, reason.label());
        self.unsent_rows.add(&RefusedRow { file, line, reason, column: None, text });
        if self.unsent_rows.len() < PIECE_ROWS { Ok(()) } else { self.send_unsent() }
    }

    /// Books duplicates: rows that are not used.
    pub(crate) fn book_duplicates(&mut self, duplicates: &[Duplicate], sources: &[RawSource]) {
        for duplicate in duplicates {
            let Some(source) = sources.get(duplicate.file as usize) else { continue };
            let (identical, differing) = (u64::from(duplicate.is_same), u64::from(!duplicate.is_same));
            self.book_repetitions(source, &Tally { identical, differing, ..Tally::default() });
        }
    }

    /// Books rows of a source that are not used because they repeat the row in use, differ from it by a split, or contradict it.
    pub(crate) fn book_repetitions(&mut self, source: &RawSource, repetitions: &Tally) {
        let Tally { identical, restated, differing, .. } = *repetitions;
        let tally = self.tally(source);
        tally.kept -= identical + restated + differing;
        tally.identical += identical;
        tally.restated += restated;
        tally.differing += differing;
    }

    /// Adds the files from which no row was read to the report; called after all files are read.
    pub(crate) fn report_files_without_rows(&mut self, sources: &[RawSource]) {
        let notes = std::mem::take(&mut self.without_rows).notes(sources, &self.report.unreadable);
        self.report.gave_nothing.extend(notes);
        self.report.gave_nothing.sort_by(|a, b| a.file.cmp(&b.file));
    }

    /// Closes the accounts: passes the remaining refused rows to the sink and returns the report so far.
    pub(crate) fn close(mut self) -> Result<Report, RawError> {
        self.send_unsent()?;
        Ok(self.report)
    }

    fn send_unsent(&mut self) -> Result<(), RawError> {
        if self.unsent_rows.len() == 0 {
            return Ok(());
        }
        let rows = std::mem::replace(&mut self.unsent_rows, RefusedText::new()).pack();
        self.send(&rows)
    }

    fn send(&mut self, rows: &RefusedRows) -> Result<(), RawError> {
        for (reason, count) in rows.counts() {
            *self.report.refused.entry(reason.clone()).or_default() += count;
        }
        self.sink.refuse(rows).map_err(|source| RawError::Sink { source })
    }
}
