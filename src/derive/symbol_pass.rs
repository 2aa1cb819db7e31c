//! Tables made symbol by symbol, straight from the bars: over chunks of symbols, so that memory does not grow with the market.
//!
//! Chunks run on all cores and are written in the order of symbols. A chunk's bars are freed when it is done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::logical_expr::{SortExpr, col};
use futures::StreamExt;

use super::bars::{Bars, Chunk};
use super::bars_read;
use super::error::DeriveError;
use super::raw::{Progress, Session, cores};
use super::sinks::Sink;
use super::sources::BARS;
use super::table_writer::conform;
use crate::engine::arrow_types::{days, table_schema};
use crate::engine::context::{market_context, register};
use crate::engine::functions::{Calendar, Carried};
use crate::engine::long_table::LongTable;
use crate::operation::{Market, Table};

/// What every chunk needs.
pub(super) struct SymbolPass {
    pub market: Market,
    pub calendar: Calendar,
    pub sessions: Vec<Session>,
    /// `daily_prices`.
    pub bars: Table,
    /// The tables made from the bars, each after those that it reads.
    pub tables: Vec<Table>,
    /// Small tables that are already made, by name.
    pub small: BTreeMap<String, RecordBatch>,
    /// By table: the year of it whose last rows carry what the bars that are taken up again need.
    pub carried: BTreeMap<String, LongTable>,
}

/// What becomes of the rows of a table.
pub(super) enum Output {
    /// They are written as they come.
    Written(Sink),
    /// They are few and gathered.
    Gathered(Vec<RecordBatch>),
    /// They are there already.
    Linked,
}

impl Output {
    async fn take(&mut self, batches: Vec<RecordBatch>) {
        match self {
            Self::Written(sink) => sink.write(batches).await,
            Self::Gathered(gathered) => gathered.extend(batches),
            Self::Linked => {}
        }
    }
}

/// The batches of each table of a chunk, in the order of the pass, the bars first.
type Made = Vec<Vec<RecordBatch>>;

/// Makes the tables of all stocks; `outputs` are those of the bars and of each table, in that order.
pub(super) async fn run(
    pass: SymbolPass,
    bars: Bars,
    outputs: &mut [Output],
    progress: &dyn Progress,
) -> Result<(), DeriveError> {
    /// Bars of about a hundred symbols with all their figures fit into some 50 MB.
    const CHUNK_BARS: usize = 160_000;
    let wanted = bars_read::columns(&pass).await.map_err(DeriveError::rows(BARS))?;
    let (pass, wanted) = (Arc::new(pass), Arc::new(wanted));
    progress.start("deriving symbol by symbol", bars.stocks() as u64);
    let cores = cores();
    let chunks = bars.chunks(CHUNK_BARS, cores).into_iter().map(|chunk| {
        let (pass, wanted) = (Arc::clone(&pass), Arc::clone(&wanted));
        async move {
            let symbols = chunk.stocks() as u64;
            let made = tokio::spawn(async move { pass.chunk(&chunk, &wanted).await }).await??;
            Ok::<_, DeriveError>((symbols, made))
        }
    });
    let mut made = futures::stream::iter(chunks).buffered(cores);
    while let Some(chunk) = made.next().await {
        let (symbols, tables) = chunk?;
        for (batches, output) in tables.into_iter().zip(outputs.iter_mut()) {
            output.take(batches).await;
        }
        progress.advance(symbols);
    }
    progress.finish();
    Ok(())
}

impl SymbolPass {
    async fn chunk(&self, chunk: &Chunk, wanted: &BTreeSet<String>) -> Result<Made, DeriveError> {
        let of_bars = DeriveError::rows(BARS);
        let context = market_context(self.market, &self.calendar);
        for (name, batch) in &self.small {
            let table = MemTable::try_new(batch.schema(), vec![vec![batch.clone()]])
                .map_err(DeriveError::rows(name))?;
            register(&context, name, Arc::new(table)).map_err(DeriveError::rows(name))?;
        }
        let bars = chunk.rows(&self.bars, self.market, &self.sessions, wanted).map_err(&of_bars)?;
        let kept = in_memory(&bars.schema(), vec![bars.clone()], &self.bars).map_err(&of_bars)?;
        register(&context, BARS, kept).map_err(&of_bars)?;
        let mut made = vec![vec![bars]];
        for table in &self.tables {
            let failed = DeriveError::rows(&table.name);
            if let Some(before) = self.carried.get(&table.name) {
                let carried = self.carried(table, before, chunk)?;
                context.register_udf(carried.function());
            }
            let sql = table.sql().unwrap_or_default();
            let rows = context.sql(sql).await.map_err(&failed)?.collect().await.map_err(&failed)?;
            let schema = table_schema(table, self.market);
            let rows = rows
                .iter()
                .map(|batch| conform(batch, &schema))
                .collect::<Result<Vec<_>>>()
                .map_err(&failed)?;
            let kept = in_memory(&schema, rows.clone(), table).map_err(&failed)?;
            register(&context, &table.name, kept).map_err(&failed)?;
            made.push(rows);
        }
        Ok(made)
    }

    /// What a table's earlier rows carry for the stocks of a chunk that are taken up again.
    fn carried(&self, table: &Table, before: &LongTable, chunk: &Chunk) -> Result<Carried, DeriveError> {
        let failed = DeriveError::rows(&table.name);
        let resumed = chunk.resumed();
        let symbols: Vec<String> = resumed.iter().map(|(symbol, _)| (*symbol).to_owned()).collect();
        let wanted =
            |name: &str| ["symbol", "session"].contains(&name) || table.carried.iter().any(|c| c == name);
        let carried = Carried::new(&before.last_rows(&symbols, wanted).map_err(&failed)?).map_err(&failed)?;
        let missing = resumed.iter().find(|(symbol, number)| {
            let session = self.sessions.get(*number as usize).map(|session| days(session.date));
            carried.session(symbol) != session
        });
        match missing {
            None => Ok(carried),
            Some((symbol, _)) => {
                Err(DeriveError::NotCarried { table: table.name.clone(), symbol: (*symbol).to_owned() })
            }
        }
    }
}

fn in_memory(schema: &SchemaRef, batches: Vec<RecordBatch>, table: &Table) -> Result<Arc<dyn TableProvider>> {
    const BY_BAR: [&str; 2] = ["symbol", "session"];
    const BY_HISTORY: [&str; 3] = ["symbol", "history", "session"];
    let order = |columns: &[&str]| -> Vec<SortExpr> {
        columns.iter().map(|name| col(*name).sort(true, false)).collect()
    };
    let declared: Vec<&str> = table.sorted.iter().map(String::as_str).collect();
    let mut orders = vec![order(&declared)];
    if declared == BY_BAR && schema.column_with_name("history").is_some() {
        // Histories count up with sessions, so both orders hold, and windows over a history need no sort.
        orders.push(order(&BY_HISTORY));
    }
    Ok(Arc::new(MemTable::try_new(Arc::clone(schema), vec![batches])?.with_sort_order(orders)))
}
