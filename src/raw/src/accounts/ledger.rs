//! Keeps account of every row: read, kept, refused or a duplicate.
//!
//! Pieces of files pass through here on their way into memory, in the order of the files. The invariant of the whole reading
//! is kept here: what was read is what was kept, refused and found twice.

use std::io;

use crate::accounts::ending::FileEnding;
use crate::accounts::gave_nothing::GaveNothing;
use crate::accounts::read_faults::ReadFaults;
use crate::accounts::refused::{RefusedRow, RefusedRows, RefusedSink, RefusedText};
use crate::domain::note::FigureNote;
use crate::domain::reason::{Reason, Refusal};
use crate::error::RawError;
use crate::figures_read::Noted;
use crate::files::source::RawSource;
use crate::records::duplicates::Duplicate;
use crate::report::{Report, Tally};
use parquote_encodings::last_line::LastLine;
use parquote_encodings::text::cells::CellRecord;

/// Rows of a piece; some 10 MB of text.
const ROWS: u64 = 50_000;

/// Bytes of the rows of a piece, where they are longer than rows of figures are.
const BYTES: usize = 32 << 20;

/// Consecutive rows of one file, while it is read.
pub(crate) struct FilePiece<T> {
    /// The name of the file.
    file: String,
    rows: Vec<T>,
    refused: RefusedText,
    read: u64,
    /// How long the rows are.
    bytes: usize,
    notes: Vec<FigureNote>,
    /// The text of the refused row, kept for its room.
    text: String,
}

/// Consecutive rows of one file, ready to be booked.
#[derive(Debug)]
pub(crate) struct ReadPiece<T> {
    pub(crate) rows: Vec<T>,
    pub(crate) refused: RefusedRows,
    pub(crate) read: u64,
    pub(crate) notes: Vec<FigureNote>,
    /// How the file ends, where this is its last piece.
    pub(crate) ending: FileEnding,
}

/// What is counted of a piece beside its refused rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Rows that are kept.
    pub(crate) rows: u64,
    /// Rows read.
    pub(crate) read: u64,
    /// What is no row.
    pub(crate) noted: Noted,
}

impl<T> ReadPiece<T> {
    /// Counts what is no row, and forgets it.
    pub(crate) fn noted(&mut self) -> Noted {
        let mut noted = Noted::default();
        self.notes.drain(..).for_each(|note| noted.add(note));
        noted
    }
}

impl<T> FilePiece<T> {
    pub(crate) fn of(source: &RawSource) -> Self {
        Self::named(source.name.clone())
    }

    fn named(file: String) -> Self {
        let (rows, notes) = (Vec::new(), Vec::new());
        Self { file, rows, refused: RefusedText::new(), read: 0, bytes: 0, notes, text: String::new() }
    }

    /// Adds what a record turned out to be.
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

    /// Adds what is counted, but no row.
    pub(crate) fn note(&mut self, note: FigureNote) {
        self.notes.push(note);
    }

    /// Adds a row of a table that users supply, or why a column of it is refused.
    pub(crate) fn add_supplied(&mut self, record: &CellRecord, row: Result<T, Refusal>) {
        self.read += 1;
        self.bytes += record.bytes();
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

    /// The piece, when it is long enough to be handed on; an empty one takes its place.
    pub(crate) fn full(&mut self) -> Option<ReadPiece<T>> {
        let is_full = self.read + self.notes.len() as u64 >= ROWS || self.bytes >= BYTES;
        is_full.then(|| std::mem::replace(self, Self::named(self.file.clone())).close())
    }

    fn close(self) -> ReadPiece<T> {
        let (rows, refused, ending) = (self.rows, self.refused.pack(), FileEnding::Whole);
        ReadPiece { rows, refused, read: self.read, notes: self.notes, ending }
    }

    /// The last piece of a file, by what became of reading it. The rest of a file that cannot be read is one refused row.
    pub(crate) fn close_after(mut self, outcome: io::Result<LastLine>) -> ReadPiece<T> {
        let ending = FileEnding::of(&self.file, outcome);
        if let FileEnding::Fault(fault) = &ending {
            self.read += 1;
            let (file, text, reason) = (&self.file, &fault.why, Reason::Unreadable.label());
            self.refused.add(&RefusedRow { file, line: 0, reason, column: None, text });
        }
        ReadPiece { ending, ..self.close() }
    }
}

/// The account and the sink of refused rows.
pub(crate) struct RowLedger<'a> {
    pub(crate) report: Report,
    sink: &'a mut dyn RefusedSink,
    /// Rows that were taken back and are not yet with the sink.
    late: RefusedText,
    faults: ReadFaults,
    nothing: GaveNothing,
}

