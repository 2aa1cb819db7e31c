//! Fingerprints of rows: of bars by year and part, of the rows of single-file tables that were known by the end of a year, and of all
//! cells.
//!
//! Figures never look ahead, so the rows of a year depend only on bars and dated rows up to its end, on undated tables, and on rules. This
//! file hashes rows; [`super::fingerprint`] hashes the rules.

use std::collections::BTreeMap;

use blake3::Hasher;
use chrono::Datelike;
use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::compute::{filter_record_batch, min};
use datafusion::arrow::datatypes::{Date32Type, ToByteSlice};
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::error::Result;
use xxhash_rust::xxh3::Xxh3;

use super::cut::{YearBars, YearCuts};
use super::sessions;
use parquote_catalogue::operation::Table;
use parquote_functions::arrow_types::date;
use parquote_raw::{Session, SymbolBars};

/// Number of rows that are hashed at a time.
const HASHED_ROWS: usize = 64 * 1024;

/// Keys or fingerprints of the parts of each calendar year.
pub(super) type YearKeys = BTreeMap<i32, Vec<String>>;

/// For each year in which a stock traded, returns (year, number of bars in the year, digest of all bars up to the end of the year).
///
/// # Errors
/// A bar has a session number without a session.
pub(super) fn digests(stock: &SymbolBars, sessions: &[Session]) -> Result<Vec<(i32, usize, i64)>> {
    let years: Vec<i32> =
        stock.session.iter().map(|number| sessions::year(sessions, *number)).collect::<Result<_>>()?;
    let mut hasher = Xxh3::new();
    let mut first = 0;
    let mut digests = Vec::new();
    for run in years.chunk_by(|a, b| a == b) {
        let rows = first..first + run.len();
        first = rows.end;
        hasher.update(&(run.len() as u64).to_le_bytes());
        hasher.update(stock.session.get(rows.clone()).unwrap_or_default().to_byte_slice());
        hasher.update(stock.price_segment.get(rows.clone()).unwrap_or_default().to_byte_slice());
        for column in [
            &stock.open,
            &stock.high,
            &stock.low,
            &stock.close,
            &stock.cumulative_split_factor,
            &stock.shares,
            &stock.previous_close,
        ] {
            hasher.update(column.get(rows.clone()).unwrap_or_default().to_byte_slice());
        }
        for column in [&stock.volume, &stock.delivered] {
            hasher.update(column.get(rows.clone()).unwrap_or_default().to_byte_slice());
        }
        let assumed = stock.shares_assumed.get(rows.clone()).unwrap_or_default();
        hasher.update(&assumed.iter().map(|assumed| u8::from(*assumed)).collect::<Vec<u8>>());
        let series = stock.series.get(rows).unwrap_or_default();
        hasher.update(&series.iter().map(|series| *series as u8).collect::<Vec<u8>>());
        if first == stock.len()
            && stock.cumulative_split_factor.last() != Some(&stock.cumulative_split_factor_now)
        {
            // A split after the last bar rescales the figures of the last bar.
            hasher.update(&stock.cumulative_split_factor_now.to_le_bytes());
        }
        let (shares, is_assumed) = stock.shares_now;
        if first == stock.len()
            && (stock.shares.last().map(|last| last.to_bits()), stock.shares_assumed.last())
                != (Some(shares.to_bits()), Some(&is_assumed))
        {
            // A share count after the last bar changes the row of the last bar too.
            hasher.update(&shares.to_le_bytes());
            hasher.update(&[u8::from(is_assumed)]);
        }
        digests.extend(run.first().map(|year| (*year, run.len(), hasher.digest().cast_signed())));
    }
    Ok(digests)
}

