//! Casts the columns of a file to their declared types if no value is lost: the types that data frame writers use for whole numbers, dates
//! and flags, and names that differ only by case.
//!
//! This is done once, before a file is served: the served file has the declared types. A column with a value that differs after casting
//! back is refused. Types that every reader casts while reading are not cast here.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::compute::kernels::cmp::distinct;
use datafusion::arrow::datatypes::{DataType, Field, Float32Type, Int32Type, Schema, SchemaRef};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::error::Result;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::file::properties::WriterProperties;

use crate::problem::{Problem, cast_code, key_of, type_mismatch};
use crate::storage::load::{can_read_as, replace_non_finite};
use crate::storage::long_file::Chunks;
use parquote_catalogue::operation::{Column, ColumnType, Market, Table};
use parquote_functions::arrow_types::{arrow_type, column_type};
use parquote_set::StoredFile;

/// Result of casting a file.
#[derive(Default)]
pub(crate) struct Cast {
    /// One problem for each column whose values would change.
    pub problems: Vec<Problem>,
    /// Notes on the casts.
    pub notes: Vec<Problem>,
}

/// A declared column that a file has under another name or in another type.
struct Change<'a> {
    column: &'a Column,
    /// Position of the column in the file.
    position: usize,
    /// The field as it is in the file.
    file_field: Field,
    /// Number of rows whose value would change.
    lost: u64,
    /// The value and the key of the first of these rows; `None` if there is none.
    first: Option<(String, String)>,
}

/// Writes a file with its columns cast and named as declared; returns `None` if nothing needs to change.
///
/// # Errors
/// A file that cannot be read or written.
pub(crate) fn cast_file(
    table: &Table,
    market: Market,
    file: &StoredFile,
    into: &Path,
) -> Result<Option<Cast>> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(Chunks(file.open()?))?;
    let file_schema = Arc::clone(reader.schema());
    let mut changes = columns_to_cast(table, market, &file_schema);
    if changes.is_empty() {
        return Ok(None);
    }
    let mut fields: Vec<Arc<Field>> = file_schema.fields().iter().cloned().collect();
    for Change { column, position, file_field, .. } in &changes {
        let is_cast = is_cast(file_field, column.ty);
        let ty = if is_cast { arrow_type(column.ty) } else { file_field.data_type().clone() };
        if let Some(field) = fields.get_mut(*position) {
            *field = Arc::new(Field::new(&column.name, ty, true));
        }
    }
    let schema = Arc::new(Schema::new(fields));
    let mut writer = lookup_writer(File::create(into)?, &schema)?;
    for batch in reader.build()? {
        writer.write(&cast_batch(table, &mut changes, &batch?, &schema)?)?;
    }
    writer.close()?;
    let problems = changes.iter().filter_map(|change| change.problem(table, market)).collect();
    Ok(Some(Cast { problems, notes: summarize_casts(table, market, &changes) }))
}

fn columns_to_cast<'a>(table: &'a Table, market: Market, file_schema: &SchemaRef) -> Vec<Change<'a>> {
    let change_of = |column: &'a Column| {
        let position = file_schema.index_of(&column.name).ok().or_else(|| {
            let alike = |(_, field): &(usize, &Arc<Field>)| field.name().eq_ignore_ascii_case(&column.name);
            let mut alike = file_schema.fields().iter().enumerate().filter(alike);
            alike.next().filter(|_| alike.next().is_none()).map(|(position, _)| position)
        })?;
        let field = file_schema.field(position);
        let is_changed = field.name() != &column.name || is_cast(field, column.ty);
        is_changed.then(|| Change { column, position, file_field: field.clone(), lost: 0, first: None })
    };
    table.columns_in(market).filter_map(change_of).collect()
}

