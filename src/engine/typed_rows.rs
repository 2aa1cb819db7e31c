//! Rows of an answer in Arrow, read back cell by cell by adapters of protocols that have types of their own.

use std::io::Cursor;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Date32Type, Float64Type, Int64Type};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::reader::StreamReader;

use super::arrow_types::column_type;
use crate::operation::ColumnType;

/// Rows with their columns.
#[derive(Debug, Clone, Default)]
pub struct TypedRows {
    /// Names and types.
    pub columns: Vec<(String, ColumnType)>,
    batches: Vec<RecordBatch>,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum TypedCell<'a> {
    /// None.
    Null,
    /// A flag.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Another number.
    Number(f64),
    /// A text.
    Text(&'a str),
    /// Days since 1970-01-01.
    Date(i32),
    /// Several texts.
    Texts(Vec<Option<&'a str>>),
}

impl TypedRows {
    /// Reads an answer that was asked for as `arrow`.
    ///
    /// # Errors
    /// Bytes that are none.
    pub fn read(answer: &[u8]) -> Result<Self, ArrowError> {
        let reader = StreamReader::try_new(Cursor::new(answer), None)?;
        let schema = reader.schema();
        let fields = schema.fields().iter();
        let columns = fields
            .map(|field| (field.name().clone(), column_type(field.data_type()).unwrap_or(ColumnType::Text)));
        Ok(Self { columns: columns.collect(), batches: reader.collect::<Result<_, _>>()? })
    }

    /// The rows, each as the cells of its columns.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = TypedCell<'_>>> {
        self.batches.iter().flat_map(|batch| {
            (0..batch.num_rows()).map(move |row| batch.columns().iter().map(move |column| cell(column, row)))
        })
    }
}

fn cell(column: &ArrayRef, row: usize) -> TypedCell<'_> {
    if column.is_null(row) {
        return TypedCell::Null;
    }
    if let Some(texts) = column.as_string_opt::<i32>() {
        TypedCell::Text(texts.value(row))
    } else if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
        TypedCell::Number(numbers.value(row))
    } else if let Some(numbers) = column.as_primitive_opt::<Int64Type>() {
        TypedCell::Int(numbers.value(row))
    } else if let Some(dates) = column.as_primitive_opt::<Date32Type>() {
        TypedCell::Date(dates.value(row))
    } else if let Some(flags) = column.as_boolean_opt() {
        TypedCell::Bool(flags.value(row))
    } else if let Some(lists) = column.as_list_opt::<i32>()
        && let Some(texts) = lists.values().as_string_opt::<i32>()
        && let [from, to] = lists.offsets().get(row..row + 2).unwrap_or_default()
    {
        let each = (*from as usize..*to as usize).map(|at| texts.is_valid(at).then(|| texts.value(at)));
        TypedCell::Texts(each.collect())
    } else {
        TypedCell::Null
    }
}
