//! Reads the files of one table and checks them against the table's declaration: the data contract.
//!
//! The loader repairs differences that lose nothing: column order, narrower types, row order of small tables, NaN for null. Any other
//! difference is a problem that names the file, the column and the expectation.

use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};
use std::{panic, thread};

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, RecordBatch};
use datafusion::arrow::compute::{SortColumn, concat_batches, lexsort_to_indices, take_record_batch};
use datafusion::arrow::datatypes::{DataType, Date32Type, Float64Type, SchemaRef};
use datafusion::error::{DataFusionError, Result};

use super::column_cache::ColumnCache;
use super::key_index::KeyIndex;
use super::long_file::LongFile;
use super::row_order::first_disorder;
use super::served_table::{ServedTable, TableRows};
use crate::problem::{Problem, duplicate_key, engine_message, key_of, nulls_in, type_mismatch};
use parquote_catalogue::blocking;
use parquote_catalogue::operation::{Column, ColumnType, Market, Table};
use parquote_functions::arrow_types::{column_type, table_schema};
use parquote_set::StoredFile;

/// Loads a table. A file of a long table for which `loaded_file` returns a file is not read again.
///
/// # Errors
/// Every violation of the declaration.
pub(crate) fn load(
    declared: &Table,
    market: Market,
    files: &[StoredFile],
    loaded_file: impl Fn(&StoredFile) -> Option<Arc<LongFile>>,
) -> Result<ServedTable, Vec<Problem>> {
    let schema = table_schema(declared, market);
    let mut problems = Vec::new();
    let (mut opened, mut indexed) = (Vec::new(), Vec::new());
    for stored in files {
        if let Some(file) = loaded_file(stored) {
            indexed.push(file);
            continue;
        }
        let with_file = |problem: Problem| problem.with_file(&stored.location());
        match LongFile::open(stored, Arc::clone(&schema)) {
            Ok(file) => {
                let violations = undeclared_nulls(declared, market, &file);
                problems.extend(violations.chain(mismatches(declared, market, &file)).map(with_file));
                // Only files of small tables on disk are compared with their hashes: these are read completely anyway, and a store checks
                // its reads itself.
                let damage = stored.path().filter(|_| !declared.yearly).and_then(|_| stored.damage());
                let damage = damage.map(|message| {
                    Problem::new(declared, market, message).with_remedy(StoredFile::REMEDY.to_owned())
                });
                problems.extend(damage.map(with_file));
                opened.push(file);
            }
            Err(error) => {
                problems.push(with_file(Problem::new(declared, market, engine_message(&error))));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let position = |name: &String| schema.index_of(name).ok();
    let sorted: Vec<usize> = declared.sorted.iter().filter_map(position).collect();
    let is_missing = |name: &&String| {
        opened.iter().any(|file| file.lacks_column(name))
            || indexed.iter().any(|file| file.lacks_column(name))
    };
    let missing_columns =
        schema.fields().iter().map(|field| field.name()).filter(is_missing).cloned().collect();
    let rows = if declared.yearly {
        long_rows(opened, indexed, &sorted)
    } else {
        memory_rows(opened, &schema, &sorted)
    };
    let rows = rows.map_err(|(file, message)| {
        let problem = Problem::new(declared, market, message);
        vec![file.iter().fold(problem, |problem, file| problem.with_file(file))]
    })?;
    let table = ServedTable {
        name: declared.name.clone(),
        session_column: schema.index_of("session").ok(),
        has_unique_rows: declared.key.iter().all(|key| declared.sorted.contains(key)),
        schema,
        sort_columns: sorted,
        missing_columns,
        rows,
        column_cache: ColumnCache::default(),
    };
    let problems = broken_rows(declared, market, &table);
    if problems.is_empty() { Ok(table) } else { Err(problems) }
}

/// The file with the fault, and a message; `None` if the fault is not in one file.
type Fault = (Option<String>, String);

fn file_fault(file: &LongFile) -> impl Fn(DataFusionError) -> Fault + use<> {
    let file = file.location().to_owned();
    move |error| (Some(file.clone()), engine_message(&error))
}

/// Returns the columns that the file lacks or has in a type that cannot be read as the declared one.
pub(crate) fn mismatches<'a>(
    declared: &'a Table,
    market: Market,
    file: &'a LongFile,
) -> impl Iterator<Item = Problem> + 'a {
    declared.columns_in(market).filter_map(move |column| {
        let message = match file.file_schema().field_with_name(&column.name) {
            _ if is_ambiguous(file.file_schema(), &column.name) => {
                format!("the column `{}` occurs more than once; keep one of them", column.name)
            }
            Err(_) if column.nullable => return None,
            Err(_) => format!(
                "the column `{}` ({}) is missing; tables of an earlier version are made again by `parquote derive`",
                column.name,
                column.ty.word()
            ),
            Ok(field) if can_read_as(field.data_type(), column.ty) => return None,
            Ok(field) => return Some(type_mismatch(declared, market, column, field.data_type())),
        };
        Some(Problem::new(declared, market, message).with_column(&column.name))
    })
}

/// Returns true if several columns have this name; or if no column has it, and several differ from it only by case.
fn is_ambiguous(schema: &SchemaRef, name: &str) -> bool {
    let count =
        |matches: &dyn Fn(&str) -> bool| schema.fields().iter().filter(|field| matches(field.name())).count();
    match count(&|field| field == name) {
        0 => count(&|field| field.eq_ignore_ascii_case(name)) > 1,
        exact => exact > 1,
    }
}

/// Returns undeclared nulls, from the file's statistics.
fn undeclared_nulls<'a>(
    declared: &'a Table,
    market: Market,
    file: &'a LongFile,
) -> impl Iterator<Item = Problem> + 'a {
    declared.columns_in(market).filter(|column| !column.nullable).filter_map(move |column| {
        let nulls = file.nulls(&column.name).filter(|nulls| *nulls > 0)?;
        Some(nulls_in(declared, market, column, nulls))
    })
}

