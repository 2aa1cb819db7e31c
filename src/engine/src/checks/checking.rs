//! Checks a market's tables against rules, and runs the SELECTs of a user at a terminal. No caller of an operation waits for this work.

use std::path::Path;

use chrono::NaiveDate;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::ScalarValue;
use datafusion::error::DataFusionError;
use datafusion::execution::TaskContext;
use datafusion::execution::context::{SQLOptions, SessionContext};
use datafusion::physical_plan::collect;
use datafusion::prelude::{DataFrame, ParquetReadOptions, col, lit};

use crate::answers::rows_file::{self, FileForm};
use crate::error::EngineError;
use crate::limits::{QueryLimits, Runtimes};
use crate::market_snapshot::MarketSnapshot;
use crate::tables::tables_read::tables_of;
use parquote_catalogue::operation::{Check, Market, Table};
use parquote_functions::Calendar;
use parquote_functions::arrow_types::{days, table_schema};
use parquote_functions::context::market_context;

/// Result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckResult {
    /// No row breaks the rule.
    Passed,
    /// Tables that the check reads are missing: their names.
    Skipped(Vec<String>),
    /// Rows that break the rule.
    Broken {
        /// The number of these rows, counted up to [`CheckResult::MOST_ROWS`].
        rows: usize,
        /// The first [`CheckResult::SHOWN_ROWS`] of these rows, drawn as a text table.
        text: String,
    },
}

impl CheckResult {
    /// The limit up to which rows are counted.
    pub const MOST_ROWS: usize = 10_000;
    /// The greatest number of rows in [`CheckResult::Broken`] as text.
    pub const SHOWN_ROWS: usize = 5;

    /// Runs the SELECT of a check and counts its rows.
    async fn collect_rows(rows: DataFrame, task: TaskContext) -> Result<Self, EngineError> {
        let plan = rows.limit(0, Some(Self::MOST_ROWS))?.create_physical_plan().await?;
        let batches = collect(plan, task.into()).await?;
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        let mut remaining = Self::SHOWN_ROWS;
        let first_rows = batches.iter().map(|batch| {
            let batch = batch.slice(0, remaining.min(batch.num_rows()));
            remaining -= batch.num_rows();
            batch
        });
        let text = pretty_format_batches(&first_rows.collect::<Vec<_>>()).map_err(DataFusionError::from)?;
        Ok(if rows == 0 { Self::Passed } else { Self::Broken { rows, text: text.to_string() } })
    }
}

/// Tables of one file each. Every check reads the files again, so that memory holds only the state of the check.
pub struct FilesToCheck {
    context: SessionContext,
    runtimes: Runtimes,
}

impl FilesToCheck {
    /// Opens tables of a market from their local files.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub async fn open(
        market: Market,
        tables: impl IntoIterator<Item = (&Table, &Path)>,
    ) -> Result<Self, EngineError> {
        let context = market_context(market, &Calendar::new(Vec::new()));
        for (table, path) in tables {
            let order = table.sorted.iter().map(|name| col(name).sort(true, false)).collect::<Vec<_>>();
            let schema = table_schema(table, market);
            let order = Some(order).filter(|order| !order.is_empty()).into_iter().collect();
            let options = ParquetReadOptions::default().schema(&schema).file_sort_order(order);
            context.register_parquet(&table.name, path.to_string_lossy(), options).await?;
        }
        Ok(Self { context, runtimes: Runtimes::new(&QueryLimits::default()) })
    }

    /// Runs a check on these files, as [`MarketSnapshot::check`] does on a snapshot.
    ///
    /// # Errors
    /// Same as [`MarketSnapshot::check`].
    pub async fn check(&self, check: &Check) -> Result<CheckResult, EngineError> {
        let state = self.context.state();
        let mut missing = Vec::new();
        for name in tables_of(&state, &check.sql)?.iter() {
            if !self.context.table_exist(name.as_str())? {
                missing.push(name.clone());
            }
        }
        if !missing.is_empty() {
            return Ok(CheckResult::Skipped(missing));
        }
        let rows = self.context.sql_with_options(&check.sql, read_only_options()).await?;
        CheckResult::collect_rows(
            rows,
            TaskContext::from(&state).with_runtime(self.runtimes.background_runtime()?),
        )
        .await
    }
}

