//! `format=xlsx`: a workbook. The first sheet has a header line and one line per row; the second gives the description and unit of each
//! column, and the origin of the rows.
//!
//! Cells have the types of the values: numbers as JSON writes them, flags, dates. A text is always a text cell, never a formula, so that
//! nothing is run. A list or struct is its JSON text. The same rows give the same bytes.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};
use serde_json::Value as Json;

use super::{AnswerSource, Encoder};
use crate::answers::json::{JsonCell, JsonRows};
use crate::answers::result_column::ResultColumn;
use parquote_catalogue::operation::ColumnType;

/// The longest text of a cell, in characters: a limit of the format. Longer texts are cut.
const LONGEST_TEXT: usize = 32_767;

pub(crate) type BookCell = (ColumnType, Json);

/// The sheet of the rows, under construction.
pub(super) struct Sheets<'a> {
    columns: &'a [ResultColumn],
    json: &'a JsonRows,
    sheet: Worksheet,
    date: Format,
    /// Number of lines so far, including the header line.
    rows: u32,
}

impl<'a> Sheets<'a> {
    pub(super) fn new(columns: &'a [ResultColumn], json: &'a JsonRows) -> Self {
        Self { columns, json, sheet: Worksheet::new(), date: date_format(), rows: 1 }
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), XlsxError> {
        let rows = self.json.open(batch);
        for row in 0..batch.num_rows() {
            let (mut position, mut written) = (0_u16, Ok(()));
            rows.visit_cells(row, |cell| {
                let ty = self.columns.get(usize::from(position)).map(|column| column.ty);
                if written.is_ok() {
                    written = write_value(&mut self.sheet, &self.date, (self.rows, position), (&cell, ty));
                }
                position += 1;
            });
            written?;
            self.rows += 1;
        }
        Ok(())
    }

    fn save(mut self, source: &AnswerSource<'_>) -> Result<Vec<u8>, XlsxError> {
        let bold = Format::new().set_bold();
        for (position, column) in (0_u16..).zip(self.columns) {
            self.sheet.write_string_with_format(0, position, &column.name, &bold)?;
            if column.ty == ColumnType::Date {
                self.sheet.set_column_width(position, 11)?;
            }
        }
        self.sheet.set_name("Rows")?.set_freeze_panes(1, 1)?;
        let column_lines =
            self.columns.iter().map(|column| [&*column.name, column.unit.label(), &*column.words]);
        let as_of = source.as_of.as_deref().unwrap_or_default();
        let source_lines = [
            ["", "", ""],
            ["operation", "", source.operation],
            ["snapshot", "", source.snapshot],
            ["as_of", "", as_of],
        ];
        let lines = column_lines.chain(source_lines).map(|line| Vec::from(line.map(text)));
        let words = sheet("Columns", &[("column", 24), ("unit", 14), ("words", 90)], lines)?;
        save_book([self.sheet, words])
    }
}

/// Builds a sheet of lines under headings. A heading is the name of its column and the width of the column in characters.
pub(crate) fn sheet(
    name: &str,
    headings: &[(&str, u8)],
    lines: impl Iterator<Item = Vec<BookCell>>,
) -> Result<Worksheet, XlsxError> {
    let (bold, date) = (Format::new().set_bold(), date_format());
    let mut sheet = Worksheet::new();
    sheet.set_name(name)?.set_freeze_panes(1, 1)?;
    for (position, (heading, width)) in (0_u16..).zip(headings) {
        sheet.write_string_with_format(0, position, *heading, &bold)?.set_column_width(position, *width)?;
    }
    for (row, line) in (1_u32..).zip(lines) {
        for (position, (ty, value)) in (0_u16..).zip(line) {
            let json = value.to_string();
            let cell = match &value {
                Json::Null => JsonCell::None,
                Json::String(text) if ty != ColumnType::Date => JsonCell::Text(text),
                _ => JsonCell::Json(json.as_bytes()),
            };
            write_value(&mut sheet, &date, (row, position), (&cell, Some(ty)))?;
        }
    }
    Ok(sheet)
}

pub(crate) fn text(text: &str) -> BookCell {
    (ColumnType::Text, text.into())
}

fn date_format() -> Format {
    Format::new().set_num_format("yyyy-mm-dd")
}

/// Returns the bytes of a workbook.
pub(crate) fn save_book(sheets: impl IntoIterator<Item = Worksheet>) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    // A fixed creation time: the same rows must give the same bytes.
    book.set_properties(&DocProperties::new().set_creation_datetime(&ExcelDateTime::from_ymd(2000, 1, 1)?));
    sheets.into_iter().for_each(|sheet| book.push_worksheet(sheet));
    book.save_to_buffer()
}

/// Writes a value as a cell of its type.
fn write_value(
    sheet: &mut Worksheet,
    date: &Format,
    (row, position): (u32, u16),
    (cell, ty): (&JsonCell<'_>, Option<ColumnType>),
) -> Result<(), XlsxError> {
    let json = match cell {
        JsonCell::None => return Ok(()),
        JsonCell::Text(text) => return text_cell(sheet, (row, position), text),
        JsonCell::Json(json) => String::from_utf8_lossy(json),
    };
    match (ty, json.parse::<f64>()) {
        (Some(ColumnType::Int | ColumnType::Number), Ok(number)) => {
            sheet.write_number(row, position, number).map(drop)
        }
        (Some(ColumnType::Bool), _) => sheet.write_boolean(row, position, json == "true").map(drop),
        (Some(ColumnType::Date), _) => match ExcelDateTime::parse_from_str(json.trim_matches('"')) {
            Ok(day) => sheet.write_datetime_with_format(row, position, &day, date).map(drop),
            Err(_) => text_cell(sheet, (row, position), json.trim_matches('"')),
        },
        _ => text_cell(sheet, (row, position), &json),
    }
}

fn text_cell(sheet: &mut Worksheet, (row, position): (u32, u16), text: &str) -> Result<(), XlsxError> {
    let end = text.char_indices().nth(LONGEST_TEXT).map_or(text.len(), |(end, _)| end);
    sheet.write_string(row, position, text.get(..end).unwrap_or_default()).map(drop)
}

impl Encoder for Sheets<'_> {
    fn encode(&mut self, batch: RecordBatch) -> Result<(), ArrowError> {
        self.write(&batch).map_err(|error| ArrowError::ExternalError(Box::new(error)))
    }

    fn finish(self: Box<Self>, _: &[u8], source: &AnswerSource<'_>) -> Result<Vec<u8>, ArrowError> {
        self.save(source).map_err(|error| ArrowError::ExternalError(Box::new(error)))
    }
}