/// Returns true if every reader casts a type to the declared one while it reads.
pub(crate) fn can_read_as(ty: &DataType, declared: ColumnType) -> bool {
    let ty = match ty {
        DataType::Dictionary(_, value) => value.as_ref(),
        other => other,
    };
    match (declared, column_type(ty)) {
        (ColumnType::Number, Some(ColumnType::Int)) => true,
        (declared, Some(readable)) => declared == readable,
        (ColumnType::Date, None) => matches!(ty, DataType::Date64 | DataType::Timestamp(_, _)),
        (ColumnType::Number, None) => {
            matches!(ty, DataType::Decimal128(_, _) | DataType::Decimal256(_, _))
        }
        (_, None) => matches!(ty, DataType::Null),
    }
}

/// Builds the missing indexes of files, and orders the files by session.
fn long_rows(
    files: Vec<LongFile>,
    mut indexed: Vec<Arc<LongFile>>,
    sorted: &[usize],
) -> Result<TableRows, Fault> {
    indexed.extend(index_all(files, sorted)?);
    indexed.sort_by_key(|file| file.sessions);
    for (earlier, later) in indexed.iter().zip(indexed.iter().skip(1)) {
        if let (Some((_, last)), Some((first, _))) = (earlier.sessions, later.sessions)
            && first <= last
        {
            let message = format!(
                "it and {} overlap in time; a long table has one file a calendar year",
                later.location()
            );
            return Err((Some(earlier.location().to_owned()), message));
        }
    }
    Ok(TableRows::Files(indexed))
}

/// Builds the indexes of files, on one thread per core, each with the priority of this thread.
fn index_all(files: Vec<LongFile>, sorted: &[usize]) -> Result<Vec<Arc<LongFile>>, Fault> {
    let thread_count = thread::available_parallelism().map_or(1, NonZero::get).min(files.len());
    let remaining = Mutex::new(files.into_iter());
    let next = || remaining.lock().unwrap_or_else(PoisonError::into_inner).next();
    let index_remaining =
        || std::iter::from_fn(next).map(|file| index_keys(file, sorted).map(Arc::new)).collect();
    let index_in_threads = || {
        thread::scope(|scope| {
            // If not all threads can be started, building only takes longer.
            let threads = (1..thread_count)
                .filter_map(|_| thread::Builder::new().spawn_scoped(scope, index_remaining).ok());
            let threads: Vec<_> = threads.collect();
            let mut indexed: Vec<Arc<LongFile>> = index_remaining()?;
            for thread in threads {
                let thread_files: Result<Vec<_>, Fault> =
                    thread.join().unwrap_or_else(|cause| panic::resume_unwind(cause));
                indexed.extend(thread_files?);
            }
            Ok(indexed)
        })
    };
    // Threads that read from a store need this thread's runtime.
    blocking::wait(index_in_threads)
}

