//! Reads whole Parquet files, changes them and writes them back.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt64Array};
use datafusion::arrow::compute::{cast, concat_batches, take_record_batch};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// Reads all rows of a file.
pub(crate) fn read(path: &Path) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let schema = Arc::clone(reader.schema());
    let batches: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

/// Writes rows as a file, replacing the existing one.
pub(crate) fn write(path: &Path, rows: &RecordBatch) {
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), rows.schema(), None).unwrap();
    writer.write(rows).unwrap();
    writer.close().unwrap();
}

/// Changes the rows of a file.
pub(crate) fn change(path: &Path, with: impl FnOnce(RecordBatch) -> RecordBatch) {
    write(path, &with(read(path)));
}

/// Returns the rows without a column.
pub(crate) fn without(rows: &RecordBatch, column: &str) -> RecordBatch {
    let keep: Vec<usize> =
        (0..rows.num_columns()).filter(|place| rows.schema().field(*place).name() != column).collect();
    rows.project(&keep).unwrap()
}

/// Returns the rows with a column repeated under another name.
pub(crate) fn twice(rows: &RecordBatch, column: &str, name: &str) -> RecordBatch {
    let (schema, values) = (rows.schema(), rows.column_by_name(column).unwrap());
    let again = Arc::new(Field::new(name, values.data_type().clone(), true));
    let fields: Vec<Arc<Field>> = schema.fields().iter().cloned().chain([again]).collect();
    let columns = rows.columns().iter().chain([values]).cloned().collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

/// Returns the rows with other values, of any type, in a column.
pub(crate) fn replaced(
    rows: &RecordBatch,
    column: &str,
    with: impl FnOnce(&ArrayRef) -> ArrayRef,
) -> RecordBatch {
    let place = rows.schema().index_of(column).unwrap();
    let mut columns = rows.columns().to_vec();
    columns[place] = with(&columns[place]);
    let field = |(place, field): (usize, &Arc<Field>)| {
        Field::new(field.name(), columns[place].data_type().clone(), true)
    };
    let schema = Schema::new(rows.schema().fields().iter().enumerate().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

/// Returns the rows with a column cast to another type.
pub(crate) fn retyped(rows: &RecordBatch, column: &str, ty: &DataType) -> RecordBatch {
    replaced(rows, column, |values| cast(values, ty).unwrap())
}

/// Returns these rows of the batch, in this order.
pub(crate) fn picked(rows: &RecordBatch, places: impl IntoIterator<Item = usize>) -> RecordBatch {
    let places: UInt64Array = places.into_iter().map(|place| place as u64).collect();
    take_record_batch(rows, &places).unwrap()
}

/// Returns a column with nulls at these positions.
pub(crate) fn nulled(values: &ArrayRef, places: &[usize]) -> ArrayRef {
    let kept: UInt64Array =
        (0..values.len()).map(|place| (!places.contains(&place)).then_some(place as u64)).collect();
    datafusion::arrow::compute::take(values, &kept, None).unwrap()
}
