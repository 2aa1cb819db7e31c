//! Reads the rows of a file: rows of statements one by one; rows of records and tables in batches, because a SELECT checks them.

use chrono::NaiveDate;

use crate::accounts::row_accounts::{FilePiece, ReadPiece};
use crate::domain::reason::{Reason, Refusal};
use crate::files::source::RawSource;
use crate::records::record_type::{DatedRecord, RecordFile, StoreRecord};
use crate::statements::record::{StatementFile, StatementRecord};
use parquote_catalogue::operation::DeclarationError;
use parquote_encodings::text::cells::CellRecord;
use parquote_encodings::text::dates;

/// Maximum number of rows that a SELECT checks at once, and of their bytes.
const MAX_BATCH: (usize, usize) = (4096, 4 << 20);

/// A record with its line.
pub(crate) type ReadRecord = (u32, StoreRecord);

/// Returns the day that the path of a file names, if its rows are known from that day.
fn date_of_path(source: &RawSource) -> Option<NaiveDate> {
    dates::in_path(&source.name).filter(|_| source.kind.format.is_dated_by_path())
}

/// Returns the reason for which a record is no row, regardless of its values; `symbol` is the column that shows repeated header lines.
fn fault(row: &CellRecord, source: &RawSource, symbol: usize) -> Option<Reason> {
    if row.repeats(&source.header, symbol) {
        Some(Reason::RepeatedHeader)
    } else if row.holds_a_row(source.fields) {
        Some(Reason::OpenQuote)
    } else if row.fits(source.fields) {
        None
    } else {
        Some(Reason::WrongFieldCount)
    }
}

/// Returns the readings of a row with more cells than columns: one for each column that may contain commas, with its cells joined. The
/// first reading that can be parsed is used. Other rows have none.
fn join_cells(row: &CellRecord, free_text: &[usize], columns: usize) -> Vec<CellRecord> {
    free_text.iter().filter_map(|column| row.joined(*column, columns)).collect()
}

/// Reads all rows of a file of statements. `tomorrow` is the latest day on which anything can have happened; `emit` receives the pieces
/// and returns false to stop.
pub(crate) fn read_figures(
    source: &RawSource,
    file: &dyn StatementFile,
    as_of: Option<NaiveDate>,
    tomorrow: NaiveDate,
    mut emit: impl FnMut(ReadPiece<(u32, StatementRecord)>) -> bool,
) {
    let record = |row: &CellRecord| -> Result<StatementRecord, Reason> {
        let record = file.record(row)?;
        if record.date() > tomorrow { Err(Reason::StillToCome) } else { Ok(record) }
    };
    let mut piece = FilePiece::for_source(source);
    let (path_date, free_text) = (date_of_path(source), source.free_text_columns());
    let outcome = source.records(|row| {
        let mut readings = join_cells(row, &free_text, source.fields);
        let position = readings.iter().position(|row| record(row).is_ok()).unwrap_or_default();
        let joined = (position < readings.len()).then(|| readings.swap_remove(position));
        let row = joined.as_ref().unwrap_or(row);
        if let Some(note) = file.note(row) {
            piece.note(note);
            return piece.take_if_full().is_none_or(&mut emit);
        }
        let parsed = fault(row, source, file.symbol_column()).map_or_else(|| record(row), Err);
        let parsed = parsed.and_then(|record| match as_of {
            Some(as_of) if path_date.unwrap_or(record.date()) > as_of => Err(Reason::AfterAsOf),
            _ => Ok((row.line(), record)),
        });
        piece.add(row, parsed);
        piece.take_if_full().is_none_or(&mut emit)
    });
    emit(piece.close_after(outcome));
}

/// A checked row: the position of the reading in use, and its outcome.
pub(crate) type CheckedRow<T> = (usize, Result<T, Refusal>);

