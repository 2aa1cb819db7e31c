//! Metrics that are counted elsewhere and read on a scrape: the state file, sets, connections, queues, the cache of answers, jobs. Labels
//! are words from the code.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use tokio::time::timeout;

use super::connection_figures::ConnectionFigures;
use parquote_access::StateFailures;
use parquote_agents::job::Jobs;
use parquote_call::Service;
use parquote_refresh::{MarketStatus, RefreshStatus};

/// Timeout of the state file for the number of waiting jobs.
const STATE_TIMEOUT: Duration = Duration::from_secs(1);

/// Sources of the metrics. A source that is set after the first scrape has no values before.
#[derive(Default)]
pub(super) struct WatchedFigures {
    state: Arc<StateFailures>,
    sets: RefreshStatus,
    pub connections: Arc<ConnectionFigures>,
    pub service: OnceLock<Arc<Service>>,
    pub jobs: OnceLock<Jobs>,
    queued: AtomicU64,
}

/// Writes metrics, each under one name, with or without a label.
struct FigureWriter<'a, 'b>(&'a mut DescriptorEncoder<'b>);

/// A label of a metric, and its value.
type Label = (&'static str, &'static str);

impl WatchedFigures {
    /// Builds the sources with the state file and the sets; the others are set later.
    pub(super) fn new(state: Arc<StateFailures>, sets: RefreshStatus) -> Self {
        Self { state, sets, ..Self::default() }
    }

    /// Reads the number of waiting jobs from the state file. If that does not answer in time, the previous number remains.
    pub(super) async fn update_waiting_jobs(&self) {
        if let Some(jobs) = self.jobs.get()
            && let Ok(Ok(queued)) = timeout(STATE_TIMEOUT, jobs.count_queued()).await
        {
            self.queued.store(queued, Ordering::Relaxed);
        }
    }

    fn sets(&self, write: &mut FigureWriter<'_, '_>) -> fmt::Result {
        let now = self.sets.by_market();
        let mut gauge = |name, words, value_of: fn(&MarketStatus) -> Option<i64>| {
            let values = now
                .iter()
                .filter_map(|(market, status)| Some((("market", market.word()), value_of(status)?)));
            write.encode_labelled(name, words, values.map(|(label, value)| (label, ConstGauge::new(value))))
        };
        gauge("set_number", "The number of the set that is served", |s| s.set.map(u64::cast_signed))?;
        gauge(
            "set_published_seconds",
            "When the set that is served was published, in Unix time",
            |status| status.published_at.map(|at| at.timestamp()),
        )?;
        gauge(
            "refresh_look_age_seconds",
            "Seconds since the last look at the market's data without trouble",
            |status| status.look_age_s.map(u64::cast_signed),
        )?;
        gauge("set_swaps", "How often a set took the place of another", |s| Some(s.swaps.cast_signed()))?;
        gauge("set_refusals", "How often new data was refused", |s| Some(s.refusals.cast_signed()))?;
        gauge("set_damaged_files", "Files of sets whose bytes are not those of their names", |status| {
            Some(status.damaged.len() as i64)
        })?;
        gauge("set_refused_findings", "Errors in new data that is refused now", |status| {
            Some(status.refused.len() as i64)
        })
    }

    fn connections(&self, write: &mut FigureWriter<'_, '_>) -> fmt::Result {
        let figures = &self.connections;
        write.gauge("connections_open", "Connections that are open", figures.open())?;
        write.counter("connections_taken", "Connections that were taken", figures.accepted_count())?;
        let ended =
            figures.ends_by_reason().map(|(word, count)| (("reason", word), ConstCounter::new(count)));
        write.encode_labelled("connections_ended", "Connections that the server ended, by reason", ended)
    }

