//! Makes tables from written tables, either year by year with SQL that reads one session at a time, or in one stream.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::RecordBatch;
use datafusion::datasource::empty::EmptyTable;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{SortExpr, col};
use datafusion::prelude::ParquetReadOptions;
use futures::StreamExt;
use tokio::sync::Semaphore;

use super::by_session::SessionOrderedFile;
use super::error::DeriveError;
use super::partition::PartitionSpan;
use super::published::file_path;
use super::sinks::Sink;
use parquote_catalogue::operation::{Market, PartitionBy, Table};
use parquote_functions::Calendar;
use parquote_functions::arrow_types::table_schema;
use parquote_functions::context::{market_context, register};
use parquote_raw::cores;

/// The inputs for making one table.
pub(super) struct LaterPass {
    pub market: Market,
    pub calendar: Calendar,
    /// The folder of the set being built.
    pub folder: PathBuf,
    pub table: Table,
    /// The tables that its SQL reads.
    pub reads: Vec<Table>,
    /// Optional tables that are missing, which the SQL reads as empty tables.
    pub missing_tables: Vec<Table>,
    /// For a per-session table, the calendar years to compute, ascending.
    pub years: Vec<i32>,
    /// One permit for each core. SQL is evaluated only with a permit, so that concurrent tables and years never use more threads than
    /// cores.
    pub cores: Arc<Semaphore>,
}

/// The result of making a table.
#[derive(Debug, Default)]
pub(super) struct LaterTable {
    /// Number of rows.
    pub rows: u64,
    /// Time for which its SQL held permits of cores.
    pub core_time: Duration,
}

impl LaterPass {
    /// Makes the table and writes it to `sink`.
    pub(super) async fn run(self, sink: Sink) -> Result<LaterTable, DeriveError> {
        let core_time = if self.table.per == Some(PartitionBy::Session) {
            Arc::new(self).write_by_year(&sink).await?
        } else {
            self.write_whole_table(&sink).await?
        };
        Ok(LaterTable { rows: sink.finish().await?, core_time })
    }

    async fn write_by_year(self: Arc<Self>, sink: &Sink) -> Result<Duration, DeriveError> {
        let years = self.years.iter().map(|year| {
            let (pass, year) = (Arc::clone(&self), *year);
            async move { tokio::spawn(async move { pass.compute_year(year).await }).await? }
        });
        // A finished year waits in memory for the years before it, so at most one year for each core is computed at a time.
        let mut made = futures::stream::iter(years.collect::<Vec<_>>()).buffered(cores());
        let mut core_time = Duration::ZERO;
        while let Some(year) = made.next().await {
            let (batches, of_year) = year?;
            core_time += of_year;
            sink.write(batches).await;
        }
        Ok(core_time)
    }

    async fn compute_year(&self, year: i32) -> Result<(Vec<RecordBatch>, Duration), DeriveError> {
        let failed = DeriveError::row_error(&self.table.name);
        let _core = self.cores.acquire().await;
        let began = Instant::now();
        let context = self.context(Some(year)).await?;
        let rows = context.sql(self.table.sql().unwrap_or_default()).await.map_err(&failed)?;
        let batches = rows.collect().await.map_err(&failed)?;
        Ok((batches, began.elapsed()))
    }

    async fn write_whole_table(&self, sink: &Sink) -> Result<Duration, DeriveError> {
        let failed = DeriveError::row_error(&self.table.name);
        let _core = self.cores.acquire().await;
        let began = Instant::now();
        let context = self.context(None).await?;
        let rows = context.sql(self.table.sql().unwrap_or_default()).await.map_err(&failed)?;
        let mut rows = rows.execute_stream().await.map_err(&failed)?;
        while let Some(batch) = rows.next().await {
            sink.write(vec![batch.map_err(&failed)?]).await;
        }
        Ok(began.elapsed())
    }

    /// Creates a context with the tables that the SQL reads. Long tables have all years, or only `year`.
    async fn context(&self, year: Option<i32>) -> Result<SessionContext, DeriveError> {
        let context = market_context(self.market, &self.calendar);
        for table in &self.missing_tables {
            let empty = EmptyTable::new(table_schema(table, table.market.unwrap_or(self.market)));
            register(&context, &table.name, Arc::new(empty)).map_err(DeriveError::row_error(&table.name))?;
        }
        for table in &self.reads {
            let failed = DeriveError::row_error(&table.name);
            let path = self.path(table, year);
            let sorted = !table.yearly || year.is_some();
            let order: Vec<SortExpr> = table.sorted.iter().map(|name| col(name).sort(true, false)).collect();
            let schema = table_schema(table, self.market);
            if year.is_some() && path.exists() && self.needs_session_order(table) {
                let rows = SessionOrderedFile { path, schema };
                register(&context, &table.name, Arc::new(rows)).map_err(failed)?;
                continue;
            }
            let mut options = ParquetReadOptions::default().schema(&schema);
            if sorted && !order.is_empty() {
                options = options.file_sort_order(vec![order]);
            }
            if path.exists() {
                let path = path.to_string_lossy();
                context.register_parquet(&table.name, path, options).await.map_err(failed)?;
            } else {
                let empty = EmptyTable::new(Arc::clone(&schema));
                register(&context, &table.name, Arc::new(empty)).map_err(failed)?;
            }
        }
        Ok(context)
    }

    /// Returns true if an input is sorted by symbol and the table by session.
    fn needs_session_order(&self, read: &Table) -> bool {
        read.sorted == ["symbol", "session"] && self.table.sorted == ["session", "symbol"]
    }

    fn path(&self, table: &Table, year: Option<i32>) -> PathBuf {
        match (table.yearly, year) {
            (false, _) => file_path(&self.folder, &table.name, PartitionSpan::Whole),
            (true, None) => self.folder.join(&table.name),
            (true, Some(year)) => file_path(&self.folder, &table.name, PartitionSpan::Year(year)),
        }
    }
}
