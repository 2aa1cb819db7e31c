//! Stamps: what each calendar year of a long table, and each table in one file, is made from, so that what has the same inputs
//! is not made again.
//!
//! Figures never look ahead, so a year's rows are made from bars and dated rows up to its end, from undated tables, and from
//! what code and SQL do with them. Here is what hashes rows; the rules are [`super::fingerprint`]'s. Both stand in the file that
//! they belong to, and nowhere else.

use std::collections::BTreeMap;
use std::sync::Arc;

use blake3::Hasher;
use chrono::Datelike;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::compute::{filter_record_batch, min};
use datafusion::arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type, ToByteSlice};
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::error::Result;
use xxhash_rust::xxh3::Xxh3;

use super::raw::{Session, SymbolBars};
use crate::engine::arrow_types::date;
use crate::operation::Table;

/// The stamp of each calendar year.
pub(super) type Years = BTreeMap<i32, String>;

/// The digest of a stock's bars up to the end of each year in which it traded.
pub(super) fn digests(stock: &SymbolBars, sessions: &[Session]) -> Vec<(i32, i64)> {
    let year_of = |number: &u32| sessions.get(*number as usize).map_or(0, |session| session.date.year());
    let mut hasher = Xxh3::new();
    let mut first = 0;
    let mut digests = Vec::new();
    for run in stock.session.chunk_by(|a, b| year_of(a) == year_of(b)) {
        let rows = first..first + run.len();
        first = rows.end;
        hasher.update(&(run.len() as u64).to_le_bytes());
        hasher.update(run.to_byte_slice());
        hasher.update(stock.history.get(rows.clone()).unwrap_or_default().to_byte_slice());
        for column in
            [&stock.open, &stock.high, &stock.low, &stock.close, &stock.shares_of_one, &stock.shares]
        {
            hasher.update(column.get(rows.clone()).unwrap_or_default().to_byte_slice());
        }
        for column in [&stock.volume, &stock.delivered] {
            hasher.update(column.get(rows.clone()).unwrap_or_default().to_byte_slice());
        }
        let series = stock.series.get(rows).unwrap_or_default();
        hasher.update(&series.iter().map(|series| *series as u8).collect::<Vec<u8>>());
        if first == stock.len() && stock.shares_of_one.last() != Some(&stock.shares_of_one_now) {
            // A split since its last bar rescales what is said of that bar today.
            hasher.update(&stock.shares_of_one_now.to_le_bytes());
        }
        digests.extend(run.first().map(|number| (year_of(number), hasher.digest().cast_signed())));
    }
    digests
}

/// Stamps the bars by the digests of stocks: each year with all bars up to its end.
pub(super) fn of_bars<'a>(digests: impl Iterator<Item = (&'a str, i32, i64)>, sessions: &[Session]) -> Years {
    let mut years = by_session(sessions);
    for (symbol, year, digest) in digests {
        if let Some(hasher) = years.get_mut(&year) {
            hasher.update(symbol.as_bytes()).update(&digest.to_le_bytes());
        }
    }
    cumulated(years)
}

/// Stamps the sessions: each year with all up to its end.
pub(super) fn of_sessions(sessions: &[Session]) -> Years {
    cumulated(by_session(sessions))
}

fn by_session(sessions: &[Session]) -> BTreeMap<i32, Hasher> {
    let mut years: BTreeMap<i32, Hasher> = BTreeMap::new();
    for session in sessions {
        let hasher = years.entry(session.date.year()).or_default();
        hasher.update(session.date.to_string().as_bytes());
    }
    years
}

fn cumulated(years: BTreeMap<i32, Hasher>) -> Years {
    let mut before = String::new();
    let cumulated = years.into_iter().map(|(year, hasher)| {
        before = Hasher::new()
            .update(before.as_bytes())
            .update(hasher.finalize().as_bytes())
            .finalize()
            .to_string();
        (year, before.clone())
    });
    cumulated.collect()
}

/// Stamps the rows of a table in one file: each year with the rows known by its end and those known first, or all rows where
/// they have no date.
pub(super) fn of_rows(table: &Table, rows: &RecordBatch, years: impl Iterator<Item = i32>) -> Result<Years> {
    let names = table.known.iter().chain(&table.key).map(String::as_str).chain(["session"]);
    let dates = names.filter_map(|name| rows.column_by_name(name)?.as_primitive_opt::<Date32Type>());
    let dates = dates.take(1).find(|dates| dates.null_count() == 0);
    let first = dates.and_then(min).and_then(date).map_or(i32::MAX, |day| day.year());
    let mut stamps = Years::new();
    for year in years {
        let known = |day: Option<i32>| day.and_then(date).is_some_and(|day| day.year() <= year.max(first));
        let stamp = match dates {
            Some(dates) => {
                let kept: BooleanArray = dates.iter().map(|day| Some(known(day))).collect();
                of_cells(&filter_record_batch(rows, &kept)?)?
            }
            None => of_cells(rows)?,
        };
        stamps.insert(year, stamp);
    }
    Ok(stamps)
}