    fn queues(service: &Service, write: &mut FigureWriter<'_, '_>) -> fmt::Result {
        let queues: Vec<_> = service.queues().map(|(name, figures)| (("queue", name), figures)).collect();
        let running = queues.iter().map(|(label, queue)| (*label, ConstGauge::new(queue.running as i64)));
        write.encode_labelled("queue_running", "What runs of a queue", running)?;
        let waiting = queues.iter().map(|(label, queue)| (*label, ConstGauge::new(queue.waiting as i64)));
        write.encode_labelled("queue_waiting", "What waits in a queue", waiting)?;
        let words = "How long was waited in a queue until a turn came";
        let kind = MetricType::Histogram;
        let mut family = write.0.encode_descriptor("queue_wait_seconds", words, None, kind)?;
        for (label, queue) in &queues {
            let waits = &queue.waits;
            let labels = [*label];
            let mut metric = family.encode_family(&labels)?;
            metric.encode_histogram::<NoLabelSet>(waits.sum_s, waits.count(), &waits.buckets, None)?;
        }
        Ok(())
    }

    fn select_processes(service: &Service, write: &mut FigureWriter<'_, '_>) -> fmt::Result {
        let Some(figures) = service.select_processes() else { return Ok(()) };
        let words = "Processes that were started for SELECTs of callers";
        write.counter("select_processes_started", words, figures.started)?;
        let words = "SELECTs of callers that ended their process, or whose process was killed";
        write.counter("select_processes_killed", words, figures.killed)
    }

    fn cache(service: &Service, write: &mut FigureWriter<'_, '_>) -> fmt::Result {
        let figures = service.snapshot().engine().cache_figures();
        write.counter("answer_cache_hits", "Answers that were in the cache", figures.hits)?;
        write.counter("answer_cache_misses", "Answers that were computed for the cache", figures.misses)?;
        write.gauge("answer_cache_bytes", "Bytes of the answers in the cache", figures.bytes)
    }

    fn jobs(&self, jobs: &Jobs, write: &mut FigureWriter<'_, '_>) -> fmt::Result {
        let [input, output] = jobs.tokens();
        write.gauge("jobs_queued", "Runs that wait for a worker", self.queued.load(Ordering::Relaxed))?;
        write.gauge("jobs_running", "Runs that this server works on", jobs.running())?;
        let tokens = [("input", input), ("output", output)];
        let tokens = tokens.map(|(word, count)| (("direction", word), ConstCounter::new(count)));
        write.encode_labelled("job_tokens", "Tokens of language models that steps of runs spent", tokens)
    }
}

impl FigureWriter<'_, '_> {
    fn gauge(&mut self, name: &str, words: &str, value: u64) -> fmt::Result {
        self.encode_metric(name, words, &ConstGauge::new(value.cast_signed()))
    }

    fn counter(&mut self, name: &str, words: &str, value: u64) -> fmt::Result {
        self.encode_metric(name, words, &ConstCounter::new(value))
    }

    fn encode_metric(&mut self, name: &str, words: &str, metric: &impl EncodeMetric) -> fmt::Result {
        metric.encode(self.0.encode_descriptor(name, words, None, metric.metric_type())?)
    }

    fn encode_labelled<M: EncodeMetric>(
        &mut self,
        name: &str,
        words: &str,
        values: impl IntoIterator<Item = (Label, M)>,
    ) -> fmt::Result {
        let mut values = values.into_iter().peekable();
        let Some((_, first)) = values.peek() else { return Ok(()) };
        let mut family = self.0.encode_descriptor(name, words, None, first.metric_type())?;
        values.try_for_each(|(label, metric)| metric.encode(family.encode_family(&[label])?))
    }
}

/// Collector that writes the watched figures for the registry.
#[derive(Debug)]
pub(super) struct WatchedCollector(pub Arc<WatchedFigures>);

impl Collector for WatchedCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let (watched, write) = (&self.0, &mut FigureWriter(&mut encoder));
        let failures = watched.state.count();
        write.counter("state_failures", "Reads and writes of the state file that failed", failures)?;
        watched.sets(write)?;
        watched.connections(write)?;
        if let Some(service) = watched.service.get() {
            WatchedFigures::queues(service, write)?;
            WatchedFigures::select_processes(service, write)?;
            WatchedFigures::cache(service, write)?;
        }
        watched.jobs.get().map_or(Ok(()), |jobs| watched.jobs(jobs, write))
    }
}

impl fmt::Debug for WatchedFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchedFigures").field("connections", &self.connections).finish_non_exhaustive()
    }
}