/// Fingerprints bars, which must be sorted by symbol. The fingerprint of a part of a year covers all bars of its symbols up to the end of
/// the year.
pub(super) fn of_bars(bars: &[YearBars], cut: &YearCuts, sessions: &[Session]) -> YearKeys {
    let mut of_years: BTreeMap<i32, Vec<&YearBars>> = BTreeMap::new();
    for row in bars {
        of_years.entry(row.year).or_default().push(row);
    }
    let mut latest_digests: BTreeMap<&str, i64> = BTreeMap::new();
    let of_year = |(year, calendar): (i32, String)| {
        let rows = of_years.get(&year).into_iter().flatten();
        latest_digests.extend(rows.map(|row| (row.symbol.as_str(), row.digest)));
        let mut parts = vec![Hasher::new(); cut.parts(year)];
        for (symbol, digest) in &latest_digests {
            if let Some(part) = parts.get_mut(cut.part_of(year, symbol)) {
                part.update(&(symbol.len() as u64).to_le_bytes()).update(symbol.as_bytes());
                part.update(&digest.to_le_bytes());
            }
        }
        let with_calendar = |part: &mut Hasher| part.update(calendar.as_bytes()).finalize().to_string();
        (year, parts.iter_mut().map(with_calendar).collect())
    };
    of_sessions(sessions).into_iter().map(of_year).collect()
}

/// Fingerprints the sessions. The fingerprint of a year covers all sessions up to its end.
pub(super) fn of_sessions(sessions: &[Session]) -> BTreeMap<i32, String> {
    let mut hasher = Hasher::new();
    let of_year = |year: &[Session]| {
        for session in year {
            hasher.update(session.date.to_string().as_bytes());
        }
        year.first().map(|session| (session.date.year(), hasher.finalize().to_string()))
    };
    sessions.chunk_by(|a, b| a.date.year() == b.date.year()).filter_map(of_year).collect()
}

/// Fingerprints the rows of a single-file table. The fingerprint of a year covers the rows that were known by its end (at least the rows of
/// the first year with rows), or all rows if they have no date. With a cut, the fingerprint of a part covers the rows of its symbols, or
/// all rows if they have no symbol.
pub(super) fn of_rows(
    table: &Table,
    rows: &RecordBatch,
    years: &[i32],
    cut: Option<&YearCuts>,
) -> Result<YearKeys> {
    let names = table.known.iter().chain(&table.key).map(String::as_str).chain(["session"]);
    let dates = names.filter_map(|name| rows.column_by_name(name)?.as_primitive_opt::<Date32Type>());
    let dates = dates.take(1).find(|dates| dates.null_count() == 0);
    let first = dates.and_then(min).and_then(date).map(|day| day.year());
    let symbols = rows.column_by_name("symbol").and_then(|column| column.as_string_view_opt());
    let mut keys = YearKeys::new();
    for year in years {
        let known_by = first.map_or(*year, |first| first.max(*year));
        let known = |day: Option<i32>| day.and_then(date).is_some_and(|day| day.year() <= known_by);
        let rows = match dates {
            Some(dates) => {
                let retained: BooleanArray = dates.iter().map(|day| Some(known(day))).collect();
                filter_record_batch(rows, &retained)?
            }
            None => rows.clone(),
        };
        let of_parts = match cut {
            None => vec![of_cells(&rows)?],
            Some(cut) if symbols.is_none() => vec![of_cells(&rows)?; cut.parts(*year)],
            Some(cut) => of_symbols(&rows, *year, cut)?,
        };
        keys.insert(*year, of_parts);
    }
    Ok(keys)
}

/// Fingerprints the rows of each part of a year. A row belongs to the part of its symbol.
fn of_symbols(rows: &RecordBatch, year: i32, cut: &YearCuts) -> Result<Vec<String>> {
    let symbols = rows.column_by_name("symbol").and_then(|column| column.as_string_view_opt());
    let parts: Vec<usize> =
        symbols.into_iter().flatten().map(|symbol| cut.part_of(year, symbol.unwrap_or_default())).collect();
    let of_part = |part: usize| {
        let retained: BooleanArray = parts.iter().map(|of| Some(*of == part)).collect();
        of_cells(&filter_record_batch(rows, &retained)?)
    };
    (0..cut.parts(year)).map(of_part).collect()
}

