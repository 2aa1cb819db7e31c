//! The workers of a derivation, and the recovery when some are lost.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use futures::future::join_all;
use futures::{StreamExt as _, TryStreamExt as _};
use url::Url;

use super::channels::Channels;
use super::error::WorkersError;
use super::executor::recorded_result;
use super::key::WorkerKey;
use super::select::select;
use super::submission::{UnitReply, submit};
use super::tls::{WorkerTls, is_this_machine};
use super::version;
use parquote_catalogue::causes::with_causes;
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_derive::{MadeUnit, UnitError, UnitRunner, WorkUnit};
use parquote_set::{Blob, Root, SetError, TransferStore};

/// Most submissions in a row that finish no unit.
const MOST_FAILED_ROUNDS: usize = 3;
/// Time for which a slow, unreachable worker is skipped while others answer.
const SKIP_TIME: Duration = Duration::from_mins(1);
/// Reply time above which a failed worker counts as slow; a worker that refuses connections fails at once.
const PROMPT_REPLY_TIME: Duration = Duration::from_secs(2);
/// Number of unit results looked up at a time.
const LOOKUP_SIZE: usize = 16;

/// Workers that run the same code as this program.
#[derive(Debug)]
pub struct Fleet {
    transfer: TransferStore,
    channels: Channels,
    workers: Vec<(String, Url)>,
    /// Version of this program.
    ours: String,
    /// Time of each worker's last slow failure; the worker is skipped for a while.
    slow_failures: Arc<Mutex<HashMap<Url, Instant>>>,
    /// Index of the worker that gets the largest unit of the next submission.
    next: AtomicUsize,
}

impl Fleet {
    /// Connects to the workers at some addresses. At least one must answer, and all that answer must run the same code.
    ///
    /// # Errors
    /// An invalid address; a key that would cross a network in clear text; a worker running another build; no worker reachable; an
    /// unsupported data URL.
    pub async fn connect_all(
        catalogue: &Catalogue,
        data: &str,
        addresses: &[String],
        key: WorkerKey,
        (tls, clear_text): (Option<WorkerTls>, bool),
    ) -> Result<Self, WorkersError> {
        let is_clear = tls.is_none() && !clear_text;
        let channels = Channels::new(key, tls);
        let mut workers = Vec::new();
        for address in addresses {
            let refused = |why: String| WorkersError::Address { address: address.clone(), why };
            let url = channels.url(address).map_err(|error| refused(error.to_string()))?;
            if url.port().is_none() || !matches!(url.path(), "" | "/") {
                return Err(refused("it has a host and a port and nothing else".to_owned()));
            }
            if is_clear && !url.host_str().is_some_and(is_this_machine) {
                return Err(WorkersError::ClearText(address.clone()));
            }
            workers.push((address.clone(), url));
        }
        let transfer = TransferStore::open(data)?;
        let ours = version::rules_version(catalogue);
        let (slow_failures, next) = (Arc::default(), AtomicUsize::new(0));
        let fleet = Self { transfer, channels, workers, ours, slow_failures, next };
        match fleet.answering_workers().await? {
            (answering, Some(error)) if answering.is_empty() => Err(error),
            _ => Ok(fleet),
        }
    }

    /// Returns the same workers, for the units of a market.
    #[must_use]
    pub fn for_market(&self, market: Market) -> Self {
        Self {
            transfer: self.transfer.for_market(market),
            channels: self.channels.clone(),
            workers: self.workers.clone(),
            ours: self.ours.clone(),
            slow_failures: Arc::clone(&self.slow_failures),
            next: AtomicUsize::new(0),
        }
    }

    /// Returns the workers that answer, and the last error of the others.
    ///
    /// # Errors
    /// A worker runs another build.
    async fn answering_workers(&self) -> Result<(Vec<Url>, Option<WorkersError>), WorkersError> {
        let is_skipped = |(_, url): &&(String, Url)| {
            self.lock_slow_failures().get(url).is_some_and(|since| since.elapsed() < SKIP_TIME)
        };
        let (skipped, others): (Vec<_>, Vec<_>) = self.workers.iter().partition(is_skipped);
        let answered = self.ask_workers(&others).await?;
        if answered.0.is_empty() && !skipped.is_empty() {
            self.ask_workers(&skipped).await
        } else {
            Ok(answered)
        }
    }

    async fn ask_workers(
        &self,
        workers: &[&(String, Url)],
    ) -> Result<(Vec<Url>, Option<WorkersError>), WorkersError> {
        let began = Instant::now();
        let requested =
            workers.iter().map(async |(_, url)| (self.channels.version(url).await, began.elapsed()));
        let (mut answering, mut last) = (Vec::new(), None);
        for ((address, url), (version, took)) in workers.iter().zip(join_all(requested).await) {
            if version.is_err() && took > PROMPT_REPLY_TIME {
                self.lock_slow_failures().insert(url.clone(), Instant::now());
            }
            match version {
                Ok(theirs) if theirs == self.ours => answering.push(url.clone()),
                Ok(theirs) => {
                    return Err(WorkersError::OtherCode {
                        address: address.clone(),
                        theirs,
                        ours: self.ours.clone(),
                    });
                }
                Err(why) => {
                    tracing::warn!(%address, %why, "a worker does not answer; the others go on");
                    last = Some(WorkersError::Unusable { address: address.clone(), why });
                }
            }
        }
        Ok((answering, last))
    }

