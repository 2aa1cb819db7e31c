//! Keeps account of every row: read, kept, refused or a duplicate.
//!
//! Pieces of files pass through here on their way into memory, in the order of the files. The invariant of the whole reading
//! is kept here: what was read is what was kept, refused and found twice.

use std::io;

use super::RawError;
use super::cells::Record;
use super::fact::Note;
use super::files::Source;
use super::last_line::LastLine;
use super::read_faults::{Ending, ReadFaults};
use super::reason::Reason;
use super::refused::{Refused, RefusedRows, RefusedSink, RefusedText};
use crate::derive::Noted;
use crate::derive::report::{Report, Tally};

/// Rows of a piece; some 10 MB of text.
const ROWS: u64 = 50_000;

/// Bytes of the rows of a piece, where they are longer than rows of figures are.
const BYTES: usize = 32 << 20;

/// Consecutive rows of one file, while it is read.
pub(crate) struct Piece<T> {
    /// The name of the file.
    file: String,
    rows: Vec<T>,
    refused: RefusedText,
    read: u64,
    /// How long the rows are.
    bytes: usize,
    notes: Vec<Note>,
    /// The text of the refused row, kept for its room.
    text: String,
}

/// Consecutive rows of one file, ready to be booked.
#[derive(Debug)]
pub(crate) struct ReadPiece<T> {
    pub(crate) rows: Vec<T>,
    pub(crate) refused: RefusedRows,
    pub(crate) read: u64,
    pub(crate) notes: Vec<Note>,
    /// How the file ends, where this is its last piece.
    pub(crate) ending: Ending,
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

impl<T> Piece<T> {
    pub(crate) fn of(source: &Source) -> Self {
        Self::named(source.name.clone())
    }

    fn named(file: String) -> Self {
        let (rows, notes) = (Vec::new(), Vec::new());
        Self { file, rows, refused: RefusedText::new(), read: 0, bytes: 0, notes, text: String::new() }
    }

    /// Adds what a record turned out to be.
    pub(crate) fn add(&mut self, record: &Record, row: Result<T, Reason>) {
        self.read += 1;
        self.bytes += record.bytes();
        match row {
            Ok(row) => self.rows.push(row),
            Err(reason) => self.refuse(record, reason, None),
        }
    }

    /// Adds what is counted, but no row.
    pub(crate) fn note(&mut self, note: Note) {
        self.notes.push(note);
    }

    /// Adds a row of a given table, or why a column of it is refused.
    pub(crate) fn add_given(&mut self, record: &Record, row: Result<T, (Reason, Option<String>)>) {
        self.read += 1;
        self.bytes += record.bytes();
        self.bytes += record.bytes();
        match row {
            Ok(row) => self.rows.push(row),
            Err((reason, column)) => self.refuse(record, reason, column.as_deref()),
        }
    }

    fn refuse(&mut self, record: &Record, reason: Reason, column: Option<&str>) {
        self.text.clear();
        record.put_source_text(&mut self.text);
        let (file, line, text) = (&self.file, record.line(), &self.text);
        self.refused.add(&Refused { file, line, reason, column, text });
    }

    /// The piece, when it is long enough to be handed on; an empty one takes its place.
    pub(crate) fn full(&mut self) -> Option<ReadPiece<T>> {
        let is_full = self.read + self.notes.len() as u64 >= ROWS || self.bytes >= BYTES;
        is_full.then(|| std::mem::replace(self, Self::named(self.file.clone())).close())
    }

    fn close(self) -> ReadPiece<T> {
        let (rows, refused, ending) = (self.rows, self.refused.pack(), Ending::Whole);
        ReadPiece { rows, refused, read: self.read, notes: self.notes, ending }
    }

    /// The last piece of a file, by what became of reading it. The rest of a file that cannot be read is one refused row.
    pub(crate) fn close_after(mut self, outcome: io::Result<LastLine>) -> ReadPiece<T> {
        let ending = Ending::of(&self.file, outcome);
        if let Ending::Fault(fault) = &ending {
            self.read += 1;
            let (file, text, reason) = (&self.file, &fault.why, Reason::Unreadable);
            self.refused.add(&Refused { file, line: 0, reason, column: None, text });
        }
        ReadPiece { ending, ..self.close() }
    }
}

/// The account and the sink of refused rows.
pub(crate) struct Ledger<'a> {
    pub(crate) report: Report,
    sink: &'a mut dyn RefusedSink,
    /// Rows that were taken back and are not yet with the sink.
    late: RefusedText,
    faults: ReadFaults,
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(report: Report, sink: &'a mut dyn RefusedSink) -> Self {
        Self { report, sink, late: RefusedText::new(), faults: ReadFaults::default() }
    }

    /// Takes down how a file ends.
    pub(crate) fn ends(&mut self, source: &Source, ending: &Ending) {
        self.faults.add(source, ending);
    }

    /// Ends the run where files cannot be read whole and that is not allowed; to be called when all are read.
    pub(crate) fn settle_faults(&mut self, allowed: bool) -> Result<(), RawError> {
        std::mem::take(&mut self.faults).settle(&mut self.report, allowed)
    }

    /// The account of a source's format.
    pub(crate) fn tally(&mut self, source: &Source) -> &mut Tally {
        self.report.formats.entry(source.words()).or_default()
    }

    /// Books a piece: its rows count as kept until something takes them back.
    pub(crate) fn book<T>(&mut self, source: &Source, piece: &mut ReadPiece<T>) -> Result<(), RawError> {
        self.ends(source, &piece.ending);
        let (rows, read, noted) = (piece.rows.len() as u64, piece.read, piece.noted());
        self.book_counts(source, &Counts { rows, read, noted }, &piece.refused)
    }

    /// Books a piece by its counts and its refused rows.
    pub(crate) fn book_counts(
        &mut self,
        source: &Source,
        counts: &Counts,
        refused: &RefusedRows,
    ) -> Result<(), RawError> {
        let tally = self.tally(source);
        tally.read += counts.read;
        tally.kept += counts.rows;
        tally.refused += refused.len();
        if !counts.noted.is_empty() {
            let noted = self.report.noted.entry(source.format.words().to_owned()).or_default();
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
        source: &Source,
        line: u32,
        reason: Reason,
        text: &str,
    ) -> Result<(), RawError> {
        let tally = self.tally(source);
        tally.kept -= 1;
        tally.refused += 1;
        self.late.add(&Refused { file: &source.name, line, reason, column: None, text });
        if self.late.len() < ROWS { Ok(()) } else { self.hand_over_late() }
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
