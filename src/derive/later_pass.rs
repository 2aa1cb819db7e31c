//! Tables made from what is already written: session by session over calendar years, or whole in one stream.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::datasource::empty::EmptyTable;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{SortExpr, col};
use datafusion::prelude::ParquetReadOptions;
use futures::StreamExt;

use super::error::DeriveError;
use super::raw::Progress;
use super::sinks::Sink;
use crate::engine::arrow_types::table_schema;
use crate::engine::context::market_context;
use crate::engine::functions::Calendar;
use crate::operation::{Market, Per, Table};

/// What every later table needs.
#[derive(Clone)]
pub(super) struct LaterPass {
    pub market: Market,
    pub calendar: Calendar,
    /// The folder in which the set is made.
    pub folder: PathBuf,
    /// The tables that are written, in the order of writing.
    pub written: Vec<Table>,
    /// Tables that the one to be made can do without and has to: they are read as empty.
    pub absent: Vec<Table>,
    /// The calendar years of the sessions, ascending.
    pub years: Vec<i32>,
}

impl LaterPass {
    /// Makes one table.
    pub(super) async fn run(
        &self,
        table: &Table,
        sink: &Sink,
        progress: &dyn Progress,
    ) -> Result<(), DeriveError> {
        if table.per != Some(Per::Session) {
            progress.start(&table.name, 1);
            self.stream(table, sink).await?;
            progress.finish();
            return Ok(());
        }
        progress.start(&table.name, self.years.len() as u64);
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let years = self.years.iter().map(|year| {
            let (pass, table, year) = (self.clone(), table.clone(), *year);
            async move { tokio::spawn(async move { pass.year(&table, year).await }).await? }
        });
        let mut made = futures::stream::iter(years.collect::<Vec<_>>()).buffered(cores);
        while let Some(batches) = made.next().await {
            sink.write(batches?).await;
            progress.advance(1);
        }
        progress.finish();
        Ok(())
    }

    async fn year(&self, table: &Table, year: i32) -> Result<Vec<RecordBatch>, DeriveError> {
        let failed = DeriveError::rows(&table.name);
        let context = self.context(Some(year)).await?;
        let rows = context.sql(table.sql().unwrap_or_default()).await.map_err(&failed)?;
        rows.collect().await.map_err(&failed)
    }

    async fn stream(&self, table: &Table, sink: &Sink) -> Result<(), DeriveError> {
        let failed = DeriveError::rows(&table.name);
        let context = self.context(None).await?;
        let rows = context.sql(table.sql().unwrap_or_default()).await.map_err(&failed)?;
        let mut rows = rows.execute_stream().await.map_err(&failed)?;
        while let Some(batch) = rows.next().await {
            sink.write(vec![batch.map_err(&failed)?]).await;
        }
        Ok(())
    }

    /// A context over what is written; of long tables the whole, or one year.
    async fn context(&self, year: Option<i32>) -> Result<SessionContext, DeriveError> {
        let context = market_context(self.market, &self.calendar);
        for table in &self.absent {
            let empty = EmptyTable::new(table_schema(table, self.market));
            context.register_table(&table.name, Arc::new(empty)).map_err(DeriveError::rows(&table.name))?;
        }
        for table in &self.written {
            let path = self.path(table, year);
            let sorted = !table.yearly || year.is_some();
            let order: Vec<SortExpr> = table.sorted.iter().map(|name| col(name).sort(true, false)).collect();
            let schema = table_schema(table, self.market);
            let mut options = ParquetReadOptions::default().schema(&schema);
            if sorted && !order.is_empty() {
                options = options.file_sort_order(vec![order]);
            }
            let failed = DeriveError::rows(&table.name);
            if Path::new(&path).exists() {
                context
                    .register_parquet(&table.name, path.to_string_lossy(), options)
                    .await
                    .map_err(failed)?;
            } else {
                let empty = EmptyTable::new(Arc::clone(&schema));
                context.register_table(&table.name, Arc::new(empty)).map(drop).map_err(failed)?;
            }
        }
        Ok(context)
    }

    fn path(&self, table: &Table, year: Option<i32>) -> PathBuf {
        match (table.yearly, year) {
            (false, _) => self.folder.join(format!("{}.parquet", table.name)),
            (true, None) => self.folder.join(&table.name),
            (true, Some(year)) => self.folder.join(&table.name).join(format!("{year}.parquet")),
        }
    }
}
