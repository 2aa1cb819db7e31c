//! `format=xlsx` of an object: a workbook of its figures, of the arguments of the call, and of its lists.
//!
//! The sheet Summary has a line for each figure or text, and the sheet Rules has a line for each argument. Each list has a sheet of its
//! name; Columns gives the description and unit of their columns, and the origin of the answer. Cells are written as in workbooks of rows:
//! a text is never a formula.

use rust_xlsxwriter::XlsxError;
use serde_json::Value as Json;

use super::answer::AnswerFacts;
use super::format::{BookCell, save_book, sheet, text};
use super::result_column::ResultColumn;
use parquote_catalogue::operation::{ColumnType, Value};

/// Returns the workbook of an object with these columns and these lists.
pub(super) fn workbook(
    columns: &[ResultColumn],
    object: &Json,
    lists: &[(&ResultColumn, &[Json])],
    facts: &AnswerFacts<'_>,
) -> Result<Vec<u8>, XlsxError> {
    let figures = figures(columns, object, "").into_iter();
    let params = facts.operation.params.iter().zip(facts.arguments.values());
    let rules = params.filter(|(param, _)| !param.secret).filter_map(|(param, value)| {
        Some(vec![text(&param.name), argument_cell(value.as_ref()?), text(&param.words)])
    });
    let mut sheets = vec![
        sheet("Summary", &[("figure", 34), ("value", 16), ("unit", 24), ("words", 90)], figures)?,
        sheet("Rules", &[("parameter", 16), ("value", 24), ("words", 90)], rules)?,
    ];
    let mut words: Vec<Vec<BookCell>> = Vec::new();
    for (list, rows) in lists {
        let fields = &list.fields;
        let headings: Vec<(&str, u8)> = fields.iter().map(|field| (field.name.as_str(), 14)).collect();
        let cell =
            |row: &Json, field: &ResultColumn| (field.ty, row.get(&field.name).cloned().unwrap_or_default());
        let line = |row: &Json| fields.iter().map(|field| cell(row, field)).collect::<Vec<BookCell>>();
        sheets.push(sheet(&list.name, &headings, rows.iter().map(line))?);
        let description_line = |field: &ResultColumn| {
            vec![text(&list.name), text(&field.name), text(field.unit.label()), text(&field.words)]
        };
        words.extend(fields.iter().map(description_line));
    }
    let as_of = facts.as_of().unwrap_or_default();
    let origin = [("operation", &*facts.operation.name), ("snapshot", facts.snapshot), ("as_of", &*as_of)];
    words.extend(origin.map(|(name, value)| vec![text(name), text(""), text(""), text(value)]));
    let headings = [("sheet", 16), ("column", 24), ("unit", 24), ("words", 90)];
    sheets.push(sheet("Columns", &headings, words.into_iter())?);
    save_book(sheets)
}

/// Returns a line for each figure and text of an object and of the objects within it; no lines for an object that is null.
fn figures(columns: &[ResultColumn], object: &Json, within: &str) -> Vec<Vec<BookCell>> {
    let lines_of_column = |column: &ResultColumn| {
        let path = format!("{within}{}", column.name);
        let line = |value: &Json| {
            vec![text(&path), (column.ty, value.clone()), text(column.unit.label()), text(&column.words)]
        };
        match (column.ty, object.get(&column.name)) {
            (ColumnType::Rows, _) | (_, None) | (ColumnType::Row, Some(Json::Null)) => Vec::new(),
            (ColumnType::Row, Some(row)) => figures(&column.fields, row, &format!("{path}.")),
            (ColumnType::Texts, Some(Json::Array(texts))) => texts.iter().map(line).collect(),
            (_, Some(value)) => vec![line(value)],
        }
    };
    columns.iter().flat_map(lines_of_column).collect()
}

/// Returns an argument as a cell; a list is its items with commas between.
fn argument_cell(value: &Value) -> BookCell {
    match value {
        Value::Text(words) => text(words),
        Value::Int(number) => (ColumnType::Int, (*number).into()),
        Value::Number(number) => (ColumnType::Number, (*number).into()),
        Value::Bool(flag) => (ColumnType::Bool, (*flag).into()),
        Value::Date(day) => (ColumnType::Date, day.to_string().into()),
        Value::List(items) => text(&items.join(", ")),
    }
}
