//! NSE's `symbolchange`: the company's name, the old symbol, the new one and the first day under it.
//!
//! A file without a header line is recognised by its four columns, the last of which is a date.

use crate::declared::plain_row::{DeclaredFile, FileFacts, PlainColumn};
use crate::formats::records;
use crate::records::raw_format::{Format, Layout};
use crate::records::record_type::RecordFile;
use parquote_catalogue::operation::Market;
use parquote_encodings::text::cells::HeaderLine;
use parquote_encodings::text::dates;
use parquote_encodings::text::file_head::FileHead;

/// The number of columns of a file without a header.
const COLUMN_COUNT: usize = 4;

/// The columns of the old symbol, the new one and the date.
const READ_COLUMNS: [usize; 3] = [1, 2, 3];

/// NSE's changes of symbols, without a header line.
pub(super) static SYMBOL_CHANGES: Format = Format {
    recognise: |head| without_header(head).map(Layout::Records),
    headerless: Some(COLUMN_COUNT),
    market: Some(Market::India),
    ..Format::new("symbol changes")
};

/// Returns true if the first line of a file is a change of a symbol.
fn is_change(first: &HeaderLine) -> bool {
    // The name may contain commas.
    let [_, .., old, new, date] = first.cells() else { return false };
    let is_symbol = |text: &str| !text.is_empty() && !text.contains(' ');
    dates::in_cell(date.as_bytes()).is_some() && is_symbol(old) && is_symbol(new)
}

/// Opens a file whose first line is a change of a symbol.
fn without_header(head: &FileHead<'_>) -> Option<RecordFile> {
    let record = records::record_named("symbol change").filter(|_| is_change(head.header))?;
    let columns = READ_COLUMNS.map(|column| PlainColumn::at(Some(column))).to_vec();
    let facts = FileFacts { market: head.market, word: None, date: None };
    Some(RecordFile::new(record, DeclaredFile { fields: COLUMN_COUNT, columns, facts, restates: false }))
}
