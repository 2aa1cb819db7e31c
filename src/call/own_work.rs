//! Calls whose work is their caller's own, such as a SELECT that the caller wrote. They run on few threads behind everything else, and cost
//! what they take of the processor.

use std::sync::{Arc, OnceLock};

use super::admitted::Call;
use super::answering::Answering;
use super::processor_time::ProcessorTime;
use super::query_threads::{QueryThreadSettings, QueryThreads};
use super::{Caller, Service};
use crate::engine::Encoded;
use crate::engine::own_select::SelectShape;
use crate::error::{ClientError, ErrorKind};
use crate::handlers::{TableTiers, most_cost_of_work};
use crate::operation::{Market, Table};
use crate::thread_priority;

/// Threads for such calls, started when the first of them comes.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnWorkThreads {
    threads: usize,
    started: Arc<OnceLock<Arc<QueryThreads>>>,
}

impl OwnWorkThreads {
    /// So many threads; 0 for a quarter of the cores.
    pub(super) fn new(threads: usize) -> Self {
        Self { threads, started: Arc::default() }
    }

    fn started(&self) -> Result<Arc<QueryThreads>, ClientError> {
        if let Some(threads) = self.started.get() {
            return Ok(Arc::clone(threads));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if self.threads == 0 { (cores / 4).clamp(1, 4) } else { self.threads };
        let settings = QueryThreadSettings {
            name: "own-select",
            // On a machine that is busy with other queries some tenth of a core is left.
            niceness: thread_priority::BACKGROUND,
            threads,
            per_key: threads.div_ceil(2),
            waiting_per_key: 4,
            waiting: 32,
            quick: 0,
        };
        let started = QueryThreads::start(settings).map_err(|error| {
            ClientError::caused(ErrorKind::Unavailable, "there are no threads for a SELECT now", error)
        })?;
        Ok(Arc::clone(self.started.get_or_init(|| started)))
    }

    /// The threads, where some were needed.
    pub(super) fn running(&self) -> Option<&Arc<QueryThreads>> {
        self.started.get()
    }
}

impl Service {
    /// The same service with so many threads for such calls; 0 for a quarter of the cores.
    #[must_use]
    pub fn with_own_work_threads(self, threads: usize) -> Self {
        Self { own_work: OwnWorkThreads::new(threads), ..self }
    }

    /// Answers a call whose work is its caller's own.
    pub(super) async fn own_work(&self, call: &Call, answering: Answering) -> Result<Encoded, ClientError> {
        self.charged(call, async move { answering.answer().await }).await
    }

    /// What a SELECT of a caller takes and answers; it is planned where it would run, and costs what that takes.
    ///
    /// # Errors
    /// As [`Service::run`].
    pub async fn shape(&self, call: &Call) -> Result<SelectShape, ClientError> {
        let deadline = call.deadline.unwrap_or_else(|| call.prepared.operation().deadline());
        let answering = self.answering(call.clone(), deadline);
        let told = self.charged(call, async move { answering.shape().await });
        let told = tokio::time::timeout_at(deadline.at(), told).await;
        told.unwrap_or_else(|_| Err(deadline.overrun().into()))
    }

    /// The tables that SELECTs of a caller may read, with their markets.
    pub fn readable(&self, caller: &Caller) -> Vec<(Market, &Table)> {
        let (catalogue, snapshot) = (self.catalogue(), self.seen_by(caller));
        let tiers = self.table_tiers.get_or_init(|| TableTiers::of(catalogue));
        let mut tables = Vec::new();
        for market in Market::ALL.into_iter().filter(|market| snapshot.market(*market).is_some()) {
            let may_be = |table: &&Table| caller.tier().reaches(tiers.needed(market, &table.name));
            tables.extend(catalogue.tables_in(market).filter(may_be).map(|table| (market, table)));
        }
        tables
    }

    async fn charged<T: Send + 'static>(
        &self,
        call: &Call,
        work: impl Future<Output = Result<T, ClientError>> + Send + 'static,
    ) -> Result<T, ClientError> {
        let (threads, spent) = (self.own_work.started()?, ProcessorTime::default());
        let _held = match &call.payer {
            Some(payer) => Some(payer.hold(most_cost_of_work(call.caller.tier()), &spent).await?),
            None => None,
        };
        let work = {
            let spent = spent.clone();
            async move { spent.of(work).await }
        };
        threads.run(call.caller.owner_number(), work).await
    }
}
