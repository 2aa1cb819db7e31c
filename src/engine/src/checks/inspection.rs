//! The profile of a loaded market: the length of its tables, their symbols, their first and last dates, and whether its operations
//! answer. Two sets are compared by their profiles.

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
use crate::tables::market_tables::{references, tables_of};
use parquote_catalogue::operation::{Arguments, Catalogue, Market, Operation, Presentation, TableOrigin};
use parquote_functions::Calendar;
use parquote_functions::arrow_types::date;
use parquote_functions::context::market_context;

/// What a table looks like.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableProfile {
    /// Its rows.
    pub rows: u64,
    /// Its symbols, where it has some; of long tables those of all files.
    pub symbols: Option<BTreeSet<String>>,
    /// Its first and last session, where it has a column of that name.
    pub sessions: Option<(NaiveDate, NaiveDate)>,
    /// The share of nulls in each column; of columns that a file does not count them for, nothing.
    pub nulls: BTreeMap<String, f64>,
    /// Declared columns that one of its files lacks.
    pub lacking: BTreeSet<String>,
    /// Hashes of its keys, where it is a table of at most [`MOST_KEYS`] rows that is held in memory.
    pub keys: Option<HashSet<u64>>,
}

/// The most keys of a table that are compared.
const MOST_KEYS: u64 = 200_000;

/// Operations whose own examples are not answered as they should be.
#[derive(Debug, Default)]
pub struct ExampleFaults {
    /// Those that fail, and why.
    pub failing: Vec<(String, EngineError)>,
    /// Those without a row, of which the set before had some.
    pub emptied: Vec<String>,
}

impl MarketSnapshot {
    /// What each loaded table looks like.
    pub fn profiles(&self) -> BTreeMap<String, TableProfile> {
        self.data.tables.served().map(|table| (table.name.clone(), profile(table))).collect()
    }

    /// The sessions.
    pub fn sessions(&self) -> Vec<NaiveDate> {
        self.data.tables.calendar.days().iter().filter_map(|day| date(*day)).collect()
    }

    /// Runs the examples of every operation that has its tables, except where `before` has the same tables: those that fail, with why, and
    /// those that answer without a row, of which `before` had one.
    pub async fn examples(&self, before: Option<&Self>) -> ExampleFaults {
        let mut faults = ExampleFaults::default();
        for operation in self.operations().filter(|operation| operation.missing().is_empty()) {
            let earlier = before.and_then(|before| before.prepared(operation.operation()));
            if earlier.is_some_and(|earlier| operation.answers_the_same(earlier)) {
                continue;
            }
            for arguments in operation.examples() {
                let name = &operation.operation().name;
                match Self::example(operation, arguments.clone()).await {
                    Err(error) => {
                        faults.failing.push((name.clone(), error));
                        break;
                    }
                    Ok(Some(0)) if Self::had_rows(earlier, arguments).await => {
                        faults.emptied.push(name.clone());
                        break;
                    }
                    Ok(_) => {}
                }
            }
        }
        faults
    }

    /// How many rows an operation answers these arguments with.
    async fn example(
        operation: &Arc<PreparedOperation>,
        arguments: Arguments,
    ) -> Result<Option<usize>, EngineError> {
        // Callers ask examples often, so each has a custom plan.
        operation.warm_for(&arguments, PlanKind::Custom).await?;
        PreparedCall::new(Arc::clone(operation), arguments, Presentation::default(), Utc::now()).rows().await
    }

    /// Whether an operation of the snapshot before answered these arguments with a row.
    async fn had_rows(earlier: Option<&Arc<PreparedOperation>>, arguments: Arguments) -> bool {
        match earlier.filter(|earlier| earlier.missing().is_empty()) {
            Some(earlier) => matches!(Self::example(earlier, arguments).await, Ok(Some(1..))),
            None => false,
        }
    }
}

fn profile(table: &ServedTable) -> TableProfile {
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
                lacking: table.lacking.clone(),
                keys: (rows <= MOST_KEYS).then(|| keys(batch, &table.sorted)).flatten(),
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
                lacking: table.lacking.clone(),
                keys: None,
            }
        }
    }
}

/// Hashes of the values in the columns by which a table is sorted.
fn keys(batch: &RecordBatch, sorted: &[usize]) -> Option<HashSet<u64>> {
    let columns: Vec<ArrayRef> = sorted.iter().map(|place| Arc::clone(batch.column(*place))).collect();
    let fields = columns.iter().map(|column| SortField::new(column.data_type().clone())).collect();
    let rows = RowConverter::new(fields).ok()?.convert_columns(&columns).ok()?;
    let state = RandomState::with_seeds(1, 2, 3, 4);
    Some(rows.iter().map(|row| state.hash_one(row.as_ref())).collect())
}

/// The operations that read a table, and of a column those whose SQL names it, through views too.
///
/// # Errors
/// SQL that cannot be parsed.
pub fn readers(
    catalogue: &Catalogue,
    market: Market,
    table: &str,
    column: Option<&str>,
) -> Result<Vec<String>, DataFusionError> {
    let mut readers = Vec::new();
    for (operation, names) in tables_read(catalogue, market)? {
        if names.contains(table) && column.is_none_or(|column| is_named(catalogue, operation, &names, column))
        {
            readers.push(operation.name.clone());
        }
    }
    Ok(readers)
}

/// The operations that serve a market, each with the tables that it reads, through views too.
///
/// # Errors
/// SQL that cannot be parsed.
pub fn tables_read(
    catalogue: &Catalogue,
    market: Market,
) -> Result<Vec<(&Operation, BTreeSet<String>)>, DataFusionError> {
    let state = market_context(market, &Calendar::default()).state();
    let mut read = Vec::new();
    for operation in catalogue.operations().iter().filter(|operation| operation.serves(market)) {
        let mut names = BTreeSet::new();
        for select in operation.selects.iter().filter(|select| select.serves(market)) {
            references(&state, catalogue, market, &select.sql, &[], &mut names).map_err(unwrapped)?;
        }
        read.push((&**operation, names));
    }
    Ok(read)
}

/// The tables whose SQL reads a table.
///
/// # Errors
/// SQL that cannot be parsed.
pub fn tables_made_of(
    catalogue: &Catalogue,
    market: Market,
    table: &str,
) -> Result<Vec<String>, DataFusionError> {
    let state = market_context(market, &Calendar::default()).state();
    let mut made = Vec::new();
    for (other, sql) in catalogue.tables_in(market).filter_map(|other| Some((other, other.sql()?))) {
        if tables_of(&state, sql)?.iter().any(|name| name == table) {
            made.push(other.name.clone());
        }
    }
    Ok(made)
}

fn unwrapped(error: EngineError) -> DataFusionError {
    match error {
        EngineError::Execution { source } | EngineError::Memory { source } => *source,
        other => DataFusionError::External(other.into()),
    }
}

/// Whether a column is named in the SQL of an operation or of the views that it reads.
fn is_named(catalogue: &Catalogue, operation: &Operation, tables: &BTreeSet<String>, column: &str) -> bool {
    let views = tables.iter().filter_map(|name| match &catalogue.table(operation.market, name)?.origin {
        TableOrigin::View(sql) => Some(sql.as_str()),
        _ => None,
    });
    let mut sql = operation.selects.iter().map(|select| select.sql.as_str()).chain(views);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    sql.any(|sql| sql.split(|c| !is_word(c)).any(|word| word == column))
}
