//! `format=arrow`: an Arrow IPC stream with the types of the columns. Units and descriptions are metadata of the fields; the fields around
//! the rows are metadata of the schema.
//!
//! Numbers are 64-bit floats rounded by the unit of their column, as JSON writes them. Numbers of a unit without decimals are 64-bit
//! integers, such as a volume adjusted for splits. Texts are plain UTF-8, which every reader of Arrow understands.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, ListArray, RecordBatch, RecordBatchOptions, StructArray,
};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::writer::StreamWriter;

use super::{AnswerSource, Encoder};
use crate::answers::json::round_decimals;
use crate::answers::result_column::ResultColumn;
use parquote_catalogue::operation::Unit;

/// Buffered rows. A stream starts with its schema, whose metadata has the fields around the rows, such as their number. So nothing can be
/// written before the last row has arrived.
pub(super) struct Stream<'a> {
    columns: &'a [ResultColumn],
    types: Vec<DataType>,
    /// The columns of each batch.
    batches: Vec<Vec<ArrayRef>>,
    row_counts: Vec<usize>,
}

impl<'a> Stream<'a> {
    pub(super) fn new(columns: &'a [ResultColumn], schema: &SchemaRef) -> Self {
        let fields = columns.iter().zip(schema.fields());
        let types = fields.map(|(column, field)| written_type(field.data_type(), column)).collect();
        Self { columns, types, batches: Vec::new(), row_counts: Vec::new() }
    }

    fn schema(&self, wrapper: &[u8], source: &AnswerSource<'_>) -> SchemaRef {
        let field = |(at, (column, ty)): (usize, (&ResultColumn, &DataType))| {
            // Rounding may turn a value into null, even in a column that the planner calls non-nullable.
            let nulls =
                self.batches.iter().filter_map(|batch| batch.get(at)).any(|array| array.null_count() > 0);
            Field::new(&column.name, ty.clone(), column.nullable || nulls)
                .with_metadata(field_metadata(column))
        };
        let fields: Vec<Field> = self.columns.iter().zip(&self.types).enumerate().map(field).collect();
        let mut metadata = HashMap::from([
            ("operation".to_owned(), source.operation.to_owned()),
            ("snapshot".to_owned(), source.snapshot.to_owned()),
        ]);
        if let Some(as_of) = &source.as_of {
            metadata.insert("as_of".to_owned(), as_of.clone());
        }
        if !wrapper.is_empty() {
            metadata.insert("answer".to_owned(), String::from_utf8_lossy(wrapper).into_owned());
        }
        Arc::new(Schema::new_with_metadata(fields, metadata))
    }
}

impl Encoder for Stream<'_> {
    fn encode(&mut self, batch: RecordBatch) -> Result<(), ArrowError> {
        let columns = self.columns.iter().zip(&self.types).zip(batch.columns());
        let arrays = columns
            .map(|((column, ty), array)| {
                cast(&round(&cast(array, &widened_type(array.data_type()))?, column)?, ty)
            })
            .collect::<Result<_, ArrowError>>()?;
        self.row_counts.push(batch.num_rows());
        self.batches.push(arrays);
        Ok(())
    }

    fn finish(self: Box<Self>, wrapper: &[u8], source: &AnswerSource<'_>) -> Result<Vec<u8>, ArrowError> {
        let schema = self.schema(wrapper, source);
        let batches = self
            .batches
            .into_iter()
            .zip(self.row_counts)
            .map(|(arrays, rows)| {
                let options = RecordBatchOptions::new().with_row_count(Some(rows));
                RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut out = Vec::new();
        let mut writer = StreamWriter::try_new(&mut out, &schema)?;
        if !batches.is_empty() {
            writer.write(&concat_batches(&schema, &batches)?)?;
        }
        writer.finish()?;
        drop(writer);
        Ok(out)
    }
}

/// Returns the metadata of a field: description and unit.
fn field_metadata(column: &ResultColumn) -> HashMap<String, String> {
    let mut metadata = HashMap::from([("description".to_owned(), column.words.clone())]);
    if column.unit != Unit::None {
        metadata.insert("unit".to_owned(), column.unit.word().to_owned());
    }
    metadata
}

/// Returns the type in which values of a type are written: the widest of its kind, which every reader of Arrow supports.
pub(crate) fn widened_type(ty: &DataType) -> DataType {
    // Rounding may turn a nested number into null, like any other number.
    let inner = |field: &FieldRef| {
        Arc::new(field.as_ref().clone().with_data_type(widened_type(field.data_type())).with_nullable(true))
    };
    match ty {
        DataType::Utf8View | DataType::LargeUtf8 => DataType::Utf8,
        DataType::Float16 | DataType::Float32 => DataType::Float64,
        DataType::List(field) | DataType::LargeList(field) | DataType::ListView(field) => {
            DataType::List(inner(field))
        }
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        ty if ty.is_integer() => DataType::Int64,
        ty => ty.clone(),
    }
}

/// Returns the type in which values of a column are written: numbers of a unit without decimals are integers, as in every other format.
fn written_type(ty: &DataType, column: &ResultColumn) -> DataType {
    let convert = |field: &FieldRef, column| {
        Arc::new(field.as_ref().clone().with_data_type(written_type(field.data_type(), column)))
    };
    match widened_type(ty) {
        DataType::Float64 if column.unit.decimals() == Some(0) => DataType::Int64,
        DataType::List(item) => DataType::List(convert(&item, column)),
        DataType::Struct(fields) => DataType::Struct(
            fields.iter().zip(&column.fields).map(|(field, column)| convert(field, column)).collect(),
        ),
        ty => ty,
    }
}

/// Rounds the numbers of a column, and of its nested rows, each by its unit.
fn round(array: &ArrayRef, column: &ResultColumn) -> Result<ArrayRef, ArrowError> {
    Ok(match array.data_type() {
        DataType::Float64 => {
            let decimals = column.unit.decimals();
            let round = |number: Option<f64>| number.and_then(|number| round_decimals(number, decimals));
            Arc::new(array.as_primitive::<Float64Type>().iter().map(round).collect::<Float64Array>())
        }
        DataType::List(item) => {
            let lists = array.as_list::<i32>();
            let items = round(lists.values(), column)?;
            let item = Arc::clone(item);
            Arc::new(ListArray::try_new(item, lists.offsets().clone(), items, lists.nulls().cloned())?)
        }
        DataType::Struct(fields) => {
            let rows = array.as_struct();
            let nested = rows.columns().iter().zip(&column.fields);
            let nested = nested.map(|(array, field)| round(array, field)).collect::<Result<_, _>>()?;
            Arc::new(StructArray::try_new(fields.clone(), nested, rows.nulls().cloned())?)
        }
        _ => Arc::clone(array),
    })
}
