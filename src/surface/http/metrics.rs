//! Metrics for operators: how many requests there were, how they ended, how long they took. They name no key and no caller: labels are
//! operations and statuses only, so that their number is bounded.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _, text};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use crate::access::StateFailures;
use crate::refresh::{MarketStatus, RefreshStatus};

/// Seconds; an answer from memory takes a tenth of a millisecond, a deadline ten seconds.
const BUCKETS: [f64; 10] = [0.000_1, 0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0];
/// The operation of a request that reached none.
const NONE: &str = "";

/// What operators watch.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<OutcomeLabels, Counter>,
    seconds: Family<OperationLabel, Histogram, fn() -> Histogram>,
    under_way: Gauge<i64, AtomicI64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    operation: Arc<str>,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabel {
    operation: Arc<str>,
}

/// A figure that someone else counts.
#[derive(Debug)]
struct OfStateFile(Arc<StateFailures>);

/// Which sets are served, and what was refused.
#[derive(Debug)]
struct Sets(RefreshStatus);

/// Counts a request as under way as long as it lives.
#[derive(Debug)]
pub(super) struct UnderWay(Gauge<i64, AtomicI64>);

impl Metrics {
    /// Figures that all stand at zero, but for the failures of the state file and the sets that are served, which others know.
    pub fn new(state_failures: Arc<StateFailures>, status: RefreshStatus) -> Self {
        let mut registry = Registry::with_prefix("parquote");
        let requests = Family::<OutcomeLabels, Counter>::default();
        let seconds = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        let under_way = Gauge::default();
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The Parquote that runs", version);
        registry.register("http_requests", "Requests by operation and status", requests.clone());
        registry.register(
            "http_request_seconds",
            "Time until a reply was ready, by operation",
            seconds.clone(),
        );
        registry.register("http_requests_under_way", "Requests that are being answered", under_way.clone());
        registry.register_collector(Box::new(OfStateFile(state_failures)));
        registry.register_collector(Box::new(Sets(status)));
        Self { registry, requests, seconds, under_way }
    }

    /// The figures as Prometheus reads them.
    pub(super) fn text(&self) -> String {
        let mut written = String::new();
        // Writing to a string does not fail.
        let _ = text::encode(&mut written, &self.registry);
        written
    }

    pub(super) fn enter(&self) -> UnderWay {
        self.under_way.inc();
        UnderWay(self.under_way.clone())
    }

    pub(super) fn ended(&self, operation: Option<&Arc<str>>, status: u16, took: Duration) {
        let operation = operation.map_or_else(|| NONE.into(), Arc::clone);
        self.seconds
            .get_or_create(&OperationLabel { operation: Arc::clone(&operation) })
            .observe(took.as_secs_f64());
        self.requests.get_or_create(&OutcomeLabels { operation, status }).inc();
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new(Arc::default(), RefreshStatus::default())
    }
}

impl Collector for OfStateFile {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        const WORDS: &str = "Reads and writes of the state file that failed.";
        let counter = ConstCounter::new(self.0.count());
        counter.encode(encoder.encode_descriptor("state_failures", WORDS, None, counter.metric_type())?)
    }
}

impl Collector for Sets {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut gauge = |name, words, of: fn(&MarketStatus) -> Option<i64>| -> fmt::Result {
            let metric = ConstGauge::new(0_i64);
            let mut family = encoder.encode_descriptor(name, words, None, metric.metric_type())?;
            for (market, status) in self.0.now() {
                if let Some(value) = of(&status) {
                    let labels = [("market", market.word())];
                    ConstGauge::new(value).encode(family.encode_family(&labels)?)?;
                }
            }
            Ok(())
        };
        gauge("set_number", "The number of the set that is served", |status| {
            status.set.map(u64::cast_signed)
        })?;
        gauge(
            "set_published_seconds",
            "When the set that is served was published, in Unix time",
            |status| status.published_at.map(|at| at.timestamp()),
        )?;
        gauge(
            "refresh_look_age_seconds",
            "Seconds since the last look at the market's data without trouble",
            |s| s.look_age_s.map(u64::cast_signed),
        )?;
        gauge("set_swaps", "How often a set took the place of another", |s| Some(s.swaps.cast_signed()))?;
        gauge("set_refusals", "How often new data was refused", |s| Some(s.refusals.cast_signed()))?;
        gauge("set_refused_findings", "Errors in new data that is refused now", |status| {
            Some(status.refused.len() as i64)
        })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.dec();
    }
}
