//! Checks the picture that a SELECT declares against its planned columns. A missing column stops the start of the server, so that no caller
//! ever sees the mistake.

use super::result_column::ResultColumn;
use crate::error::EngineError;
use parquote_catalogue::operation::{ColumnType, Operation, Select};
use parquote_picture::kind::ValueType;
use parquote_picture::spec::{PictureSpec, SpecError};

/// Returns the picture that a SELECT declares, checked against its columns.
///
/// # Errors
/// A faulty declaration, with its file and line.
pub(crate) fn declared_drawing(
    operation: &Operation,
    select: &Select,
    columns: &[ResultColumn],
) -> Result<Option<PictureSpec>, EngineError> {
    let Some(declared) = &select.picture else { return Ok(None) };
    let rule_error = |message: String| EngineError::Rule {
        file: operation.file.clone(),
        line: declared.line,
        message: format!("`picture`: {message}"),
    };
    let spec = PictureSpec::parse(&declared.text).map_err(|error| rule_error(error.to_string()))?;
    check(&spec, columns).map_err(|error| rule_error(error.to_string()))?;
    if let Some(within) = spec.rows_within() {
        check_within(&spec, within, columns).map_err(rule_error)?;
    }
    Ok(Some(spec))
}

fn check(spec: &PictureSpec, columns: &[ResultColumn]) -> Result<(), SpecError> {
    let value_columns =
        columns.iter().filter_map(|column| Some((column.name.as_str(), value_type(column.ty)?)));
    spec.check(&value_columns.collect::<Vec<_>>())
}

/// Checks that columns drawn both from the rows nested in `within` and from the outer rows have one type.
fn check_within(spec: &PictureSpec, within: &str, columns: &[ResultColumn]) -> Result<(), String> {
    let find = |list: &[ResultColumn], name: &str| list.iter().find(|column| column.name == name).cloned();
    let rows = find(columns, within).filter(|column| column.ty == ColumnType::Rows);
    let rows = rows.ok_or_else(|| format!("`rows={within}` names no column of rows"))?;
    for needed in spec.columns() {
        let outer = find(columns, &needed.name).map(|column| column.ty);
        let inner = find(&rows.fields, &needed.name).map(|column| column.ty);
        if inner.is_some() && inner != outer {
            return Err(format!("`{}` has another type within `{within}` than beside it", needed.name));
        }
    }
    Ok(())
}

const fn value_type(ty: ColumnType) -> Option<ValueType> {
    match ty {
        ColumnType::Text => Some(ValueType::Text),
        ColumnType::Int | ColumnType::Number => Some(ValueType::Number),
        ColumnType::Bool => Some(ValueType::Bool),
        ColumnType::Date => Some(ValueType::Date),
        ColumnType::Texts | ColumnType::Row | ColumnType::Rows => None,
    }
}