/// Stamps the rows of a table in one file by the bytes of the file, but for the footer, in which notes stand; `None` where it
/// is no Parquet.
pub(super) fn of_file(bytes: &[u8]) -> Option<String> {
    // The footer is followed by its length in four bytes and the four letters of the format.
    let (before, _) = bytes.split_last_chunk::<4>()?;
    let (before, length) = before.split_last_chunk::<4>()?;
    let rows = before.get(..before.len().checked_sub(u32::from_le_bytes(*length) as usize)?)?;
    Some(blake3::hash(rows).to_string())
}

/// A stamp of all years.
pub(super) fn of_years(years: &Years) -> String {
    blake3::hash(text(years).as_bytes()).to_string()
}

/// Stamps of all years as one text, for a table in one file.
pub(super) fn text(years: &Years) -> String {
    let lines: Vec<String> = years.iter().map(|(year, stamp)| format!("{year} {stamp}")).collect();
    lines.join("\n")
}

/// The stamps in such a text.
pub(super) fn read(text: &str) -> Years {
    let stamp = |line: &str| {
        line.split_once(' ').and_then(|(year, stamp)| Some((year.parse().ok()?, stamp.to_owned())))
    };
    text.lines().filter_map(stamp).collect()
}

/// Stamps rows by all of their cells, in their order.
pub(super) fn of_cells(rows: &RecordBatch) -> Result<String> {
    let mut hasher = Hasher::new();
    hasher.update(&(rows.num_rows() as u64).to_le_bytes());
    // Long pieces are hashed many times as fast as short ones.
    let mut held = Vec::new();
    for column in rows.columns() {
        held.clear();
        hold_cells(column, &mut held)?;
        hasher.update(&(held.len() as u64).to_le_bytes()).update(&held);
    }
    Ok(hasher.finalize().to_string())
}

