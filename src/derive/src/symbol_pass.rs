//! Symbol pass: makes the per-symbol tables from the bars, in chunks of symbols, so that memory does not grow with the market.
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

/// Inputs shared by all chunks.
pub(super) struct SymbolPass {
    pub market: Market,
    pub calendar: Calendar,
    pub sessions: Vec<Session>,
    /// The table `daily_prices`.
    pub bars: Table,
    /// The tables made from the bars; each comes after the tables that it reads.
    pub tables: Vec<Table>,
    /// Small tables that are already made, by name.
    pub small: BTreeMap<String, RecordBatch>,
    /// The tables that carry figures, by name, with the rows that carry them.
    pub carried: BTreeMap<String, CarriedRows>,
}

/// Rows of a table that carry figures from earlier bars.
pub(super) enum CarriedRows {
    /// The table and its rows, by the calendar years of the last bars before the new rows.
    Published(Box<Table>, BTreeMap<i32, LongTable>),
    /// The rows themselves, in a unit that runs on a worker.
    Known(RecordBatch),
}

/// Destination of a table's rows.
pub(super) enum Output {
    /// Written as they arrive.
    Written(Sink),
    /// Few rows, gathered in memory.
    Gathered(Vec<RecordBatch>),
    /// Reused from the previous set; nothing is written.
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

/// The batches of each table for one chunk, in the order of the pass; the bars are first.
type ChunkRows = Vec<Vec<RecordBatch>>;

/// Makes the tables of all stocks; `outputs` are the destinations of the bars and of each table, in that order.
pub(super) async fn run(
    pass: SymbolPass,
    bars: Bars,
    outputs: &mut [Output],
    progress: &dyn Progress,
) -> Result<(), DeriveError> {
    /// Bars of a chunk: some thirty symbols over five years, about 15 MB with all figures.
    const CHUNK_BARS: usize = 40_000;
    let pass = Arc::new(pass);
    // Grows to one set of plans for each chunk that runs at the same time.
    let idle = Arc::new(Mutex::new(vec![pass.plans().await?]));
    progress.start("deriving symbol by symbol", bars.stocks() as u64);
    let cores = cores();
    let chunks = bars.chunks(CHUNK_BARS).into_iter().map(|chunk| {
        let (pass, idle) = (Arc::clone(&pass), Arc::clone(&idle));
        async move {
            let symbols = chunk.stocks() as u64;
            let made = async move {
                let ready = lock(&idle).pop();
                let plans = match ready {
                    Some(plans) => plans,
                    None => pass.plans().await?,
                };
                let made = pass.chunk(&chunk, &plans).await?;
                lock(&idle).push(plans);
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

fn lock(idle: &Mutex<Vec<SymbolPlans>>) -> MutexGuard<'_, Vec<SymbolPlans>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SymbolPass {
    pub(super) async fn plans(&self) -> Result<SymbolPlans, DeriveError> {
        SymbolPlans::new(self.market, &self.calendar, &self.bars, &self.tables, &self.small).await
    }

    async fn chunk(&self, chunk: &Chunk, plans: &SymbolPlans) -> Result<ChunkRows, DeriveError> {
        let bars = chunk.rows(&self.bars, self.market, &self.sessions, &plans.bars_read);
        let bars = bars.map_err(DeriveError::row_error(&self.bars.name))?;
        let made = plans
            .run(&bars, |name, carried| self.set_carried_figures(name, carried, chunk).map(drop))
            .await?;
        Ok(std::iter::once(vec![bars]).chain(made).collect())
    }

    /// Sets the carried figures of a table for the warm-started stocks of a chunk, and returns the rows that carry them.
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
            Some(CarriedRows::Known(rows)) => {
                carried.set(rows).map_err(failed)?;
                return Ok(Some(rows.clone()));
            }
        };
        let continuing = chunk.warm_started_symbols();
        let wanted =
            |name: &str| ["symbol", "session"].contains(&name) || table.carried.iter().any(|c| c == name);
        let mut known = Vec::new();
        for (year, before) in years {
            let of_year = continuing.iter().filter(|(_, continuation)| continuation.year == *year);
            let symbols: Vec<String> = of_year.map(|(symbol, _)| (*symbol).to_owned()).collect();
            known.push(before.last_rows(&symbols, wanted).map_err(&failed)?);
        }
        let known = known.first().map(|first| concat_batches(&first.schema(), &known)).transpose();
        let known = known.map_err(|error| failed(error.into()))?;
        known.iter().try_for_each(|known| carried.set(known)).map_err(&failed)?;
        for (symbol, continuation) in continuing {
            let day = sessions::day_of(&self.sessions, continuation.bar).map_err(&failed)?;
            if carried.session(symbol) != Some(day) {
                return Err(DeriveError::NotCarried { table: name.to_owned(), symbol: symbol.to_owned() });
            }
        }
        Ok(known)
    }
}
