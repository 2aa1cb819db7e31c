//! Makes tables from written tables: session by session for each calendar year, or whole in one stream.

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
    /// Optional tables that are missing: read as empty.
    pub missing_tables: Vec<Table>,
    /// For a per-session table: the calendar years to be made, ascending.
    pub years: Vec<i32>,
    /// One permit per core: SQL is evaluated only with a permit, so that tables and years together use at most all cores.
    pub cores: Arc<Semaphore>,
}

/// The outcome of making a table.
#[derive(Debug, Default)]
pub(super) struct LaterTable {
    /// Number of rows.
    pub rows: u64,
    /// Time for which it held a core.
    pub took: Duration,
}

impl LaterPass {
    /// Makes the table and writes it to `sink`.
    pub(super) async fn run(self, sink: Sink) -> Result<LaterTable, DeriveError> {
        let took = if self.table.per == Some(PartitionBy::Session) {
            Arc::new(self).by_years(&sink).await?
        } else {
            self.write_whole_table(&sink).await?
        };
        Ok(LaterTable { rows: sink.finish().await?, took })
    }

    async fn by_years(self: Arc<Self>, sink: &Sink) -> Result<Duration, DeriveError> {
        let years = self.years.iter().map(|year| {
            let (pass, year) = (Arc::clone(&self), *year);
            async move { tokio::spawn(async move { pass.year(year).await }).await? }
        });
        // A finished year waits in memory for the years before it, so at most one year per core is started ahead.
        let mut made = futures::stream::iter(years.collect::<Vec<_>>()).buffered(cores());
        let mut took = Duration::ZERO;
        while let Some(year) = made.next().await {
            let (batches, of_year) = year?;
            took += of_year;
            sink.write(batches).await;
        }
        Ok(took)
    }

    async fn year(&self, year: i32) -> Result<(Vec<RecordBatch>, Duration), DeriveError> {
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

    /// Creates a context over the tables read; of long tables all years, or only `year`.
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

    /// Returns true if rows sorted by symbol are needed in session order.
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
