//! Reads a file from its first page to its last and checks it against its table's declaration before it is served.
//!
//! Loading reads only footers and keys; this reads every value. A file may be damaged or hostile, so a server runs it in a child process
//! with bounded memory.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::{SortColumn, concat_batches, lexsort_to_indices, take_record_batch};
use datafusion::arrow::datatypes::{Float64Type, Int64Type, Schema, SchemaRef};
use datafusion::error::Result;
use serde::{Deserialize, Serialize};

use super::casts::{self, lookup_writer};
use crate::problem::{Problem, duplicate_key, engine_message, key_of, nulls_in};
use crate::storage::load::{load, mismatches};
use crate::storage::long_file::LongFile;
use crate::storage::row_order::first_disorder;
use parquote_catalogue::digits::counted;
use parquote_catalogue::operation::{Column, Market, Table, ValueLimits};
use parquote_functions::arrow_types::table_schema;
use parquote_set::StoredFile;

/// Result of vetting a file.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VettingResult {
    /// Faults of the file.
    pub problems: Vec<Problem>,
    /// Number of rows.
    pub rows: u64,
    /// Repairs without loss; if there are any, the file to serve is at the path `repaired` of [`vet`].
    pub repairs: Vec<Problem>,
}

/// Vets a whole file. A file with columns in other types that cast without loss, or with rows of a long table out of order, is written to
/// `repaired` in its declared form. If the server will hold the table in memory (`in_memory`), its rows must fit in this process's memory.
pub fn vet(
    table: &Table,
    market: Market,
    file: &StoredFile,
    in_memory: bool,
    repaired: &Path,
) -> VettingResult {
    let cast_path = repaired.with_extension("cast");
    let cast = match casts::cast_file(table, market, file, &cast_path) {
        Ok(Some(cast)) if cast.problems.is_empty() => cast,
        Ok(Some(cast)) => return VettingResult { problems: cast.problems, ..VettingResult::default() },
        // An unreadable file is reported by the next reader.
        Ok(None) | Err(_) => return vet_declared(table, market, file, in_memory, repaired),
    };
    let mut result = vet_declared(table, market, &StoredFile::plain(&cast_path), in_memory, repaired);
    // The cast file is temporary, so problems name the original.
    result.problems.iter_mut().for_each(|problem| problem.file = Some(file.location()));
    if result.repairs.is_empty()
        && let Err(error) = std::fs::rename(&cast_path, repaired)
    {
        result.problems.push(Problem::new(table, market, error.to_string()));
    }
    result.repairs.extend(cast.notes);
    result
}

/// Vets a file whose columns have their declared names, and types that can be read as the declared types.
fn vet_declared(
    table: &Table,
    market: Market,
    file: &StoredFile,
    in_memory: bool,
    sorted_path: &Path,
) -> VettingResult {
    let schema = table_schema(table, market);
    let location = file.location();
    let failure = |message: String| VettingResult {
        problems: vec![Problem::new(table, market, message).with_file(&location)],
        ..VettingResult::default()
    };
    // An undeclared null is reported as a faulty value, instead of failing the batch.
    let fields = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
    let nullable = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let long_file = match LongFile::open(file, nullable) {
        Ok(long_file) => Arc::new(long_file),
        Err(error) => return failure(engine_message(&error)),
    };
    // Undeclared nulls are found later, while values are read, because only then their rows are known.
    let mut problems: Vec<Problem> = mismatches(table, market, &long_file).collect();
    if problems.is_empty() {
        let mut values = ValueChecks::new(table, market, &schema);
        if let Err(error) = check_values(&long_file, &schema, &mut values) {
            return failure(engine_message(&error));
        }
        problems.extend(values.problems());
        if table.yearly && values.is_disordered && problems.is_empty() {
            return write_sorted(table, market, &long_file, &schema, sorted_path)
                .unwrap_or_else(|error| failure(engine_message(&error)));
        }
        // The load of the server (keys, or all rows) is tried here first: a file that is small on disk and huge in memory ends this process
        // and not the server. The server loads nothing of a table that no operation reads; strictly ascending rows have no duplicate keys.
        if problems.is_empty() && (in_memory || values.is_disordered) {
            drop(values);
            problems.extend(
                load(table, market, std::slice::from_ref(file), |_| None).err().into_iter().flatten(),
            );
        }
    }
    let problems = problems.into_iter().map(|problem| problem.with_file(&location)).collect();
    VettingResult { problems, rows: long_file.row_count() as u64, repairs: Vec::new() }
}

fn check_values(file: &Arc<LongFile>, schema: &SchemaRef, values: &mut ValueChecks<'_>) -> Result<()> {
    let all: Vec<usize> = (0..schema.fields().len()).collect();
    let mut rows = 0;
    for batch in file.read(0..file.row_count(), &all)? {
        let batch = batch?;
        rows += batch.num_rows();
        values.check_batch(&batch)?;
    }
    if rows == file.row_count() {
        return Ok(());
    }
    datafusion::common::exec_err!("it has {rows} rows where its footer says {}", file.row_count())
}

/// Checks the values of a file, batch after batch.
struct ValueChecks<'a> {
    table: &'a Table,
    market: Market,
    columns: Vec<(&'a Column, ColumnFaults)>,
    /// Positions of the sort columns.
    sorted: Vec<usize>,
    /// The sort columns of the batch before; `None` before the first.
    last: Option<RecordBatch>,
    is_disordered: bool,
}

