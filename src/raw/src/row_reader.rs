//! Reads the rows of a file: rows of statements one by one; rows of records and tables in batches, because a SELECT judges them.

use chrono::NaiveDate;

use crate::accounts::row_accounts::{FilePiece, ReadPiece};
use crate::domain::reason::{Reason, Refusal};
use crate::files::source::RawSource;
use crate::records::record_type::{DatedRecord, RecordFile, StoreRecord};
use crate::statements::record::{StatementFile, StatementRecord};
use parquote_catalogue::operation::DeclarationError;
use parquote_encodings::text::cells::CellRecord;
use parquote_encodings::text::dates;

/// Maximum number of rows that a SELECT judges at once, and of their bytes.
const MOST_JUDGED: (usize, usize) = (4096, 4 << 20);

/// A record with its line.
pub(crate) type ReadRecord = (u32, StoreRecord);

/// Returns the date in the path of a file, if its rows count as known from that date on.
fn date_of_path(source: &RawSource) -> Option<NaiveDate> {
    dates::in_path(&source.name).filter(|_| source.kind.format.is_dated_by_path())
}

/// Returns the reason for which a record is no row, regardless of its values; `symbol` is the column by which header lines are found.
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

/// If a row has more cells than columns, returns it with the cells of one column joined, once for each column that may contain commas. The
/// first result that can be parsed is used.
fn join_cells(row: &CellRecord, worded: &[usize], columns: usize) -> Vec<CellRecord> {
    worded.iter().filter_map(|column| row.joined(*column, columns)).collect()
}

/// Reads all rows of a file of statements. `tomorrow` is the latest day on which anything can have happened; `put` takes the pieces and
/// returns false to stop.
pub(crate) fn read_figures(
    source: &RawSource,
    file: &dyn StatementFile,
    as_of: Option<NaiveDate>,
    tomorrow: NaiveDate,
    mut put: impl FnMut(ReadPiece<(u32, StatementRecord)>) -> bool,
) {
    let record = |row: &CellRecord| -> Result<StatementRecord, Reason> {
        let record = file.record(row)?;
        if record.date() > tomorrow { Err(Reason::StillToCome) } else { Ok(record) }
    };
    let mut piece = FilePiece::for_source(source);
    let (dated, worded) = (date_of_path(source), source.worded_columns());
    let outcome = source.records(|row| {
        let mut joined = join_cells(row, &worded, source.fields);
        let read = joined.iter().position(|row| record(row).is_ok()).unwrap_or_default();
        let joined = (read < joined.len()).then(|| joined.swap_remove(read));
        let row = joined.as_ref().unwrap_or(row);
        if let Some(note) = file.note(row) {
            piece.note(note);
            return piece.full().is_none_or(&mut put);
        }
        let read = fault(row, source, file.symbol()).map_or_else(|| record(row), Err);
        let read = read.and_then(|read| match as_of {
            Some(as_of) if dated.unwrap_or(read.date()) > as_of => Err(Reason::AfterAsOf),
            _ => Ok((row.line(), read)),
        });
        piece.add(row, read);
        piece.full().is_none_or(&mut put)
    });
    put(piece.close_after(outcome));
}

/// A row that was judged: the position of the reading in use, and its outcome.
pub(crate) type JudgedRow<T> = (usize, Result<T, Refusal>);

/// Reads the rows of a file many at once. `judge` gets each row as written; a row whose `worded` columns can be joined in several ways, once for
/// each way. `put` takes the pieces and returns false to stop.
///
/// # Errors
/// Rows cannot be judged.
pub(crate) fn read_many<T, E>(
    source: &RawSource,
    worded: &[usize],
    mut judge: impl FnMut(&[Vec<CellRecord>]) -> Result<Vec<JudgedRow<T>>, E>,
    mut put: impl FnMut(ReadPiece<T>) -> bool,
) -> Result<(), E> {
    let mut piece = FilePiece::for_source(source);
    let mut add = |rows: &mut Vec<Vec<CellRecord>>| -> Result<bool, E> {
        for (readings, (used, row)) in rows.iter().zip(judge(rows)?) {
            if let Some(record) = readings.get(used) {
                piece.add_supplied(record, row);
            }
            if piece.full().is_some_and(|piece| !put(piece)) {
                return Ok(false);
            }
        }
        rows.clear();
        Ok(true)
    };
    let (mut rows, mut bytes, mut added) = (Vec::new(), 0, Ok(true));
    let outcome = source.records(|row| {
        let joined = join_cells(row, worded, source.fields);
        bytes += row.bytes();
        rows.push(if joined.is_empty() { vec![row.clone()] } else { joined });
        if rows.len() >= MOST_JUDGED.0 || bytes >= MOST_JUDGED.1 {
            bytes = 0;
            added = add(&mut rows);
        }
        matches!(added, Ok(true))
    });
    if added? && add(&mut rows)? {
        put(piece.close_after(outcome));
    }
    Ok(())
}

/// Judges the rows of a file of records.
pub(crate) struct RecordJudge<'a> {
    pub(crate) file: &'a RecordFile,
    pub(crate) source: &'a RawSource,
    pub(crate) as_of: Option<NaiveDate>,
    /// The latest day on which anything can have happened.
    pub(crate) tomorrow: NaiveDate,
}

impl RecordJudge<'_> {
    /// Reads all rows; `put` takes the pieces and returns false to stop.
    ///
    /// # Errors
    /// The declaration of the record has a mistake.
    pub(crate) fn read(self, put: impl FnMut(ReadPiece<ReadRecord>) -> bool) -> Result<(), DeclarationError> {
        let dated = date_of_path(self.source);
        read_many(self.source, &self.source.worded_columns(), |rows| self.judge(rows, dated), put)
    }

    /// Judges rows; `dated` is the date in the path, if it is the day from which rows are known.
    fn judge(
        &self,
        rows: &[Vec<CellRecord>],
        dated: Option<NaiveDate>,
    ) -> Result<Vec<JudgedRow<ReadRecord>>, DeclarationError> {
        let readings: Vec<&CellRecord> = rows.iter().flatten().collect();
        let mut records = self.file.records(&readings)?.into_iter();
        let judged = rows.iter().filter_map(|row| {
            let mut read: Vec<_> = records
                .by_ref()
                .take(row.len())
                .map(|read| read.and_then(|read| self.refuse_future(read)))
                .collect();
            let used = read.iter().position(Result::is_ok).unwrap_or_default();
            let (row, read) = (row.get(used)?, (used < read.len()).then(|| read.swap_remove(used))?);
            let read = match fault(row, self.source, self.file.symbol()) {
                Some(fault) => Err(refusal(fault)),
                None => read.and_then(|(record, date)| match dated.or(date).zip(self.as_of) {
                    Some((date, as_of)) if date > as_of => Err(refusal(Reason::AfterAsOf)),
                    _ => Ok((row.line(), record)),
                }),
            };
            Some((used, read))
        });
        Ok(judged.collect())
    }

    /// Refuses a record of a day to come, unless it is an announcement.
    fn refuse_future(&self, (record, date): DatedRecord) -> Result<DatedRecord, Refusal> {
        let is_to_come = !self.file.is_announced() && date.is_some_and(|date| date > self.tomorrow);
        if is_to_come { Err(refusal(Reason::StillToCome)) } else { Ok((record, date)) }
    }
}

fn refusal(reason: Reason) -> Refusal {
    (reason.label().into(), None)
}