/// Returns true if a column is to be cast: it cannot be read as it is, and the declared type may represent its values.
fn is_cast(field: &Field, declared: ColumnType) -> bool {
    let ty = value_type(field.data_type());
    let is_whole = || column_type(ty) == Some(ColumnType::Int);
    let is_number = || ty.is_floating() || ty.is_decimal();
    match declared {
        ColumnType::Number => matches!(ty, DataType::Float16 | DataType::Float32),
        _ if can_read_as(field.data_type(), declared) => false,
        ColumnType::Int => is_number(),
        ColumnType::Date => is_whole() || column_type(ty) == Some(ColumnType::Text),
        ColumnType::Bool => is_number() || is_whole(),
        ColumnType::Texts => match ty {
            DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                column_type(item.data_type()) == Some(ColumnType::Text)
            }
            _ => false,
        },
        ColumnType::Text | ColumnType::Row | ColumnType::Rows => false,
    }
}

/// Returns the value type of a dictionary, or the type itself.
fn value_type(ty: &DataType) -> &DataType {
    if let DataType::Dictionary(_, value) = ty { value } else { ty }
}

fn cast_batch(
    table: &Table,
    changes: &mut [Change<'_>],
    batch: &RecordBatch,
    schema: &SchemaRef,
) -> Result<RecordBatch> {
    let mut columns = batch.columns().to_vec();
    for change in changes.iter_mut().filter(|change| is_cast(&change.file_field, change.column.ty)) {
        let Some(values) = columns.get_mut(change.position) else { continue };
        let values = std::mem::replace(values, cast_column(values, change.column.ty)?);
        let Some(cast_values) = columns.get(change.position) else { continue };
        let Some(lost) = rows_changed_by_cast(&values, cast_values)? else { continue };
        change.lost += lost.true_count() as u64;
        if let Some(row) = (0..lost.len()).find(|row| change.first.is_none() && lost.value(*row)) {
            let renamed_batch = RecordBatch::try_new(Arc::clone(schema), columns.clone());
            let key =
                renamed_batch.map(|renamed_batch| key_of(table, &renamed_batch, row)).unwrap_or_default();
            change.first = Some((array_value_to_string(&values, row)?, key));
        }
    }
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

/// Casts values to a declared type; a value that it cannot represent becomes null.
fn cast_column(values: &ArrayRef, declared: ColumnType) -> Result<ArrayRef> {
    let values = &cast(values, value_type(values.data_type()))?;
    if let (Some(figures), ColumnType::Number) = (values.as_primitive_opt::<Float32Type>(), declared) {
        // The shortest decimal of the `f32`: 151.25 without the digits that widening to `f64` adds.
        let decimal = |figure: f32| figure.to_string().parse::<f64>().ok();
        return Ok(Arc::new(figures.iter().map(|figure| figure.and_then(decimal)).collect::<Float64Array>()));
    }
    if declared == ColumnType::Date && column_type(values.data_type()) == Some(ColumnType::Int) {
        /// The days from 1900 to 2100, counted from 1970: numbers beyond them are not days.
        const DAYS: std::ops::Range<i32> = -25_567..47_847;
        let days = cast(values, &DataType::Int32)?;
        let days = days.as_primitive::<Int32Type>();
        let days = days.iter().map(|day| day.filter(|day| DAYS.contains(day)));
        let days: ArrayRef = Arc::new(days.collect::<datafusion::arrow::array::Int32Array>());
        return Ok(cast(&days, &DataType::Date32)?);
    }
    Ok(cast(values, &arrow_type(declared))?)
}

/// Marks the rows whose value differs after casting back; `None` if it cannot be cast back.
fn rows_changed_by_cast(
    values: &ArrayRef,
    cast_values: &ArrayRef,
) -> Result<Option<datafusion::arrow::array::BooleanArray>> {
    let ty = value_type(values.data_type());
    if matches!(ty, DataType::Float32) && cast_values.data_type() == &DataType::Float64 || ty.is_nested() {
        return Ok(None);
    }
    let values = cast(values, ty)?;
    // NaN, which some writers use for a missing figure, is null in every read of a table.
    let values =
        if ty.is_floating() { not_numbers_as_null(&cast(&values, &DataType::Float64)?)? } else { values };
    let back = match (cast_values.data_type(), column_type(ty)) {
        (DataType::Date32, Some(ColumnType::Int)) => cast(&cast(cast_values, &DataType::Int32)?, ty)?,
        _ => cast(cast_values, values.data_type())?,
    };
    Ok(Some(distinct(&values, &back)?))
}

fn not_numbers_as_null(values: &ArrayRef) -> Result<ArrayRef> {
    let schema = Arc::new(Schema::new(vec![Field::new("values", DataType::Float64, true)]));
    Ok(Arc::clone(replace_non_finite(&RecordBatch::try_new(schema, vec![Arc::clone(values)])?)?.column(0)))
}

impl Change<'_> {
    fn problem(&self, table: &Table, market: Market) -> Option<Problem> {
        let (value, key) = self.first.as_ref()?;
        let problem = type_mismatch(table, market, self.column, self.file_field.data_type());
        let message =
            format!("{}, and holds {value}, which is no {}", problem.message, self.column.ty.word());
        Some(Problem { message, ..problem }.with_rows(self.lost, vec![key.clone()]))
    }
}

/// Summarizes the casts: one note per pair of types, and one for names.
fn summarize_casts(table: &Table, market: Market, changes: &[Change<'_>]) -> Vec<Problem> {
    let mut notes: Vec<Problem> = Vec::new();
    let mut pairs = Vec::new();
    for change in changes.iter().filter(|change| is_cast(&change.file_field, change.column.ty)) {
        let pair = (change.file_field.data_type(), change.column.ty);
        if pairs.contains(&pair) {
            continue;
        }
        pairs.push(pair);
        let same = changes.iter().filter(|other| (other.file_field.data_type(), other.column.ty) == pair);
        let names: Vec<String> = same.map(|same| format!("`{}`", same.column.name)).collect();
        let columns = if let [one] = names.as_slice() {
            format!("the column {one} is")
        } else {
            format!("the columns {} are", names.join(", "))
        };
        let (file_type, word) = (change.file_field.data_type(), change.column.ty.word());
        let message = match file_type {
            DataType::Float32 if change.column.ty == ColumnType::Number => {
                format!("{columns} {file_type}: figures of 7 digits")
            }
            DataType::Float16 if change.column.ty == ColumnType::Number => {
                format!("{columns} {file_type}: figures of 3 digits")
            }
            _ => format!("{columns} {file_type} where {word} is declared; every value is stored as {word}"),
        };
        notes.push(Problem::new(table, market, message).with_remedy(cast_code(change.column)));
    }
    let mut renamed = changes.iter().filter(|change| change.file_field.name() != &change.column.name);
    if let Some(first) = renamed.next() {
        let more = match renamed.count() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let (file_name, name) = (first.file_field.name(), &first.column.name);
        let message =
            format!("columns are taken by their names in lower case: `{file_name}` as `{name}`{more}");
        let remedy = "nothing; pandas `df.columns = df.columns.str.lower()` spares the work";
        notes.push(Problem::new(table, market, message).with_remedy(remedy.to_owned()));
    }
    notes
}

/// Returns the writer of a file whose rows are looked up by key.
pub(crate) fn lookup_writer(into: File, schema: &SchemaRef) -> Result<ArrowWriter<File>> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_data_page_row_count_limit(PAGE_ROWS)
        .set_write_batch_size(PAGE_ROWS)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .build();
    Ok(ArrowWriter::try_new(into, Arc::clone(schema), Some(properties))?)
}

/// Number of rows in a page of a file whose rows are looked up by key: a few years of one symbol.
const PAGE_ROWS: usize = 1024;
/// Number of rows in a row group of that file.
const GROUP_ROWS: usize = 128 * 1024;
