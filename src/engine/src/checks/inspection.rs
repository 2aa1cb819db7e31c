//! Profiles of a loaded market: the length of its tables, their symbols, first and last dates, and the results of the operations' examples.
//! Two sets are compared by their profiles.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use ahash::RandomState;
use chrono::{NaiveDate, Utc};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::Date32Type;
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::error::DataFusionError;

use crate::error::EngineError;
use crate::market_snapshot::MarketSnapshot;
use crate::plans::prepared_call::PreparedCall;
use crate::plans::prepared_operation::PreparedOperation;
use crate::plans::template::PlanKind;
use crate::storage::served_table::{ServedTable, TableRows};
use crate::tables::tables_read::{add_tables_read, tables_of};
use parquote_catalogue::operation::{Arguments, Catalogue, Market, Operation, Presentation, TableOrigin};
use parquote_functions::Calendar;
use parquote_functions::arrow_types::date;
use parquote_functions::context::market_context;

/// Profile of a loaded table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableProfile {
    /// Number of rows.
    pub rows: u64,
    /// Symbols, for a long table those of all its files; `None` without a column `symbol`.
    pub symbols: Option<BTreeSet<String>>,
    /// First and last session; `None` without a column `session`, or without a row.
    pub sessions: Option<(NaiveDate, NaiveDate)>,
    /// Share of nulls in each column; columns whose file has no null counts are absent.
    pub nulls: BTreeMap<String, f64>,
    /// Declared columns that at least one of its files lacks.
    pub missing_columns: BTreeSet<String>,
    /// Hashes of its keys; `None` for a long table, a table without keys, or one of more than [`MOST_KEYS`] rows.
    pub keys: Option<HashSet<u64>>,
}

/// Maximum number of keys compared in a table.
const MOST_KEYS: u64 = 200_000;

/// Operations whose examples fail or return nothing.
#[derive(Debug, Default)]
pub struct ExampleFaults {
    /// Failing operations with their errors.
    pub failed: Vec<(String, EngineError)>,
    /// Operations without a row whose examples had rows on the previous set.
    pub without_rows: Vec<String>,
}

impl MarketSnapshot {
    /// Returns the profile of each loaded table.
    pub fn profiles(&self) -> BTreeMap<String, TableProfile> {
        self.data.tables.loaded_tables().map(|table| (table.name.clone(), profile_table(table))).collect()
    }

    /// Returns the sessions of the market, ascending.
    pub fn sessions(&self) -> Vec<NaiveDate> {
        self.data.tables.calendar.days().iter().filter_map(|day| date(*day)).collect()
    }

    /// Runs the examples of every operation that has its tables, except those for which `before` has the same tables. Returns the
    /// operations that fail, with their errors, and those without a row although `before` had one.
    pub async fn run_examples(&self, before: Option<&Self>) -> ExampleFaults {
        let mut faults = ExampleFaults::default();
        for operation in self.operations().filter(|operation| operation.missing().is_empty()) {
            let earlier = before.and_then(|before| before.prepared_operation(operation.operation()));
            if earlier.is_some_and(|earlier| operation.answers_the_same(earlier)) {
                continue;
            }
            for arguments in operation.examples() {
                let name = &operation.operation().name;
                match Self::count_example_rows(operation, arguments.clone()).await {
                    Err(error) => {
                        faults.failed.push((name.clone(), error));
                        break;
                    }
                    Ok(Some(0)) if Self::had_rows(earlier, arguments).await => {
                        faults.without_rows.push(name.clone());
                        break;
                    }
                    Ok(_) => {}
                }
            }
        }
        faults
    }

    /// Counts the rows of an operation for these arguments.
    async fn count_example_rows(
        operation: &Arc<PreparedOperation>,
        arguments: Arguments,
    ) -> Result<Option<usize>, EngineError> {
        // Callers often send the examples, so that each gets a custom plan.
        operation.warm_for(&arguments, PlanKind::Custom).await?;
        PreparedCall::new(Arc::clone(operation), arguments, Presentation::default(), Utc::now())
            .count_rows()
            .await
    }

    /// Returns true if the earlier snapshot's operation had a row for these arguments.
    async fn had_rows(earlier: Option<&Arc<PreparedOperation>>, arguments: Arguments) -> bool {
        match earlier.filter(|earlier| earlier.missing().is_empty()) {
            Some(earlier) => matches!(Self::count_example_rows(earlier, arguments).await, Ok(Some(1..))),
            None => false,
        }
    }
}