/// Fingerprints a single-file table by the bytes of its file before the footer, which has the metadata. Returns `None` if the file is not
/// Parquet.
pub(super) fn of_file(bytes: &[u8]) -> Option<String> {
    // The footer is followed by its length (four bytes) and the magic number (four bytes).
    let (before, _) = bytes.split_last_chunk::<4>()?;
    let (before, length) = before.split_last_chunk::<4>()?;
    let rows = before.get(..before.len().checked_sub(u32::from_le_bytes(*length) as usize)?)?;
    Some(blake3::hash(rows).to_string())
}

/// Fingerprints rows by all their cells in order. Bytes that an array stores for nulls are ignored.
pub(super) fn of_cells(rows: &RecordBatch) -> Result<String> {
    let fields = rows.columns().iter().map(|column| SortField::new(column.data_type().clone()));
    let converter = RowConverter::new(fields.collect())?;
    let mut hasher = Hasher::new();
    hasher.update(&(rows.num_rows() as u64).to_le_bytes());
    for first in (0..rows.num_rows()).step_by(HASHED_ROWS) {
        let stretch = rows.slice(first, HASHED_ROWS.min(rows.num_rows() - first));
        let cells = converter.convert_columns(stretch.columns())?.try_into_binary()?;
        let lengths = cells.offsets().lengths().map(|length| length as u64);
        hasher.update(&lengths.flat_map(u64::to_le_bytes).collect::<Vec<u8>>()).update(cells.value_data());
    }
    Ok(hasher.finalize().to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{ArrayRef, Date32Array, Int64Array};
    use datafusion::parquet::arrow::ArrowWriter;
    use datafusion::parquet::file::metadata::KeyValue;
    use datafusion::parquet::file::properties::WriterProperties;

    use super::*;
    use crate::sessions::over_new_year;

    fn stock(close: [f64; 3], cumulative_split_factor: [f64; 3]) -> SymbolBars {
        SymbolBars {
            symbol: "AROHI".into(),
            session: vec![0, 1, 2],
            series: vec![parquote_raw::Series::Eq; 3],
            open: close.to_vec(),
            high: close.to_vec(),
            low: close.to_vec(),
            close: close.to_vec(),
            volume: vec![1; 3],
            delivered: vec![-1; 3],
            cumulative_split_factor: cumulative_split_factor.to_vec(),
            cumulative_split_factor_now: 5.0,
            shares: vec![f64::NAN; 3],
            shares_assumed: vec![false; 3],
            shares_now: (f64::NAN, false),
            price_segment: vec![0; 3],
            previous_close: vec![f64::NAN; 3],
        }
    }

    #[test]
    fn a_year_is_hashed_with_what_came_before_it_and_nothing_after() {
        let keys = |close, cumulative_split_factor| {
            let digests = digests(&stock(close, cumulative_split_factor), &over_new_year()).unwrap();
            let of_year =
                |(year, bars, digest)| YearBars { symbol: "AROHI".into(), year, bars: bars as u64, digest };
            of_bars(
                &digests.into_iter().map(of_year).collect::<Vec<_>>(),
                &YearCuts::default(),
                &over_new_year(),
            )
        };
        let base = keys([1.0, 2.0, 3.0], [1.0; 3]);
        let next_day = keys([1.0, 2.0, 9.0], [1.0; 3]);
        assert_eq!(base[&2024], next_day[&2024]);
        assert_ne!(base[&2025], next_day[&2025]);
        let earlier = keys([1.5, 2.0, 3.0], [1.0; 3]);
        assert!(base.iter().all(|(year, key)| earlier[year] != *key));
        // A split on the third day does not change the days before it; one on the second day does.
        let split = |cumulative_split_factor| keys([1.0, 2.0, 3.0], cumulative_split_factor);
        assert_eq!(base[&2024], split([1.0, 1.0, 5.0])[&2024]);
        assert_ne!(base[&2024], split([1.0, 5.0, 5.0])[&2024]);
        // A split after the last bar changes the fingerprint.
        assert_ne!(split([1.0, 1.0, 5.0]), base);
    }

    #[test]
    fn rows_count_from_the_year_in_which_they_are_known() {
        // 19,722 is 31 December 2023.
        let rows = |key: &str, days: Vec<i32>| {
            let text = format!(
                "-- Lists: of stocks.\n--\n-- key: {key}\n-- source: lists\n-- column: number int\n-- column: day date\n"
            );
            let table = Table::parse("tables/lists.sql", &text).unwrap().remove(0);
            let numbers: ArrayRef = std::sync::Arc::new(Int64Array::from_iter_values(0..days.len() as i64));
            let days: ArrayRef = std::sync::Arc::new(Date32Array::from(days));
            let rows = RecordBatch::try_from_iter([("number", numbers), ("day", days)]).unwrap();
            of_rows(&table, &rows, &[2022, 2023, 2024], None).unwrap()
        };
        let (dated, more) = (rows("day", vec![19_722]), rows("day", vec![19_722, 19_723]));
        assert_eq!(dated[&2023], more[&2023]);
        assert_ne!(dated[&2024], more[&2024]);
        let (undated, more) = (rows("number", vec![19_722]), rows("number", vec![19_722, 19_723]));
        assert_ne!(undated[&2023], more[&2023]);
        // The first list also applies to the time before it.
        assert_ne!(dated[&2022], rows("day", vec![19_721, 19_722])[&2022]);
    }

    #[test]
    fn cells_tell_rows_apart_and_what_lies_under_a_null_does_not() {
        use datafusion::arrow::array::{BooleanArray, Float64Array, StringViewArray};
        use datafusion::arrow::buffer::NullBuffer;
        let fingerprint = |column: ArrayRef| {
            of_cells(&RecordBatch::try_from_iter_with_nullable([("x", column, true)]).unwrap()).unwrap()
        };
        let numbers = |values: [f64; 2], valid: [bool; 2]| {
            let valid = NullBuffer::from(valid.to_vec());
            fingerprint(Arc::new(Float64Array::new(values.to_vec().into(), Some(valid))))
        };
        let base = numbers([1.0, 2.0], [true, false]);
        assert_eq!(base, numbers([1.0, 7.0], [true, false]));
        assert_ne!(base, numbers([1.0, 0.0], [true, true]));
        assert_ne!(base, numbers([2.0, 1.0], [false, true]));
        let texts = |texts: &[Option<&str>]| fingerprint(Arc::new(StringViewArray::from(texts.to_vec())));
        assert_ne!(texts(&[Some("ab"), Some("c")]), texts(&[Some("a"), Some("bc")]));
        assert_ne!(texts(&[Some(""), None]), texts(&[None, Some("")]));
        let flags = |flags: &[Option<bool>]| fingerprint(Arc::new(BooleanArray::from(flags.to_vec())));
        assert_ne!(flags(&[Some(true), Some(false)]), flags(&[Some(true), None]));
    }

    #[test]
    fn the_rows_of_a_file_count_and_its_notes_do_not() {
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
    fn rows_count_in_the_part_of_their_symbol() {
        use datafusion::arrow::array::StringViewArray;
        let bars = |symbol: String| YearBars { symbol, year: 2024, bars: 20_000, digest: 0 };
        let cut = YearCuts::from_bars(&(0..9).map(|number| bars(format!("S{number}"))).collect::<Vec<_>>());
        assert!(cut.parts(2024) > 1);
        let text = "-- Lists: of stocks.\n--\n-- key: symbol\n-- source: lists\n-- column: symbol text\n";
        let table = Table::parse("tables/lists.sql", text).unwrap().remove(0);
        let keys = |symbols: &[&str]| {
            let symbols: StringViewArray = symbols.iter().map(|symbol| Some(*symbol)).collect();
            let rows = RecordBatch::try_from_iter([("symbol", Arc::new(symbols) as ArrayRef)]).unwrap();
            of_rows(&table, &rows, &[2024], Some(&cut)).unwrap().remove(&2024).unwrap()
        };
        let (base, more) = (keys(&["S0", "S8"]), keys(&["S0", "S8", "S9"]));
        let differ: Vec<usize> = (0..base.len()).filter(|part| base[*part] != more[*part]).collect();
        assert_eq!(differ, [cut.part_of(2024, "S9")]);
    }
}