/// Indexes the keys of a long file from its sort columns, and checks that the rows are in order.
fn index_keys(file: LongFile, sorted: &[usize]) -> Result<LongFile, Fault> {
    let fault = file_fault(&file);
    let location = file.location().to_owned();
    let disorder = |row: usize| {
        let message =
            format!("row {row} is out of order, repeated or has a null key; long tables are sorted");
        (Some(location.clone()), message)
    };
    let is_date = |position: &usize| file.declared_type(*position) == Some(&DataType::Date32);
    let session = sorted.iter().position(is_date);
    let file = Arc::new(file);
    let mut index = KeyIndex::default();
    let mut sessions: Option<(i32, i32)> = None;
    let mut before: Option<RecordBatch> = None;
    for batch in file.read(0..file.row_count(), sorted).map_err(&fault)? {
        let batch = batch.map_err(&fault)?;
        if batch.num_rows() == 0 {
            continue;
        }
        let start = index.rows();
        index.extend(batch.column(0)).map_err(disorder)?;
        if let Some(row) = first_disorder(before.as_ref(), &batch).map_err(&fault)? {
            return Err(disorder(start + row));
        }
        if let Some(days) = session.map(|position| batch.column(position).as_primitive::<Date32Type>()) {
            let low = datafusion::arrow::compute::min(days);
            let high = datafusion::arrow::compute::max(days);
            if let (Some(low), Some(high)) = (low, high) {
                sessions = Some(sessions.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
            }
        }
        before = Some(batch);
    }
    if index.rows() != file.row_count() {
        let message = format!("it has {} rows where its footer says {}", index.rows(), file.row_count());
        return Err((Some(location), message));
    }
    let mut file = Arc::into_inner(file).ok_or((None, "the file is still being read".to_owned()))?;
    file.index = index;
    file.sessions = sessions;
    Ok(file)
}

/// Reads a small table into one batch, in the declared order.
fn memory_rows(files: Vec<LongFile>, schema: &SchemaRef, sorted: &[usize]) -> Result<TableRows, Fault> {
    let all: Vec<usize> = (0..schema.fields().len()).collect();
    let mut batches = Vec::new();
    for file in files {
        let fault = file_fault(&file);
        let file = Arc::new(file);
        for batch in file.read(0..file.row_count(), &all).map_err(&fault)? {
            batches.push(batch.map_err(&fault)?);
        }
    }
    let fault = |error: DataFusionError| (None, engine_message(&error));
    let batch = concat_batches(schema, &batches).map_err(DataFusionError::from).map_err(fault)?;
    drop(batches);
    let batch = replace_non_finite(&batch).map_err(fault)?;
    in_order(batch, sorted).map_err(fault)
}

fn in_order(batch: RecordBatch, sorted: &[usize]) -> Result<TableRows> {
    let Some(first) = sorted.first() else { return Ok(TableRows::Memory(batch, None)) };
    let keys = batch.project(sorted)?;
    // Derived files are in order; others may not be.
    let batch = if first_disorder(None, &keys)?.is_none() {
        batch
    } else {
        let column = |values: &ArrayRef| SortColumn { values: Arc::clone(values), options: None };
        let columns: Vec<SortColumn> = keys.columns().iter().map(column).collect();
        take_record_batch(&batch, &lexsort_to_indices(&columns, None)?)?
    };
    let mut index = KeyIndex::default();
    let has_index =
        KeyIndex::can_index(batch.column(*first).data_type()) && index.extend(batch.column(*first)).is_ok();
    Ok(TableRows::Memory(batch, has_index.then_some(index)))
}

/// Replaces NaN and infinities, which some writers use for missing figures, by null.
pub(crate) fn replace_non_finite(batch: &RecordBatch) -> Result<RecordBatch> {
    let replace = |column: &ArrayRef| -> ArrayRef {
        match column.as_primitive_opt::<Float64Type>() {
            Some(numbers) if numbers.values().iter().any(|number| !number.is_finite()) => {
                Arc::new(numbers.iter().map(|n| n.filter(|n| n.is_finite())).collect::<Float64Array>())
            }
            _ => Arc::clone(column),
        }
    };
    Ok(RecordBatch::try_new(batch.schema(), batch.columns().iter().map(replace).collect())?)
}

/// Returns undeclared nulls and duplicate keys of an in-memory table.
fn broken_rows(declared: &Table, market: Market, table: &ServedTable) -> Vec<Problem> {
    let TableRows::Memory(batch, _) = &table.rows else { return Vec::new() };
    let null_problem = |column: &Column| {
        let array = batch.column_by_name(&column.name)?;
        let nulls = if column.nullable { 0 } else { array.null_count() };
        let rows = || (0..array.len()).filter(|row| array.is_null(*row)).take(Problem::MOST_OFFENDERS);
        let first = || rows().map(|row| key_of(declared, batch, row)).collect();
        (nulls > 0).then(|| nulls_in(declared, market, column, nulls as u64).with_rows(nulls as u64, first()))
    };
    let mut problems: Vec<Problem> = declared.columns_in(market).filter_map(null_problem).collect();
    if table.has_unique_rows && !table.sort_columns.is_empty() && problems.is_empty() {
        let keys = batch.project(&table.sort_columns).map_err(DataFusionError::from);
        problems.extend(match keys.and_then(|keys| first_disorder(None, &keys)) {
            Ok(row) => row.map(|row| duplicate_key(declared, market, batch, row)),
            Err(error) => Some(Problem::new(declared, market, engine_message(&error))),
        });
    }
    problems
}
