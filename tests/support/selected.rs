//! Rows of a SELECT over the tables of a market, with each cell converted by the type of its column, from the record batches.

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{
    DataType, Date32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt32Type, UInt64Type,
};
use parquote::engine::Snapshot;
use parquote::operation::Market;
use serde_json::{Map, Value as Json};

use crate::demo_market::RUNTIME;

/// Rows as JSON objects keyed by column: strings, numbers, booleans; dates as `YYYY-MM-DD`.
pub(crate) type Rows = Vec<Json>;

/// Runs a SELECT.
pub(crate) fn select(tables: &Snapshot, market: Market, sql: &str) -> Rows {
    let batches = RUNTIME.block_on(tables.market(market).unwrap().select(sql)).unwrap();
    let mut rows = Rows::new();
    for batch in &batches {
        let schema = batch.schema();
        for row in 0..batch.num_rows() {
            let cells = schema.fields().iter().zip(batch.columns());
            let cells: Map<String, Json> =
                cells.map(|(field, column)| (field.name().clone(), cell(column, row))).collect();
            rows.push(Json::Object(cells));
        }
    }
    rows
}

/// Returns the values of the first column of a SELECT.
pub(crate) fn first_column(tables: &Snapshot, market: Market, sql: &str) -> Vec<Json> {
    let first = |row: Json| row.as_object().and_then(|row| row.values().next().cloned());
    select(tables, market, sql).into_iter().filter_map(first).collect()
}

fn cell(column: &dyn Array, row: usize) -> Json {
    if column.is_null(row) {
        return Json::Null;
    }
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).into(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).into(),
        DataType::Utf8View => column.as_string_view().value(row).into(),
        DataType::Boolean => column.as_boolean().value(row).into(),
        DataType::Int8 => column.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => column.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into(),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).into(),
        DataType::Float64 => {
            let value = column.as_primitive::<Float64Type>().value(row);
            assert!(value.is_finite(), "{value} stands in a column");
            value.into()
        }
        DataType::Date32 => {
            column.as_primitive::<Date32Type>().value_as_date(row).unwrap().to_string().into()
        }
        DataType::Dictionary(..) => {
            cell(&datafusion::arrow::compute::cast(column, &DataType::Utf8).unwrap(), row)
        }
        other => panic!("no test reads a column of {other}"),
    }
}
