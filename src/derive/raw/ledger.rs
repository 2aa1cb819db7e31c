//! Keeps account of every row: read, kept, refused or a duplicate.
//!
//! Pieces of files pass through here on their way into memory, in the order of the files. The invariant of the whole reading
//! is kept here: what was read is what was kept, refused and found twice.

use super::RawError;
use super::cells::Record;
use super::fact::Note;
use super::files::Source;
use super::reason::Reason;
use super::refused::{Refused, RefusedSink};
use crate::derive::report::{Report, Tally};

/// Rows of a piece; some 10 MB of text.
const ROWS: u64 = 50_000;

/// Consecutive rows of one file.
pub(crate) struct Piece<T> {
    pub(crate) rows: Vec<T>,
    refused: Vec<Refusal>,
    read: u64,
    notes: Vec<Note>,
}

/// A row that a file's reader refused.
struct Refusal {
    line: u32,
    reason: Reason,
    /// The column that is wrong, where one is.
    column: Option<String>,
    text: String,
}

impl<T> Piece<T> {
    pub(crate) fn new() -> Self {
        Self { rows: Vec::new(), refused: Vec::new(), read: 0, notes: Vec::new() }
    }

    /// Adds what a record turned out to be.
    pub(crate) fn add(&mut self, record: &Record, row: Result<T, Reason>) {
        self.read += 1;
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
        match row {
            Ok(row) => self.rows.push(row),
            Err((reason, column)) => self.refuse(record, reason, column),
        }
    }

    fn refuse(&mut self, record: &Record, reason: Reason, column: Option<String>) {
        let (line, text) = (record.line(), record.source_text());
        self.refused.push(Refusal { line, reason, column, text });
    }

    /// Adds the rest of a file that cannot be read, as one refused row.
    pub(crate) fn add_trouble(&mut self, trouble: &std::io::Error) {
        self.read += 1;
        let text = trouble.to_string();
        self.refused.push(Refusal { line: 0, reason: Reason::Unreadable, column: None, text });
    }

    /// The piece, when it is long enough to be handed on; an empty one takes its place.
    pub(crate) fn full(&mut self) -> Option<Self> {
        (self.read + self.notes.len() as u64 >= ROWS).then(|| std::mem::replace(self, Self::new()))
    }
}

/// The account and the sink of refused rows.
pub(crate) struct Ledger<'a> {
    pub(crate) report: Report,
    sink: &'a mut dyn RefusedSink,
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(report: Report, sink: &'a mut dyn RefusedSink) -> Self {
        Self { report, sink }
    }

    /// The account of a source's format.
    pub(crate) fn tally(&mut self, source: &Source) -> &mut Tally {
        self.report.formats.entry(source.words()).or_default()
    }

    /// Books a piece: its rows count as kept until something takes them back.
    pub(crate) fn book<T>(&mut self, source: &Source, piece: &mut Piece<T>) -> Result<(), RawError> {
        let tally = self.tally(source);
        tally.read += piece.read;
        tally.kept += piece.rows.len() as u64;
        if !piece.notes.is_empty() {
            let noted = self.report.noted.entry(source.format.words().to_owned()).or_default();
            piece.notes.drain(..).for_each(|note| noted.add(note));
        }
        for refusal in piece.refused.drain(..) {
            self.refuse(source, &refusal)?;
        }
        Ok(())
    }

    /// Books a refused row that was not kept; the counts go by reason alone, whichever the column.
    fn refuse(&mut self, source: &Source, refusal: &Refusal) -> Result<(), RawError> {
        self.tally(source).refused += 1;
        let words = refusal.reason.words();
        *self.report.refused.entry(words.to_owned()).or_default() += 1;
        let reason = match &refusal.column {
            None => words.to_owned(),
            Some(column) => format!("{words}: {column}"),
        };
        let line = u64::from(refusal.line);
        let row = Refused { file: &source.name, line, reason: &reason, text: &refusal.text };
        self.sink.refuse(row).map_err(|source| RawError::Sink { source })
    }

    /// Takes back a kept row that the whole market refuses.
    pub(crate) fn take_back(
        &mut self,
        source: &Source,
        line: u32,
        reason: Reason,
        text: &str,
    ) -> Result<(), RawError> {
        self.tally(source).kept -= 1;
        self.refuse(source, &Refusal { line, reason, column: None, text: text.to_owned() })
    }
}