impl MarketSnapshot {
    /// Checks the tables against a rule. Its memory limit is separate from the limit of callers.
    ///
    /// # Errors
    /// SQL that does not plan or run.
    pub async fn check(&self, check: &Check) -> Result<CheckResult, EngineError> {
        let (engine, tables) = (&self.data.engine, &self.data.tables);
        let missing = tables.missing_tables(&engine.catalogue, &check.sql, &[])?;
        if !missing.is_empty() {
            return Ok(CheckResult::Skipped(missing));
        }
        let rows = tables.context.sql_with_options(&check.sql, read_only_options()).await?;
        let task = TaskContext::from(&*tables.state).with_runtime(engine.runtimes.background_runtime()?);
        CheckResult::collect_rows(rows, task).await
    }

    /// Returns true if a check reads the same data as on the previous snapshot, so that its result is the same.
    ///
    /// # Errors
    /// SQL that cannot be parsed.
    pub fn checks_the_same(&self, before: &Self, check: &Check) -> Result<bool, EngineError> {
        self.data.tables.reads_the_same(&before.data.tables, &self.data.engine.catalogue, &check.sql)
    }

    /// Runs a SELECT.
    ///
    /// # Errors
    /// SQL that does not plan or run.
    pub async fn select(&self, sql: &str) -> Result<Vec<RecordBatch>, EngineError> {
        Ok(self.data.tables.context.sql_with_options(sql, read_only_options()).await?.collect().await?)
    }

    /// Writes the rows of a SELECT to a file and returns their number.
    ///
    /// # Errors
    /// SQL that does not plan or run, a column that the file format cannot represent, or a file that cannot be written.
    pub async fn write(&self, sql: &str, path: &Path, form: FileForm) -> Result<u64, EngineError> {
        let rows = self.data.tables.context.sql_with_options(sql, read_only_options()).await?;
        Ok(rows_file::write(rows.execute_stream().await?, path, form).await?)
    }

    /// Writes the rows of a table to a file, all or those of one calendar year, and returns their number.
    ///
    /// # Errors
    /// Same as [`MarketSnapshot::write`].
    pub async fn write_table(
        &self,
        table: &Table,
        year: Option<i32>,
        path: &Path,
        form: FileForm,
    ) -> Result<u64, EngineError> {
        let columns: Vec<&str> = table.columns_in(self.market()).map(|column| column.name.as_str()).collect();
        let mut rows = self.data.tables.context.table(&table.name).await?.select_columns(&columns)?;
        if let Some(year) = year {
            let first_day = |year| NaiveDate::from_ymd_opt(year, 1, 1).map(days);
            let day = |year| lit(ScalarValue::Date32(first_day(year)));
            rows = rows.filter(col("session").gt_eq(day(year)).and(col("session").lt(day(year + 1))))?;
        }
        // Stored tables are already sorted.
        if table.is_view() {
            rows = rows.sort_by(table.sorted.iter().map(col).collect())?;
        }
        Ok(rows_file::write(rows.execute_stream().await?, path, form).await?)
    }
}

/// Draws rows as a text table for a terminal.
pub fn draw_table(rows: &[RecordBatch]) -> Result<String, EngineError> {
    if rows.iter().all(|batch| batch.num_rows() == 0) {
        return Ok("no rows".to_owned());
    }
    Ok(pretty_format_batches(rows).map_err(DataFusionError::from)?.to_string())
}

/// Returns options that refuse every statement except one that reads.
fn read_only_options() -> SQLOptions {
    SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false)
}
