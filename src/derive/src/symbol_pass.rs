//! The symbol pass makes the per-symbol tables from the bars, in chunks of symbols, so that memory does not grow with the market.
//!
//! Chunks run on all cores and are written in symbol order. A chunk's bars are freed when it is done.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use futures::StreamExt;

use super::bars::{Bars, Chunk};
use super::error::DeriveError;
use super::sessions;
use super::sinks::Sink;
use super::symbol_plans::SymbolPlans;
use parquote_catalogue::operation::{Market, Table};
use parquote_engine::long_table::LongTable;
use parquote_functions::{Calendar, CarriedCell};
use parquote_raw::{Progress, Session, cores};

/// The inputs that all chunks share.
pub(super) struct SymbolPass {
    pub market: Market,
    pub calendar: Calendar,
    pub sessions: Vec<Session>,
    /// The table `daily_prices`.
    pub bars: Table,
    /// The tables to make from the bars, each after the tables that it reads.
    pub tables: Vec<Table>,
    /// The rows of single-file tables that are already made, by name.
    pub small: BTreeMap<String, RecordBatch>,
    /// For each table with carried columns, by name, the rows with the carried figures.
    pub carried: BTreeMap<String, CarriedRows>,
}

/// Rows of a table with the figures that later rows need of earlier bars.
pub(super) enum CarriedRows {
    /// The declaration of the table, and its rows of the previous set, by the calendar years of the last bars before the new rows.
    Published(Box<Table>, BTreeMap<i32, LongTable>),
    /// The rows, which a work unit has brought to a worker.
    Supplied(RecordBatch),
}

/// Destination of a table's rows.
pub(super) enum Output {
    /// Rows are written as they arrive.
    Written(Sink),
    /// Few rows, which are collected in memory.
    Gathered(Vec<RecordBatch>),
    /// The file of the previous set is reused, and nothing is written.
    Linked,
}

impl Output {
    pub(super) async fn add_batches(&mut self, batches: Vec<RecordBatch>) {
        match self {
            Self::Written(sink) => sink.write(batches).await,
            Self::Gathered(gathered) => gathered.extend(batches),
            Self::Linked => {}
        }
    }
}

/// The batches of one chunk, for the table of bars and then for each table of the pass.
type ChunkRows = Vec<Vec<RecordBatch>>;

/// Makes the rows of all stocks. `outputs` are the destinations of the table of bars and then of each table of the pass.
pub(super) async fn run(
    pass: SymbolPass,
    bars: Bars,
    outputs: &mut [Output],
    progress: &dyn Progress,
) -> Result<(), DeriveError> {
    /// Number of bars of a chunk: about thirty symbols over five years, or 15 MB with all figures.
    const CHUNK_BARS: usize = 40_000;
    let pass = Arc::new(pass);
    // The plans that no chunk uses. Their number grows to the number of chunks that run at the same time.
    let idle_plans = Arc::new(Mutex::new(vec![pass.plans().await?]));
    progress.start("deriving symbol by symbol", bars.stocks() as u64);
    let cores = cores();
    let chunks = bars.chunks(CHUNK_BARS).into_iter().map(|chunk| {
        let (pass, idle_plans) = (Arc::clone(&pass), Arc::clone(&idle_plans));
        async move {
            let symbols = chunk.stocks() as u64;
            let made = async move {
                let ready = lock(&idle_plans).pop();
                let plans = match ready {
                    Some(plans) => plans,
                    None => pass.plans().await?,
                };
                let made = pass.run_chunk(&chunk, &plans).await?;
                lock(&idle_plans).push(plans);
                Ok::<_, DeriveError>(made)
            };
            Ok::<_, DeriveError>((symbols, tokio::spawn(made).await??))
        }
    });
    let mut made = futures::stream::iter(chunks).buffered(cores);
    while let Some(chunk) = made.next().await {
        let (symbols, tables) = chunk?;
        for (batches, output) in tables.into_iter().zip(outputs.iter_mut()) {
            output.add_batches(batches).await;
        }
        progress.advance(symbols);
    }
    progress.finish();
    Ok(())
}

fn lock(idle_plans: &Mutex<Vec<SymbolPlans>>) -> MutexGuard<'_, Vec<SymbolPlans>> {
    idle_plans.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SymbolPass {
    pub(super) async fn plans(&self) -> Result<SymbolPlans, DeriveError> {
        SymbolPlans::new(self.market, &self.calendar, &self.bars, &self.tables, &self.small).await
    }

    async fn run_chunk(&self, chunk: &Chunk, plans: &SymbolPlans) -> Result<ChunkRows, DeriveError> {
        let bars = chunk.rows(&self.bars, self.market, &self.sessions, &plans.bars_read);
        let bars = bars.map_err(DeriveError::row_error(&self.bars.name))?;
        let made = plans
            .run(&bars, |name, carried| self.set_carried_figures(name, carried, chunk).map(drop))
            .await?;
        Ok(std::iter::once(vec![bars]).chain(made).collect())
    }

    /// Sets the carried figures of a table for the warm-started stocks of a chunk. Returns the rows with these figures; `None` if the table
    /// carries none.
    pub(super) fn set_carried_figures(
        &self,
        name: &str,
        carried: &CarriedCell,
        chunk: &Chunk,
    ) -> Result<Option<RecordBatch>, DeriveError> {
        let failed = DeriveError::row_error(name);
        let (table, years) = match self.carried.get(name) {
            None => return Ok(None),
            Some(CarriedRows::Published(table, years)) => (table, years),
            Some(CarriedRows::Supplied(rows)) => {
                carried.set(rows).map_err(failed)?;
                return Ok(Some(rows.clone()));
            }
        };
        let continuing = chunk.warm_started_symbols();
        let wanted =
            |name: &str| ["symbol", "session"].contains(&name) || table.carried.iter().any(|c| c == name);
        let mut carried_rows = Vec::new();
        for (year, table_of_year) in years {
            let of_year = continuing.iter().filter(|(_, continuation)| continuation.year == *year);
            let symbols: Vec<String> = of_year.map(|(symbol, _)| (*symbol).to_owned()).collect();
            carried_rows.push(table_of_year.last_rows(&symbols, wanted).map_err(&failed)?);
        }
        let carried_rows =
            carried_rows.first().map(|first| concat_batches(&first.schema(), &carried_rows)).transpose();
        let carried_rows = carried_rows.map_err(|error| failed(error.into()))?;
        carried_rows.iter().try_for_each(|rows| carried.set(rows)).map_err(&failed)?;
        for (symbol, continuation) in continuing {
            let day = sessions::day_of(&self.sessions, continuation.bar).map_err(&failed)?;
            if carried.session(symbol) != Some(day) {
                return Err(DeriveError::NotCarried { table: name.to_owned(), symbol: symbol.to_owned() });
            }
        }
        Ok(carried_rows)
    }
}