fn profile_table(table: &ServedTable) -> TableProfile {
    let names = || table.schema.fields().iter().map(|field| field.name().clone());
    let rows = table.count() as u64;
    let share = |nulls: u64| if rows == 0 { 0.0 } else { nulls as f64 / rows as f64 };
    match &table.rows {
        TableRows::Memory(batch, _) => {
            let symbols = batch.column_by_name("symbol").and_then(|column| column.as_string_view_opt());
            let days =
                batch.column_by_name("session").and_then(|column| column.as_primitive_opt::<Date32Type>());
            let ends = days.and_then(|days| {
                let (low, high) =
                    (datafusion::arrow::compute::min(days)?, datafusion::arrow::compute::max(days)?);
                Some((date(low)?, date(high)?))
            });
            TableProfile {
                rows,
                symbols: symbols.map(|symbols| symbols.iter().flatten().map(str::to_owned).collect()),
                sessions: ends,
                nulls: names()
                    .zip(batch.columns())
                    .map(|(name, column)| (name, share(column.null_count() as u64)))
                    .collect(),
                missing_columns: table.missing_columns.clone(),
                keys: (rows <= MOST_KEYS).then(|| hash_keys(batch, &table.sort_columns)).flatten(),
            }
        }
        TableRows::Files(files) => {
            let ends =
                |pick: fn((i32, i32)) -> i32| files.iter().filter_map(move |f| Some(pick(f.sessions?)));
            let (first, last) = (ends(|(first, _)| first).min(), ends(|(_, last)| last).max());
            let symbols: BTreeSet<String> =
                files.iter().flat_map(|file| file.index.texts().map(str::to_owned)).collect();
            let nulls = names().filter_map(|name| {
                let nulls: Option<u64> = files.iter().map(|file| file.nulls(&name)).sum();
                Some((name, share(nulls?)))
            });
            TableProfile {
                rows,
                symbols: Some(symbols).filter(|symbols| !symbols.is_empty()),
                sessions: first.and_then(date).zip(last.and_then(date)),
                nulls: nulls.collect(),
                missing_columns: table.missing_columns.clone(),
                keys: None,
            }
        }
    }
}

/// Hashes the values in a table's sort columns.
fn hash_keys(batch: &RecordBatch, sorted: &[usize]) -> Option<HashSet<u64>> {
    let columns: Vec<ArrayRef> = sorted.iter().map(|position| Arc::clone(batch.column(*position))).collect();
    let fields = columns.iter().map(|column| SortField::new(column.data_type().clone())).collect();
    let rows = RowConverter::new(fields).ok()?.convert_columns(&columns).ok()?;
    let state = RandomState::with_seeds(1, 2, 3, 4);
    Some(rows.iter().map(|row| state.hash_one(row.as_ref())).collect())
}

/// Returns the operations that read a table, also through views; for a column, only operations whose SQL names it.
///
/// # Errors
/// SQL that cannot be parsed.
pub fn operations_that_read(
    catalogue: &Catalogue,
    market: Market,
    table: &str,
    column: Option<&str>,
) -> Result<Vec<String>, DataFusionError> {
    let mut readers = Vec::new();
    for (operation, names) in tables_read(catalogue, market)? {
        if names.contains(table)
            && column.is_none_or(|column| names_column(catalogue, operation, &names, column))
        {
            readers.push(operation.name.clone());
        }
    }
    Ok(readers)
}

/// Returns the operations that serve a market, each with the tables that it reads, also through views.
///
/// # Errors
/// SQL that cannot be parsed.
pub fn tables_read(
    catalogue: &Catalogue,
    market: Market,
) -> Result<Vec<(&Operation, BTreeSet<String>)>, DataFusionError> {
    let state = market_context(market, &Calendar::default()).state();
    let mut operations = Vec::new();
    for operation in catalogue.operations().iter().filter(|operation| operation.serves(market)) {
        let mut names = BTreeSet::new();
        for select in operation.selects.iter().filter(|select| select.serves(market)) {
            add_tables_read(&state, catalogue, market, &select.sql, None, &mut names)
                .map_err(datafusion_error)?;
        }
        operations.push((&**operation, names));
    }
    Ok(operations)
}

/// Returns the tables whose SQL reads a table.
///
/// # Errors
/// SQL that cannot be parsed.
pub fn tables_that_read(
    catalogue: &Catalogue,
    market: Market,
    table: &str,
) -> Result<Vec<String>, DataFusionError> {
    let state = market_context(market, &Calendar::default()).state();
    let mut names = Vec::new();
    for (other, sql) in catalogue.tables_in(market).filter_map(|other| Some((other, other.sql()?))) {
        if tables_of(&state, sql)?.iter().any(|name| name == table) {
            names.push(other.name.clone());
        }
    }
    Ok(names)
}

fn datafusion_error(error: EngineError) -> DataFusionError {
    match error {
        EngineError::Execution { source } | EngineError::Memory { source } => *source,
        other => DataFusionError::External(other.into()),
    }
}

/// Returns true if the SQL of an operation, or of a view that it reads, names a column.
fn names_column(
    catalogue: &Catalogue,
    operation: &Operation,
    tables: &BTreeSet<String>,
    column: &str,
) -> bool {
    let views = tables.iter().filter_map(|name| match &catalogue.table(operation.market, name)?.origin {
        TableOrigin::View(sql) => Some(sql.as_str()),
        _ => None,
    });
    let mut sql = operation.selects.iter().map(|select| select.sql.as_str()).chain(views);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    sql.any(|sql| sql.split(|c| !is_word(c)).any(|word| word == column))
}