    fn lock_slow_failures(&self) -> MutexGuard<'_, HashMap<Url, Instant>> {
        self.slow_failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a SELECT over the newest set of a market, with parts of its plan on the workers, and returns its rows. If a worker is lost, the
    /// SELECT runs again on those that answer. Floating-point sums may differ in the last bits from those of a single process.
    ///
    /// # Errors
    /// The market has no set, the SQL is not a SELECT or fails, or workers are lost repeatedly.
    pub async fn select(
        &self,
        catalogue: &Catalogue,
        root: &Root,
        market: Market,
        sql: &str,
    ) -> Result<Vec<RecordBatch>, WorkersError> {
        let (mut answering, unusable) = self.answering_workers().await?;
        if let Some(error) = unusable.filter(|_| answering.is_empty()) {
            return Err(error);
        }
        let mut rounds = 1..MOST_FAILED_ROUNDS;
        loop {
            let requested = (answering.clone(), self.channels.clone());
            let error = match select(catalogue, root, (market, sql), requested).await {
                Ok(rows) => return Ok(rows),
                Err(error) => error,
            };
            let (remaining, _) = self.answering_workers().await?;
            if remaining.is_empty()
                || answering.iter().all(|worker| remaining.contains(worker))
                || rounds.next().is_none()
            {
                return Err(error);
            }
            tracing::warn!(error = %with_causes(&error), "a worker was lost; the SELECT runs again on the others");
            answering = remaining;
        }
    }

    /// Removes this derivation's files from the transfer store.
    pub async fn remove_transfer_files(&self) {
        if let Err(error) = self.transfer.forget().await {
            tracing::warn!(%error, "files that passed between workers could not be taken away; the next derivation does it");
        }
    }

    /// Reads the recorded results of units, by name.
    async fn recorded_results(&self, names: &[String]) -> Result<HashMap<String, MadeUnit>, SetError> {
        let look_up = |name: &String| {
            let name = name.clone();
            async move {
                Ok::<_, SetError>(recorded_result(&self.transfer, &name).await?.map(|made| (name, made)))
            }
        };
        let lookups = futures::stream::iter(names.iter().map(look_up)).buffer_unordered(LOOKUP_SIZE);
        let results: Vec<Option<(String, MadeUnit)>> = lookups.try_collect().await?;
        Ok(results.into_iter().flatten().collect())
    }
}

#[async_trait]
impl UnitRunner for Fleet {
    fn unit_bars(&self, bars: usize) -> usize {
        /// Units per worker and market, so that a slow worker delays the others little.
        const UNITS_PER_WORKER: usize = 4;
        /// Least and most bars per unit: smaller units are mostly planning, the largest take some five seconds on one core.
        const BOUNDS: (usize, usize) = (20_000, 250_000);
        (bars / (UNITS_PER_WORKER * self.workers.len())).clamp(BOUNDS.0, BOUNDS.1)
    }

    async fn store_file(&self, path: &Path) -> Result<Blob, UnitError> {
        Ok(self.transfer.store_file(path).await?)
    }

    async fn download(&self, blob: &Blob, to: &Path) -> Result<(), UnitError> {
        Ok(self.transfer.get(blob, to).await?)
    }

    async fn run(&self, units: Vec<WorkUnit>) -> Result<Vec<MadeUnit>, UnitError> {
        let names: Vec<String> = units.iter().map(WorkUnit::name).collect();
        // A derivation that was killed may have left results.
        let mut made = self.recorded_results(&names).await?;
        let (mut failed_rounds, mut last) = (0, String::new());
        loop {
            let lacks = |name: &&String| !made.contains_key(*name);
            let missing: Vec<WorkUnit> = names
                .iter()
                .zip(&units)
                .filter(|(name, _)| lacks(name))
                .map(|(_, unit)| unit.clone())
                .collect();
            if missing.is_empty() {
                return Ok(names.iter().filter_map(|name| made.get(name).cloned()).collect());
            }
            if failed_rounds == MOST_FAILED_ROUNDS {
                return Err(UnitError::NoWorkerLeft(last));
            }
            let (answering, unusable) = match self.answering_workers().await {
                Ok(answered) => answered,
                // A worker was restarted with another build in the meantime.
                Err(error) => return Err(UnitError::NoWorkerLeft(with_causes(&error))),
            };
            if let Some(error) = unusable.filter(|_| answering.is_empty()) {
                return Err(UnitError::NoWorkerLeft(with_causes(&error)));
            }
            let descriptions: HashMap<&String, String> =
                names.iter().zip(&units).map(|(name, unit)| (name, unit.describe_output())).collect();
            let (before, mut failed) = (made.len(), None);
            let first = self.next.fetch_add(1, Ordering::Relaxed);
            let mut on_reply = |reply: UnitReply| match reply.made {
                Ok(files) => drop(made.insert(reply.unit, files)),
                Err(why) => {
                    let what = descriptions.get(&reply.unit).cloned().unwrap_or_else(|| reply.unit.clone());
                    failed = Some(UnitError::Failed { what, why });
                }
            };
            if let Err(error) = submit(missing, &answering, first, self.channels.clone(), &mut on_reply).await
            {
                last = with_causes(&error);
                tracing::warn!(error = %last, "a worker was lost or failed; what is not done is handed out again");
                made.extend(self.recorded_results(&names).await?);
            }
            if let Some(failed) = failed {
                return Err(failed);
            }
            failed_rounds = if made.len() > before { 0 } else { failed_rounds + 1 };
        }
    }
}
