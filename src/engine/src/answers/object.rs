//! An object with lists in the formats without an envelope: one of its lists as CSV, or the whole object as a workbook.

use datafusion::error::DataFusionError;
use serde_json::Value as Json;

use super::answer::AnswerFacts;
use super::format::{CsvRows, csv_line};
#[cfg(feature = "xlsx")]
use super::object_workbook::workbook;
use super::result_column::ResultColumn;
use parquote_catalogue::operation::{AnswerFormat, ColumnType, Operation, Value};

/// Encodes an object with these columns.
pub(crate) fn encode(
    format: AnswerFormat,
    columns: &[ResultColumn],
    object: &Json,
    facts: &AnswerFacts<'_>,
) -> Result<Vec<u8>, DataFusionError> {
    let lists = lists(columns, Some(object));
    match format {
        #[cfg(feature = "xlsx")]
        AnswerFormat::Xlsx => workbook(columns, object, &lists, facts)
            .map_err(|error| DataFusionError::External(Box::new(error))),
        _ => csv_of_list(&lists, facts)
            .ok_or_else(|| DataFusionError::Execution("the answer has no such list".to_owned())),
    }
}

/// Returns the list that the call names as CSV: a header line, and one line per row. `None` if the object has no such list.
fn csv_of_list(lists: &[(&ResultColumn, &[Json])], facts: &AnswerFacts<'_>) -> Option<Vec<u8>> {
    let Some(Value::Text(part)) = facts.arguments.get(facts.operation, Operation::PART) else { return None };
    let (list, rows) = lists.iter().find(|(list, _)| list.name == *part)?;
    let mut out = CsvRows::header_line(&list.fields);
    for row in *rows {
        let cell = |field: &ResultColumn| row.get(&field.name).cloned().unwrap_or_default();
        csv_line(&mut out, list.fields.iter().map(cell));
    }
    Some(out)
}

/// Returns the lists of an object and of the objects within it, each with its column and its rows, in the order of the columns.
fn lists<'a>(columns: &'a [ResultColumn], object: Option<&'a Json>) -> Vec<(&'a ResultColumn, &'a [Json])> {
    let lists_of_column = |column: &'a ResultColumn| {
        let value = object.and_then(|object| object.get(&column.name));
        match column.ty {
            ColumnType::Row => lists(&column.fields, value),
            ColumnType::Rows => {
                vec![(column, value.and_then(Json::as_array).map_or(&[][..], Vec::as_slice))]
            }
            _ => Vec::new(),
        }
    };
    columns.iter().flat_map(lists_of_column).collect()
}