#[derive(Default)]
struct ColumnFaults {
    /// Number of nulls in a column without nulls.
    nulls: u64,
    /// Number of values outside the limits.
    outside: u64,
    /// Keys of the first rows with a fault, at most [`Problem::MOST_OFFENDERS`].
    offenders: Vec<String>,
}

impl<'a> ValueChecks<'a> {
    fn new(table: &'a Table, market: Market, schema: &SchemaRef) -> Self {
        Self {
            table,
            market,
            columns: table.columns_in(market).map(|column| (column, ColumnFaults::default())).collect(),
            sorted: table.sorted.iter().filter_map(|name| schema.index_of(name).ok()).collect(),
            last: None,
            is_disordered: false,
        }
    }

    fn check_batch(&mut self, batch: &RecordBatch) -> Result<()> {
        for (column, faults) in &mut self.columns {
            let Some(array) = batch.column_by_name(&column.name) else { continue };
            for row in 0..array.len() {
                let is_null = array.is_null(row);
                let is_wrong =
                    if is_null { !column.nullable } else { !is_within(&column.limits, array, row) };
                if is_wrong {
                    *(if is_null { &mut faults.nulls } else { &mut faults.outside }) += 1;
                    if faults.offenders.len() < Problem::MOST_OFFENDERS {
                        faults.offenders.push(key_of(self.table, batch, row));
                    }
                }
            }
        }
        if !self.sorted.is_empty() && !self.is_disordered && batch.num_rows() > 0 {
            let keys = batch.project(&self.sorted)?;
            self.is_disordered = first_disorder(self.last.as_ref(), &keys)?.is_some();
            self.last = Some(keys);
        }
        Ok(())
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (column, ColumnFaults { nulls, outside, offenders }) in &self.columns {
            let name = &column.name;
            if *nulls > 0 {
                let problem = nulls_in(self.table, self.market, column, *nulls);
                problems.push(problem.with_rows(*nulls, offenders.clone()));
            }
            if *outside > 0 {
                let allowed = describe_limits(&column.limits);
                let values = counted(*outside, "value that is", "values that are");
                let message = format!("the column `{name}` has {values} not {allowed}");
                let remedy =
                    format!("correct `{name}` of these rows to what is {allowed}, or leave the rows out");
                let problem = Problem::new(self.table, self.market, message).with_column(name);
                problems.push(problem.with_rows(*outside, offenders.clone()).with_remedy(remedy));
            }
        }
        problems
    }
}

fn is_within(limits: &ValueLimits, array: &ArrayRef, row: usize) -> bool {
    match limits {
        ValueLimits::Words(words) => array
            .as_string_view_opt()
            .is_none_or(|texts| words.iter().any(|word| word.as_str() == texts.value(row))),
        ValueLimits::Range(low, high) => {
            let number = array.as_primitive_opt::<Float64Type>().map(|numbers| numbers.value(row));
            let number = number
                .or_else(|| array.as_primitive_opt::<Int64Type>().map(|integers| integers.value(row) as f64));
            // NaN and infinities become null once loaded.
            number.filter(|number| number.is_finite()).is_none_or(|number| {
                low.is_none_or(|low| number >= low) && high.is_none_or(|high| number <= high)
            })
        }
        ValueLimits::Any | ValueLimits::WordsOrDate(_) => true,
    }
}

fn describe_limits(limits: &ValueLimits) -> String {
    match limits {
        ValueLimits::Words(words) => format!("one of {}", words.join(", ")),
        ValueLimits::Range(low, high) => {
            let end = |end: &Option<f64>| end.map_or_else(String::new, |end| end.to_string());
            format!("in {}..{}", end(low), end(high))
        }
        ValueLimits::Any | ValueLimits::WordsOrDate(_) => "declared".to_owned(),
    }
}

/// Writes the rows in order. Two rows with the same key are reported as a problem.
fn write_sorted(
    table: &Table,
    market: Market,
    file: &Arc<LongFile>,
    schema: &SchemaRef,
    into: &Path,
) -> Result<VettingResult> {
    let all: Vec<usize> = (0..schema.fields().len()).collect();
    let batches = file.read(0..file.row_count(), &all)?.collect::<Result<Vec<_>>>()?;
    let rows = concat_batches(schema, &batches)?;
    drop(batches);
    let positions: Vec<usize> = table.sorted.iter().filter_map(|name| schema.index_of(name).ok()).collect();
    let column = |position: &usize| SortColumn { values: Arc::clone(rows.column(*position)), options: None };
    let columns: Vec<SortColumn> = positions.iter().map(column).collect();
    let rows = take_record_batch(&rows, &lexsort_to_indices(&columns, None)?)?;
    if let Some(row) = first_disorder(None, &rows.project(&positions)?)? {
        let problem = duplicate_key(table, market, &rows, row).with_file(file.location());
        return Ok(VettingResult { problems: vec![problem], ..VettingResult::default() });
    }
    let mut writer = lookup_writer(File::create(into)?, schema)?;
    writer.write(&rows)?;
    writer.close()?;
    let note = Problem::new(table, market, "its rows were out of order; they are served in order".to_owned())
        .with_remedy("nothing; a writer that sorts by symbol and session spares the work".to_owned());
    Ok(VettingResult { problems: Vec::new(), rows: rows.num_rows() as u64, repairs: vec![note] })
}