impl<'a> RowLedger<'a> {
    pub(crate) fn new(report: Report, sink: &'a mut dyn RefusedSink) -> Self {
        Self {
            report,
            sink,
            late: RefusedText::new(),
            faults: ReadFaults::default(),
            nothing: GaveNothing::default(),
        }
    }

    /// Takes down how a file ends.
    pub(crate) fn ends(&mut self, source: &RawSource, ending: &FileEnding) {
        self.faults.add(source, ending);
    }

    /// Ends the run where files cannot be read whole and that is not allowed; to be called when all are read.
    pub(crate) fn settle_faults(&mut self, allowed: bool) -> Result<(), RawError> {
        std::mem::take(&mut self.faults).settle(&mut self.report, allowed)
    }

    /// Counts files by their format.
    pub(crate) fn count_files(&mut self, sources: &[RawSource]) {
        for source in sources {
            self.tally(source).files += 1;
        }
    }

    /// The account of a source's format.
    pub(crate) fn tally(&mut self, source: &RawSource) -> &mut Tally {
        self.report.formats.entry(source.counted_as()).or_default()
    }

    /// Books a piece: its rows count as kept until something takes them back.
    pub(crate) fn book<T>(&mut self, source: &RawSource, piece: &mut ReadPiece<T>) -> Result<(), RawError> {
        self.ends(source, &piece.ending);
        let (rows, read, noted) = (piece.rows.len() as u64, piece.read, piece.noted());
        self.book_counts(source, &Counts { rows, read, noted }, &piece.refused)
    }

    /// Books a piece by its counts and its refused rows.
    pub(crate) fn book_counts(
        &mut self,
        source: &RawSource,
        counts: &Counts,
        refused: &RefusedRows,
    ) -> Result<(), RawError> {
        let is_kept = counts.rows > 0 || !counts.noted.is_empty();
        self.nothing.add(source, (counts.read, is_kept), refused);
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
        self.hand_over_late()?;
        self.hand_over(refused)
    }

    /// Takes back a kept row that the whole market refuses.
    pub(crate) fn take_back(
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
        self.late.add(&RefusedRow { file, line, reason, column: None, text });
        if self.late.len() < ROWS { Ok(()) } else { self.hand_over_late() }
    }

    /// Books rows that are not used.
    pub(crate) fn book_duplicates(&mut self, duplicates: &[Duplicate], sources: &[RawSource]) {
        for duplicate in duplicates {
            let Some(source) = sources.get(duplicate.file as usize) else { continue };
            let tally = self.tally(source);
            tally.kept -= 1;
            if duplicate.is_same {
                tally.identical += 1;
            } else {
                tally.differing += 1;
            }
        }
    }

    /// Names the files of which no row was read, in the report; to be called when all are read.
    pub(crate) fn say_which_gave_nothing(&mut self, sources: &[RawSource]) {
        let named = std::mem::take(&mut self.nothing).notes(sources, &self.report.unreadable);
        self.report.gave_nothing.extend(named);
        self.report.gave_nothing.sort_by(|a, b| a.file.cmp(&b.file));
    }

    /// Closes the account: the report so far, and every refused row with the sink.
    pub(crate) fn close(mut self) -> Result<Report, RawError> {
        self.hand_over_late()?;
        Ok(self.report)
    }

    fn hand_over_late(&mut self) -> Result<(), RawError> {
        if self.late.len() == 0 {
            return Ok(());
        }
        let rows = std::mem::replace(&mut self.late, RefusedText::new()).pack();
        self.hand_over(&rows)
    }

    fn hand_over(&mut self, rows: &RefusedRows) -> Result<(), RawError> {
        for (reason, count) in rows.counts() {
            *self.report.refused.entry(reason.clone()).or_default() += count;
        }
        self.sink.refuse(rows).map_err(|source| RawError::Sink { source })
    }
}
