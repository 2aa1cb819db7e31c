//! Metrics for operators: requests, their status and duration, and counters of other modules. They name no key and no caller: labels are
//! operations, statuses and words from the code, so their number is bounded.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use super::connection_figures::ConnectionFigures;
use super::traffic::Traffic;
use super::watched_figures::{WatchedCollector, WatchedFigures};
use parquote_access::StateFailures;
use parquote_agents::job::Jobs;
use parquote_call::Service;
use parquote_catalogue::error::{ClientError, ErrorKind, ReachedLimit};
use parquote_engine::DATAFUSION;
use parquote_refresh::RefreshStatus;

/// Upper bounds of the duration buckets, in seconds; an answer from memory takes a tenth of a millisecond, a deadline is ten seconds.
const BUCKETS: [f64; 10] = [0.000_1, 0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0];

/// Commit of the source, if the build names it.
const COMMIT: &str = match option_env!("PARQUOTE_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

/// The metrics of a server.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<OutcomeLabels, Counter>,
    seconds: Family<OperationLabel, Histogram, fn() -> Histogram>,
    refusals: Family<ReasonLabel, Counter>,
    in_progress: Gauge<i64, AtomicI64>,
    /// Names of requests that reach no operation.
    names: [(Traffic, Arc<str>); Traffic::ALL.len()],
    watched: Arc<WatchedFigures>,
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

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabel {
    reason: &'static str,
}

/// Counts a request as in progress until it is dropped.
#[derive(Debug)]
pub(super) struct InProgressGauge(Gauge<i64, AtomicI64>);

/// Result of a request.
pub(super) struct EndedRequest<'a> {
    /// The operation, or the [`Metrics::name`] of a request that reached none.
    pub operation: Option<&'a Arc<str>>,
    pub status: u16,
    /// The refusal, if it has a [`ClientError`].
    pub refused: Option<&'a ClientError>,
    pub took: Duration,
}

impl Metrics {
    /// Builds metrics that start at zero, except for the failures of the state file and the served sets, which are read from their owners.
    pub fn new(state: Arc<StateFailures>, sets: RefreshStatus) -> Self {
        let mut registry = Registry::with_prefix("parquote");
        let requests = Family::<OutcomeLabels, Counter>::default();
        let seconds = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        let refusals = Family::<ReasonLabel, Counter>::default();
        let in_progress = Gauge::default();
        let watched = Arc::new(WatchedFigures::new(state, sets));
        let version = env!("CARGO_PKG_VERSION");
        let build = Info::new([("version", version), ("commit", COMMIT), ("datafusion", DATAFUSION)]);
        registry.register("build", "The Parquote that runs", build);
        registry.register("http_requests", "Requests by operation and status", requests.clone());
        let words = "Time until a reply was ready, by operation";
        registry.register("http_request_seconds", words, seconds.clone());
        registry.register("http_requests_under_way", "Requests that are being answered", in_progress.clone());
        registry.register(
            "refusals",
            "Requests and calls of tools that were refused, by reason",
            refusals.clone(),
        );
        registry.register_collector(Box::new(WatchedCollector(Arc::clone(&watched))));
        for bound in ReachedLimit::ALL {
            // The counter starts at zero, so that the first refusal of each kind is visible as an increase.
            drop(refusals.get_or_create(&ReasonLabel { reason: bound.word() }));
        }
        let names = Traffic::ALL.map(|traffic| (traffic, traffic.word().into()));
        Self { registry, requests, seconds, refusals, in_progress, names, watched }
    }

    /// Returns the counters of connections.
    pub fn connections(&self) -> Arc<ConnectionFigures> {
        Arc::clone(&self.watched.connections)
    }

    /// Includes the counters of a service from here on. Only the first call counts.
    pub(super) fn add_service(&self, service: &Arc<Service>) {
        let _ = self.watched.service.set(Arc::clone(service));
    }

    /// Includes the counters of jobs from here on. Only the first call counts.
    pub fn watch_jobs(&self, jobs: Jobs) {
        let _ = self.watched.jobs.set(jobs);
    }

    /// Returns the metrics in the `OpenMetrics` text format.
    pub(super) async fn text(&self) -> String {
        self.watched.update_waiting_jobs().await;
        let mut written = String::new();
        // Writing to a string does not fail.
        let _ = text::encode(&mut written, &self.registry);
        written
    }

    pub(super) fn begin_request(&self) -> InProgressGauge {
        self.in_progress.inc();
        InProgressGauge(self.in_progress.clone())
    }

    /// Returns the name for a request that reached no operation.
    pub(super) fn name(&self, traffic: Traffic) -> Option<&Arc<str>> {
        self.names.iter().find(|(other, _)| *other == traffic).map(|(_, name)| name)
    }

    pub(super) fn record_request(&self, EndedRequest { operation, status, refused, took }: EndedRequest<'_>) {
        let Some(operation) = operation.map(Arc::clone) else { return };
        self.seconds
            .get_or_create(&OperationLabel { operation: Arc::clone(&operation) })
            .observe(took.as_secs_f64());
        self.requests.get_or_create(&OutcomeLabels { operation, status }).inc();
        if refused.is_some() || status >= 400 {
            self.refusals.get_or_create(&ReasonLabel { reason: reason(refused, status) }).inc();
        }
    }
}

/// Returns the reason of a refusal: the limit that was reached, or else the kind of the refusal, or the status.
fn reason(refused: Option<&ClientError>, status: u16) -> &'static str {
    match (refused, status) {
        (Some(ClientError { reached_limit: Some(limit), .. }), _) => limit.word(),
        (Some(ClientError { kind: ErrorKind::Overrun, .. }), _) => "deadline",
        (Some(error), _) => error.kind.word(),
        (None, 401) => ErrorKind::Unauthorized.word(),
        (None, 403) => ErrorKind::Forbidden.word(),
        (None, 404) => ErrorKind::NotFound.word(),
        (None, 405) => ErrorKind::MethodNotAllowed.word(),
        (None, 406) => "not_acceptable",
        (None, 408) => "slow_body",
        (None, 413 | 414 | 431) => "size",
        (None, 429) => ErrorKind::TooManyRequests.word(),
        (None, 503) => ErrorKind::Unavailable.word(),
        (None, 500..) => ErrorKind::Internal.word(),
        (None, _) => ErrorKind::BadRequest.word(),
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new(Arc::default(), RefreshStatus::default())
    }
}

impl Drop for InProgressGauge {
    fn drop(&mut self) {
        self.0.dec();
    }
}
