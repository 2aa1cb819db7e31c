//! Checks a market's tables against rules, and runs the SELECTs of a person at a terminal. No caller of an operation waits for either.

use std::path::Path;

use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::DataFusionError;
use datafusion::execution::TaskContext;
use datafusion::execution::context::SQLOptions;
use datafusion::physical_plan::collect;

use super::error::EngineError;
use super::market_snapshot::MarketSnapshot;
use super::rows_file::{self, FileForm};
use crate::operation::Check;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckResult {
    /// No row breaks the rule.
    Kept,
    /// Tables that the check reads are not there.
    Skipped(Vec<String>),
    /// Rows that break the rule.
    Broken {
        /// How many, counted up to [`CheckResult::MOST_ROWS`].
        rows: usize,
        /// The first of them, drawn as a table.
        shown: String,
    },
}

impl CheckResult {
    /// Rows that are counted at most.
    pub const MOST_ROWS: usize = 10_000;
    /// Rows that are shown.
    pub const SHOWN_ROWS: usize = 5;
}

impl MarketSnapshot {
    /// Holds the tables against a check, in memory that is bounded apart from that of callers.
    ///
    /// # Errors
    /// SQL that does not plan or run.
    pub async fn check(&self, check: &Check) -> Result<CheckResult, EngineError> {
        let (engine, tables) = (&self.data.engine, &self.data.tables);
        let missing = tables.missing(&engine.catalogue, &check.sql, &[])?;
        if !missing.is_empty() {
            return Ok(CheckResult::Skipped(missing));
        }
        let rows = tables.context.sql_with_options(&check.sql, reads()).await?;
        let plan = rows.limit(0, Some(CheckResult::MOST_ROWS))?.create_physical_plan().await?;
        let task = TaskContext::from(&*tables.state).with_runtime(engine.runtimes.aside()?);
        let found = collect(plan, task.into()).await?;
        let rows = found.iter().map(RecordBatch::num_rows).sum();
        let mut left = CheckResult::SHOWN_ROWS;
        let shown = found.iter().map(|batch| {
            let batch = batch.slice(0, left.min(batch.num_rows()));
            left -= batch.num_rows();
            batch
        });
        let shown = pretty_format_batches(&shown.collect::<Vec<_>>()).map_err(DataFusionError::from)?;
        Ok(if rows == 0 { CheckResult::Kept } else { CheckResult::Broken { rows, shown: shown.to_string() } })
    }

    /// Runs a SELECT.
    ///
    /// # Errors
    /// SQL that does not plan or run.
    pub async fn select(&self, sql: &str) -> Result<Vec<RecordBatch>, EngineError> {
        Ok(self.data.tables.context.sql_with_options(sql, reads()).await?.collect().await?)
    }

    /// Writes the rows of a SELECT into a file, and says how many there are.
    ///
    /// # Errors
    /// SQL that does not plan or run, a column without a form in the file, a file that cannot be written.
    pub async fn write(&self, sql: &str, path: &Path, form: FileForm) -> Result<u64, EngineError> {
        let rows = self.data.tables.context.sql_with_options(sql, reads()).await?;
        Ok(rows_file::write(rows.execute_stream().await?, path, form).await?)
    }
}

/// Rows as a table of letters, for a terminal.
pub fn drawn(rows: &[RecordBatch]) -> Result<String, EngineError> {
    Ok(pretty_format_batches(rows).map_err(DataFusionError::from)?.to_string())
}

/// What a SELECT may do: read.
fn reads() -> SQLOptions {
    SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false)
}
