//! From declared columns to Arrow types, and back.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, new_null_array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::ScalarValue;
use datafusion::error::Result;

use crate::operation::{Column, ColumnType, Market, ParamType, Table, Value};

/// The Arrow type of a declared column. Text is a view: comparing and taking rows then copies 16 bytes, not the text.
pub(crate) fn arrow_type(ty: ColumnType) -> DataType {
    match ty {
        ColumnType::Text => DataType::Utf8View,
        ColumnType::Int => DataType::Int64,
        ColumnType::Number => DataType::Float64,
        ColumnType::Bool => DataType::Boolean,
        ColumnType::Date => DataType::Date32,
        ColumnType::Texts => DataType::new_list(DataType::Utf8View, true),
        // Only answers hold rows within rows, and their types are the planner's.
        ColumnType::Row | ColumnType::Rows => DataType::Null,
    }
}

/// The declared type that an Arrow type of the planner stands for.
pub(crate) fn column_type(ty: &DataType) -> Option<ColumnType> {
    match ty {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(ColumnType::Text),
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64 => Some(ColumnType::Int),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Some(ColumnType::Number),
        DataType::Boolean => Some(ColumnType::Bool),
        DataType::Date32 => Some(ColumnType::Date),
        DataType::Struct(_) => Some(ColumnType::Row),
        DataType::List(item) => match column_type(item.data_type())? {
            ColumnType::Text => Some(ColumnType::Texts),
            ColumnType::Row => Some(ColumnType::Rows),
            _ => None,
        },
        _ => None,
    }
}

/// The schema of a market's copy of a table.
pub(crate) fn table_schema(table: &Table, market: Market) -> SchemaRef {
    let field = |column: &Column| Field::new(&column.name, arrow_type(column.ty), column.nullable);
    Arc::new(Schema::new(table.columns_in(market).map(field).collect::<Vec<_>>()))
}

/// The Arrow type in which a parameter is bound.
pub(crate) fn param_type(ty: ParamType) -> DataType {
    match ty {
        ParamType::Text | ParamType::Period => DataType::Utf8View,
        ParamType::Int => DataType::Int64,
        ParamType::Number => DataType::Float64,
        ParamType::Bool => DataType::Boolean,
        ParamType::Date => DataType::Date32,
        ParamType::List => DataType::new_list(DataType::Utf8View, true),
    }
}

/// A value as the engine takes it.
pub(crate) fn scalar(value: &Value) -> ScalarValue {
    match value {
        Value::Text(text) => ScalarValue::Utf8View(Some(text.clone())),
        Value::Int(number) => ScalarValue::Int64(Some(*number)),
        Value::Number(number) => ScalarValue::Float64(Some(*number)),
        Value::Bool(flag) => ScalarValue::Boolean(Some(*flag)),
        Value::Date(date) => ScalarValue::Date32(Some(days(*date))),
        Value::List(items) => {
            let items: Vec<ScalarValue> =
                items.iter().map(|item| ScalarValue::Utf8View(Some(item.clone()))).collect();
            ScalarValue::List(ScalarValue::new_list_nullable(&items, &DataType::Utf8View))
        }
    }
}

/// Days since 1970-01-01, as Arrow keeps dates.
pub(crate) fn days(date: chrono::NaiveDate) -> i32 {
    date.signed_duration_since(chrono::NaiveDate::default()).num_days() as i32
}

/// The date of a number of days since 1970-01-01.
pub(crate) fn date(days: i32) -> Option<chrono::NaiveDate> {
    chrono::NaiveDate::default().checked_add_signed(chrono::TimeDelta::days(i64::from(days)))
}
/// The declared columns of a batch, in their order and types.
pub(crate) fn conform(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let column = |name: &str, ty| -> Result<ArrayRef> {
        match batch.column_by_name(name) {
            None => Ok(new_null_array(ty, batch.num_rows())),
            Some(column) if column.data_type() == ty => Ok(Arc::clone(column)),
            Some(column) => Ok(cast(column, ty)?),
        }
    };
    let columns = schema.fields().iter().map(|field| column(field.name(), field.data_type()));
    Ok(RecordBatch::try_new(Arc::clone(schema), columns.collect::<Result<_>>()?)?)
}
