//! Parses the text of a file: its header, its rows, the date in them, and the completeness of its last row.

use std::cell::Cell;
use std::io::{self, BufRead, Read};

use chrono::NaiveDate;
use chrono_tz::Tz;
use csv::{ByteRecord, ReaderBuilder};

use super::content_error::ContentError;
use super::dates;
use super::expected_content::{ExpectedContent, Magic};

/// Maximum bytes of a row, the same as in `derive`.
const LONGEST_ROW_BYTES: u64 = 8 << 20;

/// Number of bytes at the beginning that are searched for words.
const SEARCHED_BYTES: usize = 16 * 1024;

/// Facts about the rows of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowSummary {
    /// Number of rows after the header.
    pub(crate) count: u64,
    /// The date of the first row with a date.
    pub(crate) date: Option<NaiveDate>,
    /// True if the text states that it has no rows, which is valid.
    pub(crate) states_no_rows: bool,
}

/// Reads a text to its end, and checks it against the expectation.
pub(crate) fn read(
    text: &mut dyn BufRead,
    expect: &ExpectedContent,
    zone: Tz,
) -> Result<RowSummary, ContentError> {
    let beginning = read_beginning(text)?;
    let words = String::from_utf8_lossy(beginning.get_ref());
    let words = words.trim_start_matches('\u{feff}').trim_start();
    if let Some(starts) = expect.starts.as_deref().filter(|starts| !words.starts_with(starts)) {
        return Err(ContentError::Drifted(format!("it does not begin with `{starts}`")));
    }
    if let Some(word) = expect.words.iter().find(|word| !words.contains(word.as_str())) {
        return Err(ContentError::Drifted(format!("`{word}` is not near its beginning")));
    }
    let states_no_rows = expect.none.as_deref().is_some_and(|none| words.contains(none));
    let mut text = beginning.chain(text);
    if expect.magic == Magic::Json {
        let count = parse_to_end(&mut text)?;
        return Ok(RowSummary { count, date: None, states_no_rows });
    }
    let mut rows = if expect.header.is_empty() && expect.columns.is_none() {
        count_lines(&mut text)?
    } else {
        read_table(&mut text, expect, zone)?
    };
    rows.states_no_rows = states_no_rows;
    Ok(rows)
}

fn read_beginning(text: &mut dyn BufRead) -> io::Result<io::Cursor<Vec<u8>>> {
    let mut beginning = Vec::new();
    Read::take(&mut *text, SEARCHED_BYTES as u64).read_to_end(&mut beginning)?;
    Ok(io::Cursor::new(beginning))
}

/// Parses JSON to its end without storing it, which detects a truncated document.
fn parse_to_end(text: &mut dyn Read) -> Result<u64, ContentError> {
    serde_json::from_reader::<_, serde::de::IgnoredAny>(io::BufReader::new(text))
        .map(|_| 1)
        .map_err(|error| ContentError::Broken(format!("it is not a complete JSON document: {error}")))
}

/// Counts lines that are not blank.
fn count_lines(text: &mut dyn Read) -> Result<RowSummary, ContentError> {
    let mut count = 0;
    let mut is_blank = true;
    let mut block = vec![0; 64 * 1024];
    loop {
        let read = text.read(&mut block)?;
        if read == 0 {
            break;
        }
        for byte in block.iter().take(read) {
            match byte {
                b'\n' => {
                    count += u64::from(!is_blank);
                    is_blank = true;
                }
                byte => is_blank &= byte.is_ascii_whitespace(),
            }
        }
    }
    Ok(RowSummary { count: count + u64::from(!is_blank), ..RowSummary::default() })
}

/// A reader that fails when a row exceeds the row limit, before the row fills the memory.
struct RowLimitReader<'a> {
    text: &'a mut dyn Read,
    /// Bytes read since the end of the previous row.
    row_bytes: &'a Cell<u64>,
}

impl Read for RowLimitReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(into)?;
        self.row_bytes.set(self.row_bytes.get() + count as u64);
        if self.row_bytes.get() > LONGEST_ROW_BYTES {
            return Err(io::Error::other(format!("a row of it is longer than {LONGEST_ROW_BYTES} bytes")));
        }
        Ok(count)
    }
}

/// Reads rows of separated cells.
fn read_table(text: &mut dyn Read, expect: &ExpectedContent, zone: Tz) -> Result<RowSummary, ContentError> {
    let broken = |error: csv::Error| ContentError::Broken(error.to_string());
    let row_bytes = Cell::new(0);
    let text = RowLimitReader { text, row_bytes: &row_bytes };
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(u8::try_from(expect.delimiter).unwrap_or(b','))
        .from_reader(text);
    let mut record = ByteRecord::new();
    if !reader.read_byte_record(&mut record).map_err(broken)? {
        return Ok(RowSummary::default());
    }
    // Some headers end with a separator and no further column.
    let width = record.len() - record.iter().rev().take_while(|cell| cell.trim_ascii().is_empty()).count();
    let date = check_first_line(&record, expect)?;
    // Without a header the first line is a row.
    let mut rows = RowSummary { count: u64::from(expect.header.is_empty()), ..RowSummary::default() };
    let mut last_width = width;
    while reader.read_byte_record(&mut record).map_err(broken)? {
        row_bytes.set(0);
        if record.iter().all(|cell| cell.trim_ascii().is_empty()) {
            continue;
        }
        rows.count += 1;
        last_width = record.len();
        if rows.date.is_none()
            && let Some(cell) = date.and_then(|column| record.get(column))
        {
            rows.date = dates::in_cell(&String::from_utf8_lossy(cell), zone);
        }
    }
    // Tables with other separators may end with trailer lines.
    if last_width < width && expect.delimiter == ',' && expect.none.is_none() {
        return Err(ContentError::Broken(format!("its last row is cut: {last_width} of {width} fields")));
    }
    let may_lack_dates = expect.none.is_some();
    if expect.date.is_some() && rows.date.is_none() && rows.count > 0 && !may_lack_dates {
        return Err(ContentError::Drifted("no row has a date in the column of dates".to_owned()));
    }
    Ok(rows)
}

/// Checks the first line against the expectation; returns the index of the date column.
fn check_first_line(first: &ByteRecord, expect: &ExpectedContent) -> Result<Option<usize>, ContentError> {
    if let Some(columns) = expect.columns.filter(|columns| *columns != first.len()) {
        return Err(ContentError::Drifted(format!(
            "its first line has {} fields, not {columns}",
            first.len()
        )));
    }
    let names: Vec<String> = first.iter().map(clean_name).collect();
    let position = |column: &str| names.iter().position(|name| name.eq_ignore_ascii_case(column.trim()));
    let missing: Vec<&str> =
        expect.header.iter().map(String::as_str).filter(|column| position(column).is_none()).collect();
    if !missing.is_empty() {
        return Err(ContentError::Drifted(format!("it lacks the columns {}", missing.join(", "))));
    }
    Ok(expect.date.as_deref().and_then(position))
}

/// Returns a column's name without surrounding blanks, quotes and byte order mark.
fn clean_name(cell: &[u8]) -> String {
    let text = String::from_utf8_lossy(cell);
    text.trim_start_matches('\u{feff}').trim().trim_matches('"').trim().to_owned()
}
