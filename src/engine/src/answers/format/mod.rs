//! The formats of answers: one encoder and one file each. They know rows and columns, but not the query or the caller.

mod arrow;
mod columns;
mod csv;
mod json;
mod ndjson;
#[cfg(feature = "xlsx")]
mod xlsx;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;

pub(crate) use arrow::widened_type;
pub(crate) use csv::CsvRows;
pub use csv::csv_line;
#[cfg(feature = "xlsx")]
pub(crate) use xlsx::{BookCell, save_book, sheet, text};

use super::json::JsonRows;
use super::result_column::ResultColumn;
use parquote_catalogue::operation::{Answer, AnswerFormat};

/// Encodes batches as they arrive, then the fields around the rows.
pub(crate) trait Encoder: Send {
    fn encode(&mut self, batch: RecordBatch) -> Result<(), ArrowError>;

    /// Ends the answer. `wrapper` is the JSON object of the fields around the rows, as `{"count":3,...}`; empty if there are none.
    fn finish(self: Box<Self>, wrapper: &[u8], source: &AnswerSource<'_>) -> Result<Vec<u8>, ArrowError>;
}

/// Shape of an answer: its columns, types and outer form.
pub(crate) struct RowShape<'a> {
    pub answer: Answer,
    pub columns: &'a [ResultColumn],
    /// The schema of the plan, whose types may be narrower than those that are written.
    pub schema: &'a SchemaRef,
    pub json: &'a JsonRows,
}

/// Origin of an answer.
pub(crate) struct AnswerSource<'a> {
    pub operation: &'a str,
    pub snapshot: &'a str,
    pub as_of: Option<String>,
}

/// Returns the feature of the program that a format needs, if this build lacks it.
pub const fn lacking_feature(format: AnswerFormat) -> Option<&'static str> {
    match format {
        AnswerFormat::Xlsx if !cfg!(feature = "xlsx") => Some("xlsx"),
        AnswerFormat::Png if !cfg!(feature = "png") => Some("png"),
        _ => None,
    }
}

/// Returns true if a word names a format that this build cannot write.
pub fn is_lacking_format(word: &str) -> bool {
    AnswerFormat::from_word(word).is_some_and(|format| lacking_feature(format).is_some())
}

pub(crate) fn encoder<'a>(format: AnswerFormat, rows: &RowShape<'a>) -> Box<dyn Encoder + 'a> {
    match format {
        AnswerFormat::Columns => Box::new(columns::Columns::new(rows.columns, rows.json)),
        AnswerFormat::Ndjson => Box::new(ndjson::NdjsonLines::new(rows.json)),
        AnswerFormat::Csv => Box::new(csv::CsvRows::new(rows.columns, rows.json)),
        AnswerFormat::Arrow => Box::new(arrow::Stream::new(rows.columns, rows.schema)),
        #[cfg(feature = "xlsx")]
        AnswerFormat::Xlsx => Box::new(xlsx::Sheets::new(rows.columns, rows.json)),
        // A picture is not a format of rows, and formats that this build lacks are refused earlier: neither arrives here.
        _ => Box::new(json::JsonObjects::new(rows.answer, rows.json)),
    }
}
