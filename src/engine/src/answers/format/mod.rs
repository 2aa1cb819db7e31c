//! The formats in which rows leave: an encoder each, a file each. They know rows and columns, and nothing of how these came
//! to be or of who asked.

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

pub(crate) use arrow::plain;
pub(crate) use csv::CsvRows;
pub use csv::csv_line;

use super::json::JsonRows;
use super::result_column::ResultColumn;
use parquote_catalogue::operation::{Answer, AnswerFormat};

/// Writes rows as they come, then what is around them.
pub(crate) trait Encoder: Send {
    /// Takes rows.
    fn rows(&mut self, batch: RecordBatch) -> Result<(), ArrowError>;

    /// Ends the answer. `around` is what stands beside the rows, as JSON: `{"count":3,...}`; empty where nothing does.
    fn finish(self: Box<Self>, around: &[u8], source: &AnswerSource<'_>) -> Result<Vec<u8>, ArrowError>;
}

/// What the rows of an answer are.
pub(crate) struct RowShape<'a> {
    pub answer: Answer,
    pub columns: &'a [ResultColumn],
    /// The types that the planner gave them.
    pub schema: &'a SchemaRef,
    pub json: &'a JsonRows,
}

/// Where an answer comes from.
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

/// The encoder of a format.
pub(crate) fn encoder<'a>(format: AnswerFormat, rows: &RowShape<'a>) -> Box<dyn Encoder + 'a> {
    match format {
        AnswerFormat::Columns => Box::new(columns::Columns::new(rows.columns, rows.json)),
        AnswerFormat::Ndjson => Box::new(ndjson::NdjsonLines::new(rows.json)),
        AnswerFormat::Csv => Box::new(csv::CsvRows::new(rows.columns, rows.json)),
        AnswerFormat::Arrow => Box::new(arrow::Stream::new(rows.columns, rows.schema)),
        #[cfg(feature = "xlsx")]
        AnswerFormat::Xlsx => Box::new(xlsx::Sheets::new(rows.columns, rows.json)),
        // A picture is no format of rows, and a format that this build lacks is refused before: neither comes here.
        _ => Box::new(json::JsonObjects::new(rows.answer, rows.json)),
    }
}