/// Adds the bytes of all cells of a column; what lies in the place of a null is no cell.
fn hold_cells(column: &ArrayRef, held: &mut Vec<u8>) -> Result<()> {
    let is_there = |row: usize| column.is_valid(row);
    if column.null_count() > 0 {
        held.extend((0..column.len()).map(|row| u8::from(is_there(row))));
    }
    macro_rules! primitives {
        ($array:expr) => {
            if column.null_count() == 0 {
                held.extend_from_slice($array.values().to_byte_slice());
            } else {
                for value in $array.iter().flatten() {
                    held.extend_from_slice(&value.to_le_bytes());
                }
            }
        };
    }
    match column.data_type() {
        DataType::Float64 => primitives!(column.as_primitive::<Float64Type>()),
        DataType::Int64 => primitives!(column.as_primitive::<Int64Type>()),
        DataType::Date32 => primitives!(column.as_primitive::<Date32Type>()),
        DataType::Boolean => held.extend(column.as_boolean().iter().flatten().map(u8::from)),
        DataType::Utf8View => {
            for text in column.as_string_view().iter().flatten() {
                held.extend_from_slice(&(text.len() as u64).to_le_bytes());
                held.extend_from_slice(text.as_bytes());
            }
        }
        other => {
            let converter = RowConverter::new(vec![SortField::new(other.clone())])?;
            for cell in &converter.convert_columns(&[Arc::clone(column)])? {
                held.extend_from_slice(&(cell.as_ref().len() as u64).to_le_bytes());
                held.extend_from_slice(cell.as_ref());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use datafusion::arrow::array::{Date32Array, Int64Array};
    use datafusion::parquet::arrow::ArrowWriter;
    use datafusion::parquet::file::metadata::KeyValue;
    use datafusion::parquet::file::properties::WriterProperties;

    use super::*;

    fn sessions() -> Vec<Session> {
        [(2024, 12, 30), (2024, 12, 31), (2025, 1, 1)]
            .into_iter()
            .map(|(y, m, d)| Session { date: NaiveDate::from_ymd_opt(y, m, d).unwrap(), stocks: 1 })
            .collect()
    }

    fn stock(close: [f64; 3], shares_of_one: [f64; 3]) -> SymbolBars {
        SymbolBars {
            symbol: "AROHI".into(),
            session: vec![0, 1, 2],
            series: vec![super::super::raw::Series::Eq; 3],
            open: close.to_vec(),
            high: close.to_vec(),
            low: close.to_vec(),
            close: close.to_vec(),
            volume: vec![1; 3],
            delivered: vec![-1; 3],
            shares_of_one: shares_of_one.to_vec(),
            shares_of_one_now: 5.0,
            shares: vec![f64::NAN; 3],
            history: vec![0; 3],
        }
    }

    #[test]
    fn a_year_is_stamped_with_what_came_before_it_and_nothing_after() {
        let stamps = |close, shares_of_one| {
            let digests = digests(&stock(close, shares_of_one), &sessions());
            of_bars(digests.into_iter().map(|(year, digest)| ("AROHI", year, digest)), &sessions())
        };
        let base = stamps([1.0, 2.0, 3.0], [1.0; 3]);
        let next_day = stamps([1.0, 2.0, 9.0], [1.0; 3]);
        assert_eq!(base[&2024], next_day[&2024]);
        assert_ne!(base[&2025], next_day[&2025]);
        let earlier = stamps([1.5, 2.0, 3.0], [1.0; 3]);
        assert!(base.iter().all(|(year, stamp)| earlier[year] != *stamp));
        // A split on the third day leaves the days before it alone, one on the second does not.
        let split = |shares_of_one| stamps([1.0, 2.0, 3.0], shares_of_one);
        assert_eq!(base[&2024], split([1.0, 1.0, 5.0])[&2024]);
        assert_ne!(base[&2024], split([1.0, 5.0, 5.0])[&2024]);
        // One behind the last bar is told from none.
        assert_ne!(split([1.0, 1.0, 5.0]), base);
    }

    #[test]
    fn rows_count_from_the_year_in_which_they_are_known() {
        // 19,722 is 31 December 2023.
        let rows = |key: &str, days: Vec<i32>| {
            let text = format!(
                "-- Lists: of stocks.\n--\n-- key: {key}\n-- source: lists\n-- column: number int\n-- column: day date\n"
            );
            let table = Table::parse("tables/lists.sql", &text).unwrap();
            let numbers: ArrayRef = std::sync::Arc::new(Int64Array::from_iter_values(0..days.len() as i64));
            let days: ArrayRef = std::sync::Arc::new(Date32Array::from(days));
            let rows = RecordBatch::try_from_iter([("number", numbers), ("day", days)]).unwrap();
            of_rows(&table, &rows, 2022..=2024).unwrap()
        };
        let (dated, more) = (rows("day", vec![19_722]), rows("day", vec![19_722, 19_723]));
        assert_eq!(dated[&2023], more[&2023]);
        assert_ne!(dated[&2024], more[&2024]);
        let (undated, more) = (rows("number", vec![19_722]), rows("number", vec![19_722, 19_723]));
        assert_ne!(undated[&2023], more[&2023]);
        // A list that is the first holds for the time before it too.
        assert_ne!(dated[&2022], rows("day", vec![19_721, 19_722])[&2022]);
    }

    #[test]
    fn cells_stamp_rows_and_what_lies_under_a_null_does_not() {
        use datafusion::arrow::array::{BooleanArray, Float64Array, StringViewArray};
        use datafusion::arrow::buffer::NullBuffer;
        let stamp = |column: ArrayRef| {
            of_cells(&RecordBatch::try_from_iter_with_nullable([("x", column, true)]).unwrap()).unwrap()
        };
        let numbers = |values: [f64; 2], valid: [bool; 2]| {
            let valid = NullBuffer::from(valid.to_vec());
            stamp(Arc::new(Float64Array::new(values.to_vec().into(), Some(valid))))
        };
        let base = numbers([1.0, 2.0], [true, false]);
        assert_eq!(base, numbers([1.0, 7.0], [true, false]));
        assert_ne!(base, numbers([1.0, 0.0], [true, true]));
        assert_ne!(base, numbers([2.0, 1.0], [false, true]));
        let texts = |texts: &[Option<&str>]| stamp(Arc::new(StringViewArray::from(texts.to_vec())));
        assert_ne!(texts(&[Some("ab"), Some("c")]), texts(&[Some("a"), Some("bc")]));
        assert_ne!(texts(&[Some(""), None]), texts(&[None, Some("")]));
        let flags = |flags: &[Option<bool>]| stamp(Arc::new(BooleanArray::from(flags.to_vec())));
        assert_ne!(flags(&[Some(true), Some(false)]), flags(&[Some(true), None]));
    }

    #[test]
    fn the_rows_of_a_file_stamp_it_and_its_notes_do_not() {
        let file = |symbol: &str, note: &str| {
            let rows = RecordBatch::try_from_iter([(
                "symbol",
                std::sync::Arc::new(datafusion::arrow::array::StringArray::from(vec![symbol])) as ArrayRef,
            )]);
            let rows = rows.unwrap();
            let notes = vec![KeyValue::new("note".to_owned(), note.to_owned())];
            let properties = WriterProperties::builder().set_key_value_metadata(Some(notes)).build();
            let mut bytes = Vec::new();
            let mut writer = ArrowWriter::try_new(&mut bytes, rows.schema(), Some(properties)).unwrap();
            writer.write(&rows).unwrap();
            writer.close().unwrap();
            bytes
        };
        let base = of_file(&file("AROHI", "of a day"));
        assert!(base.is_some());
        assert_eq!(base, of_file(&file("AROHI", "of another, longer day")));
        assert_ne!(base, of_file(&file("BELA", "of a day")));
        assert_eq!((of_file(b"PAR1"), of_file(b"no Parquet at all")), (None, None));
    }

    #[test]
    fn stamps_of_a_table_in_one_file_are_read_back() {
        let years = Years::from([(2024, "ab".to_owned()), (2025, "cd".to_owned())]);
        assert_eq!(read(&text(&years)), years);
        assert!(read("a stamp of another kind").is_empty());
    }
}
