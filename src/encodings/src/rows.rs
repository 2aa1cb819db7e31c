//! A file as a header and records, for every encoding: CSV with commas or semicolons, tab-separated lines, a JSON array of objects (alone
//! or in an envelope), Parquet, or a whole document.
//!
//! The first bytes determine the encoding, never the name, except for documents of running text. A format of rows may come as CSV, as
//! tab-separated lines, as JSON or as Parquet: a cell is the text that a CSV file would have, empty without a value.

use std::cell::Cell;
use std::io::{self, Read};

use crate::decimal_commas;
use crate::documents::document::RawDocument;
use crate::json_rows::{self, Envelope};
use crate::last_line::{self, FileTail, LastLine};
use crate::parquet_rows;
use crate::stacked_rows::Stack;
use crate::text::cells::{CellRecord, HeaderLine};
use crate::unpack_bounds::{self, DOCUMENT, RowBoundReader};

/// Number of first bytes that contain the header line, or the first object of an array.
const HEAD_BYTES: u64 = 16 * 1024;

/// Number of first lines by which decimal commas are detected.
const DETECTION_LINES: usize = 20;

/// Encoding of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowEncoding {
    /// CSV with commas.
    Csv,
    /// CSV with semicolons.
    Semicolons,
    /// CSV with this separator and decimal commas.
    DecimalCommas {
        /// Character between cells.
        separator: u8,
    },
    /// CSV with several header lines; a line becomes one record for each symbol.
    Stacked,
    /// Lines of tab-separated cells without quotes.
    Tabs,
    /// A JSON document with an array of objects or of arrays.
    Json,
    /// One object per line; only for files with known columns.
    JsonLines,
    /// Parquet.
    Parquet,
    /// A document, which is converted to rows.
    Document(RawDocument),
}

/// Content of the beginning of a file.
pub enum Head {
    /// The file has no bytes, only blanks, or a response without rows.
    Empty,
    /// No known header in any encoding.
    Unknown,
    /// Rows, with this header.
    Rows(RowEncoding, HeaderLine),
}

/// Reads the beginning of a file.
pub fn head(reader: &mut dyn Read) -> io::Result<Head> {
    let mut head = Vec::new();
    reader.take(HEAD_BYTES).read_to_end(&mut head)?;
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
    let known = match first {
        None => return Ok(Head::Empty),
        Some(_) if head.starts_with(b"PAR1") => {
            head.append(&mut unpack_bounds::read_whole(reader, parquet_rows::MOST)?);
            Some((RowEncoding::Parquet, parquet_rows::header(head)?))
        }
        _ if let Some(document) = RawDocument::detect(&head) => {
            // Other workbooks begin in the same way.
            if document == RawDocument::DataSheet {
                head.append(&mut unpack_bounds::read_whole(reader, DOCUMENT)?);
                if !document.matches_whole(&head)? {
                    return Ok(Head::Unknown);
                }
            }
            Some((RowEncoding::Document(document), document.header()))
        }
        Some(b'[') => json_rows::header_of_first_object(&head).map(|header| (RowEncoding::Json, header)),
        // The part before the rows of a response may be longer than the head.
        Some(b'{') => match json_rows::read_envelope(&mut head.as_slice().chain(reader))? {
            Envelope::Empty => return Ok(Head::Empty),
            Envelope::None => None,
            Envelope::Rows(header) => Some((RowEncoding::Json, header)),
        },
        Some(_) => {
            let encoding = RowEncoding::detect_lines(&head);
            let lines = parse_first_lines(encoding, &head);
            match (&*lines, decimal_commas::detect(encoding == RowEncoding::Semicolons, &lines)) {
                ([], _) => None,
                ([first, second, ..], _) if let Some(stack) = Stack::from_header_lines(first, second) => {
                    Some((RowEncoding::Stacked, stack.header()))
                }
                ([first, ..], false) => Some((encoding, HeaderLine::new(first))),
                ([first, ..], true) => {
                    let separator = encoding.separator();
                    Some((RowEncoding::DecimalCommas { separator }, HeaderLine::new(first)))
                }
            }
        }
    };
    Ok(known.map_or(Head::Unknown, |(encoding, header)| Head::Rows(encoding, header)))
}

/// Bytes that [`detect_objects`] needs to distinguish an object around rows from a row.
pub const OBJECT_BYTES: u64 = HEAD_BYTES;

/// Returns the encoding of objects in a file that starts with these bytes; `None` if it has no objects. An object around an array of rows
/// is recognised by its beginning; the caller says if it may be one, because a row with a list called `data` looks the same.
pub fn detect_objects(start: &[u8], may_be_envelope: bool) -> Option<RowEncoding> {
    match start.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'[') => Some(RowEncoding::Json),
        Some(b'{') if may_be_envelope && json_rows::starts_as_envelope(start) => Some(RowEncoding::Json),
        Some(b'{') => Some(RowEncoding::JsonLines),
        _ => None,
    }
}

impl RowEncoding {
    /// Returns the encoding of a document of running text, and the header of its paragraphs.
    pub fn running_text() -> (Self, HeaderLine) {
        let document = RawDocument::FiledText;
        (Self::Document(document), document.header())
    }

    /// Returns the encoding of lines: tabs, semicolons or commas, whichever the first line has most.
    fn detect_lines(head: &[u8]) -> Self {
        let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let cells = |separator: u8| first.split(|byte| *byte == separator).count();
        match (cells(b'\t'), cells(b';'), cells(b',')) {
            (tabs, semicolons, commas) if semicolons > commas.max(tabs) => Self::Semicolons,
            (tabs, _, commas) if tabs > commas => Self::Tabs,
            _ => Self::Csv,
        }
    }

