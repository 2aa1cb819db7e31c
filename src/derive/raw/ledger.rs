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
    refused: Vec<(u32, Reason, String)>,
    read: u64,
    notes: Vec<Note>,
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
            Err(reason) => self.refused.push((record.line(), reason, record.source_text())),
        }
    }

    /// Adds what is counted, but no row.
    pub(crate) fn note(&mut self, note: Note) {
        self.notes.push(note);
    }

    /// Adds the rest of a file that cannot be read, as one refused row.
    pub(crate) fn add_trouble(&mut self, trouble: &std::io::Error) {
        self.read += 1;
        self.refused.push((0, Reason::Unreadable, trouble.to_string()));
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
        self.report.formats.entry(source.format.words().to_owned()).or_default()
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
        for (line, reason, text) in piece.refused.drain(..) {
            self.refuse(source, line, reason, &text)?;
        }
        Ok(())
    }

    /// Books a refused row that was not kept.
    fn refuse(&mut self, source: &Source, line: u32, reason: Reason, text: &str) -> Result<(), RawError> {
        self.tally(source).refused += 1;
        *self.report.refused.entry(reason.words().to_owned()).or_default() += 1;
        let row = Refused { file: &source.name, line: u64::from(line), reason: reason.words(), text };
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
        self.refuse(source, line, reason, text)
    }
}