/// Reads the rows of a file in batches. `check` gets the readings of each row: the row as written or, if commas in `free_text` columns
/// split cells, the row with each of these columns joined. `emit` receives the pieces and returns false to stop.
///
/// # Errors
/// `check` fails.
pub(crate) fn read_in_batches<T, E>(
    source: &RawSource,
    free_text: &[usize],
    mut check: impl FnMut(&[Vec<CellRecord>]) -> Result<Vec<CheckedRow<T>>, E>,
    mut emit: impl FnMut(ReadPiece<T>) -> bool,
) -> Result<(), E> {
    let mut piece = FilePiece::for_source(source);
    let mut add = |rows: &mut Vec<Vec<CellRecord>>| -> Result<bool, E> {
        for (readings, (used, row)) in rows.iter().zip(check(rows)?) {
            if let Some(record) = readings.get(used) {
                piece.add_supplied(record, row);
            }
            if piece.take_if_full().is_some_and(|piece| !emit(piece)) {
                return Ok(false);
            }
        }
        rows.clear();
        Ok(true)
    };
    let (mut rows, mut bytes, mut added) = (Vec::new(), 0, Ok(true));
    let outcome = source.records(|row| {
        let joined = join_cells(row, free_text, source.fields);
        bytes += row.bytes();
        rows.push(if joined.is_empty() { vec![row.clone()] } else { joined });
        if rows.len() >= MAX_BATCH.0 || bytes >= MAX_BATCH.1 {
            bytes = 0;
            added = add(&mut rows);
        }
        matches!(added, Ok(true))
    });
    if added? && add(&mut rows)? {
        emit(piece.close_after(outcome));
    }
    Ok(())
}

/// Reads and checks the rows of a file of records.
pub(crate) struct RecordReader<'a> {
    pub(crate) file: &'a RecordFile,
    pub(crate) source: &'a RawSource,
    pub(crate) as_of: Option<NaiveDate>,
    /// The latest day on which anything can have happened.
    pub(crate) tomorrow: NaiveDate,
}

impl RecordReader<'_> {
    /// Reads all rows; `emit` receives the pieces and returns false to stop.
    ///
    /// # Errors
    /// The declaration of the record has a mistake.
    pub(crate) fn read(
        self,
        emit: impl FnMut(ReadPiece<ReadRecord>) -> bool,
    ) -> Result<(), DeclarationError> {
        let (path_date, free_text) = (date_of_path(self.source), self.source.free_text_columns());
        read_in_batches(self.source, &free_text, |rows| self.check(rows, path_date), emit)
    }

    /// Checks rows; `path_date` is the date in the path, if it is the day from which rows are known.
    fn check(
        &self,
        rows: &[Vec<CellRecord>],
        path_date: Option<NaiveDate>,
    ) -> Result<Vec<CheckedRow<ReadRecord>>, DeclarationError> {
        let readings: Vec<&CellRecord> = rows.iter().flatten().collect();
        let mut records = self.file.records(&readings)?.into_iter();
        let checked = rows.iter().filter_map(|row| {
            let mut outcomes: Vec<_> = records
                .by_ref()
                .take(row.len())
                .map(|outcome| outcome.and_then(|record| self.refuse_future(record)))
                .collect();
            let used = outcomes.iter().position(Result::is_ok).unwrap_or_default();
            let (row, outcome) =
                (row.get(used)?, (used < outcomes.len()).then(|| outcomes.swap_remove(used))?);
            let outcome = match fault(row, self.source, self.file.symbol_column()) {
                Some(fault) => Err(refusal(fault)),
                None => outcome.and_then(|(record, date)| match path_date.or(date).zip(self.as_of) {
                    Some((date, as_of)) if date > as_of => Err(refusal(Reason::AfterAsOf)),
                    _ => Ok((row.line(), record)),
                }),
            };
            Some((used, outcome))
        });
        Ok(checked.collect())
    }

    /// Refuses a record with a date in the future, unless its type allows such dates.
    fn refuse_future(&self, (record, date): DatedRecord) -> Result<DatedRecord, Refusal> {
        let is_to_come = !self.file.is_announced() && date.is_some_and(|date| date > self.tomorrow);
        if is_to_come { Err(refusal(Reason::StillToCome)) } else { Ok((record, date)) }
    }
}

fn refusal(reason: Reason) -> Refusal {
    (reason.label().into(), None)
}