    /// Returns the character between cells of a line.
    const fn separator(self) -> u8 {
        match self {
            Self::Tabs => b'\t',
            Self::Semicolons => b';',
            Self::DecimalCommas { separator } => separator,
            _ => b',',
        }
    }

    /// Configures a reader of lines.
    fn csv_builder(self) -> csv::ReaderBuilder {
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(self.separator());
        builder.quoting(self.separator() != b'\t');
        builder
    }
}

/// Parses the first lines. The end of the head may truncate the last one.
fn parse_first_lines(encoding: RowEncoding, head: &[u8]) -> Vec<csv::ByteRecord> {
    let lines = encoding.csv_builder().from_reader(head).into_byte_records();
    lines.map_while(Result::ok).take(DETECTION_LINES).collect()
}

/// Passes each record to `each` until it returns false; the first line of a file of lines is skipped if the file has a header.
///
/// # Errors
/// A file that cannot be read, or is truncated; records before the fault have been passed on.
pub fn records(
    encoding: RowEncoding,
    has_header: bool,
    reader: &mut dyn Read,
    each: &mut dyn FnMut(&CellRecord) -> bool,
) -> io::Result<LastLine> {
    let outcome = match encoding {
        RowEncoding::Csv | RowEncoding::Semicolons | RowEncoding::Tabs => {
            return line_records(encoding, has_header, reader, each);
        }
        RowEncoding::DecimalCommas { .. } => {
            let mut plain = CellRecord::new();
            return line_records(encoding, has_header, reader, &mut |record| {
                record.rewrite_into(&mut plain, decimal_commas::with_decimal_point);
                each(&plain)
            });
        }
        RowEncoding::Stacked => return stacked_records(reader, each),
        RowEncoding::Json => json_rows::records(reader, each),
        // Such a file has no header, so that no format with a header is recognised in it.
        RowEncoding::JsonLines => Ok(()),
        RowEncoding::Parquet => parquet_rows::records(reader, each),
        RowEncoding::Document(document) => document.records(reader, each),
    };
    outcome.map(|()| LastLine::Ended)
}

fn stacked_records(reader: &mut dyn Read, each: &mut dyn FnMut(&CellRecord) -> bool) -> io::Result<LastLine> {
    let (mut first, mut stack, mut is_past_header) = (None, None, false);
    line_records(RowEncoding::Stacked, false, reader, &mut |line| match (&first, &stack) {
        (None, _) => {
            first = Some(line.cells().clone());
            true
        }
        (Some(above), None) => {
            stack = Stack::from_header_lines(above, line.cells());
            stack.is_some()
        }
        (Some(_), Some(_)) if !is_past_header && Stack::is_index(line) => {
            is_past_header = true;
            true
        }
        (Some(_), Some(stack)) => {
            is_past_header = true;
            stack.records(line, each)
        }
    })
}

fn line_records(
    encoding: RowEncoding,
    has_header: bool,
    reader: &mut dyn Read,
    each: &mut dyn FnMut(&CellRecord) -> bool,
) -> io::Result<LastLine> {
    let since = Cell::new(0);
    let tail = FileTail::new(RowBoundReader::new(reader, &since), encoding != RowEncoding::Tabs);
    let mut records = encoding.csv_builder().buffer_capacity(1 << 16).from_reader(tail);
    // The CSV reader counts the `\n` of `\r\n` as a part of the next line: the second line then begins on line 1, and each later one on a
    // number that is too low by one.
    let mut is_off_by_one = false;
    let mut read = |records: &mut csv::Reader<_>, into: &mut CellRecord| {
        since.set(0);
        let begins = records.position().clone();
        let read = records.read_byte_record(into.buffer()).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            other => io::Error::other(format!("{other:?}")),
        })?;
        is_off_by_one |= begins.byte() > 0 && begins.line() == 1;
        if is_off_by_one {
            into.set_line(begins.line() + 1);
        }
        Ok::<_, io::Error>(read)
    };
    // A record is passed on only when the next one has been read, because the last one may be truncated.
    let (mut next, mut record) = (CellRecord::new(), CellRecord::new());
    if !read(&mut records, &mut next)? {
        return Ok(LastLine::Ended);
    }
    let mut columns = last_line::count_columns(next.buffer());
    if has_header && !read(&mut records, &mut next)? {
        return Ok(LastLine::Ended);
    }
    loop {
        std::mem::swap(&mut next, &mut record);
        match read(&mut records, &mut next) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                // The end of this record has been read, so it is complete.
                each(&record);
                return Err(error);
            }
        }
        if !has_header {
            // Without a header, rows may have different numbers of cells.
            columns = columns.min(record.buffer().len());
        }
        if !each(&record) {
            return Ok(LastLine::Ended);
        }
    }
    let ending = records.get_ref().last_line(record.buffer(), columns)?;
    each(&record);
    Ok(ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_whatever_ends_them() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a,b", "1,2", "\"3", "3\",4", "5,6"].join(end);
            let mut lines = Vec::new();
            records(RowEncoding::Csv, true, &mut text.as_bytes(), &mut |record| {
                lines.push(record.line());
                true
            })
            .unwrap();
            let expected = if end == "\r" { vec![2, 2, 2] } else { vec![2, 3, 5] };
            assert_eq!(lines, expected, "{end:?}");
        }
    }
}
