//! Circuit breakers: after some failures in a row, requests to a provider, or with one of its keys, fail at once during a pause. After the
//! pause, one request is sent as a probe, and the others wait for its result. Each failed probe begins a longer pause.
//!
//! Faults of a key (401, 402, 429) pause that key alone. Time is an argument; no requests are made here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::key::ProviderKey;
use super::model::ProviderError;

/// Longest pause, in multiples of the first one.
const LONGEST_PAUSE_FACTOR: u32 = 20;
/// Number of circuits from which those without a failure for an hour are dropped.
const MOST_CIRCUITS: usize = 1_024;

/// Settings of circuit breakers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerSettings {
    /// Number of failures in a row before a pause; 0 disables pauses.
    pub failures: u32,
    /// Minimum time from the first failed request to the last failure before a pause: retries cover faults of seconds.
    pub minimum_span: Duration,
    /// Length of the first pause; each failed probe doubles it, up to 20 times this length.
    pub pause: Duration,
}

/// The breakers of all circuits of a client with recent failures. All other circuits are closed.
#[derive(Debug)]
pub(super) struct Breakers {
    settings: BreakerSettings,
    by_circuit: Mutex<HashMap<Circuit, Breaker>>,
    /// Wakes the requests that wait for a probe: a probe has ended, or a key test has passed.
    decision: Notify,
}

/// A provider, or one of its keys, whose requests are paused together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Circuit {
    Provider(String),
    /// A key, by provider and hash.
    Key(String, [u8; 32]),
}

/// The failures of a circuit in a row, with the pause that they caused.
#[derive(Debug)]
struct Breaker {
    failures: u32,
    /// Send time of the first request that failed in a row.
    since: Instant,
    /// Time and cause of the last failure.
    last: (Instant, String),
    pause: Option<Pause>,
}

#[derive(Debug)]
struct Pause {
    until: Instant,
    length: Duration,
    /// True while a probe is in flight.
    is_probed: bool,
}

/// Permission to send one request. Dropping it without a result counts as neither failure nor success.
#[derive(Debug)]
pub(super) struct RequestPass {
    breakers: Arc<Breakers>,
    circuits: Vec<(Circuit, IsProbe)>,
    /// Time when the request was sent.
    sent: Instant,
}

/// True for a request whose result decides the end of a pause.
type IsProbe = bool;

/// Refusal during a pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PauseRefusal {
    /// The failures, in words.
    pub what: String,
    /// Time until a request may be sent.
    pub after: Duration,
    /// True while a probe is in flight.
    is_probed: bool,
}

/// The party at fault for a failed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaultOwner {
    Nobody,
    Provider,
    Key,
}

impl BreakerSettings {
    /// Five failures over at least 30 seconds before a first pause of 30 seconds.
    pub const DEFAULT_SETTINGS: Self =
        Self { failures: 5, minimum_span: Duration::from_secs(30), pause: Duration::from_secs(30) };
}

impl Breakers {
    pub(super) fn new(settings: BreakerSettings) -> Arc<Self> {
        Arc::new(Self { settings, by_circuit: Mutex::default(), decision: Notify::new() })
    }

    /// Returns the permission to send a request to a provider with a key. If a probe is in flight, waits for its result up to `timeout`:
    /// agents send concurrently, and a run that fails because of another agent's probe would cancel that probe.
    ///
    /// # Errors
    /// The provider or the key is paused.
    pub(super) async fn wait_for_admission(
        self: &Arc<Self>,
        provider: &str,
        key: &ProviderKey,
        timeout: Duration,
        now: &(dyn Fn() -> Instant + Sync),
    ) -> Result<RequestPass, PauseRefusal> {
        let until = tokio::time::Instant::now() + timeout;
        loop {
            let decision = self.decision.notified();
            let refusal = match self.admit(provider, key, now()) {
                Ok(pass) => return Ok(pass),
                Err(refusal) => refusal,
            };
            if !refusal.is_probed || tokio::time::timeout_at(until, decision).await.is_err() {
                return Err(refusal);
            }
        }
    }

    /// Returns the permission to send a request to a provider with a key now.
    ///
    /// # Errors
    /// The provider or the key is paused.
    pub(super) fn admit(
        self: &Arc<Self>,
        provider: &str,
        key: &ProviderKey,
        now: Instant,
    ) -> Result<RequestPass, PauseRefusal> {
        let circuits = circuits(provider, key);
        let mut breakers = self.lock();
        // Both circuits are checked before either begins a probe: a refused request must not be a probe.
        for circuit in &circuits {
            if let Some(breaker) = breakers.get(circuit) {
                breaker.check(circuit, now, self.settings.pause)?;
            }
        }
        let admitted = circuits.map(|circuit| {
            let is_probe = breakers.get_mut(&circuit).is_some_and(Breaker::begin_probe);
            (circuit, is_probe)
        });
        Ok(RequestPass { breakers: Arc::clone(self), circuits: admitted.into(), sent: now })
    }

    /// Ends the pauses of a provider and a key after a successful request that needed no permission.
    pub(super) fn close(&self, provider: &str, key: &ProviderKey) {
        for circuit in circuits(provider, key) {
            self.record_reply(&circuit);
        }
        self.decision.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Circuit, Breaker>> {
        self.by_circuit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a failure of a circuit.
    fn record_failure(
        &self,
        circuit: &Circuit,
        is_probe: IsProbe,
        sent: Instant,
        now: Instant,
        error: &ProviderError,
    ) {
        let mut breakers = self.lock();
        if breakers.len() >= MOST_CIRCUITS {
            breakers.retain(|_, breaker| now.duration_since(breaker.last.0) < Duration::from_hours(1));
        }
        let last = (now, describe_failure(error));
        let breaker = breakers.entry(circuit.clone()).or_insert_with(|| Breaker {
            failures: 0,
            since: sent,
            last: last.clone(),
            pause: None,
        });
        breaker.last = last;
        let new_pause = breaker.record_failure(is_probe, sent, now, self.settings);
        if let (Some(pause), Circuit::Provider(provider)) = (new_pause, circuit) {
            let (failures, pause_s) = (breaker.failures, pause.as_secs());
            tracing::warn!(provider, failures, pause_s, "requests to a provider are paused");
        }
    }

    /// Counts a reply on a circuit, which closes it.
    fn record_reply(&self, circuit: &Circuit) {
        let was_paused = self.lock().remove(circuit).is_some_and(|breaker| breaker.pause.is_some());
        if let (true, Circuit::Provider(provider)) = (was_paused, circuit) {
            tracing::info!(provider, "a provider replies again");
        }
    }
}

impl Breaker {
    fn check(&self, circuit: &Circuit, now: Instant, first: Duration) -> Result<(), PauseRefusal> {
        let Some(Pause { until, is_probed, .. }) = self.pause else { return Ok(()) };
        let remaining = until.saturating_duration_since(now);
        if remaining.is_zero() && !is_probed {
            return Ok(());
        }
        let requests = match circuit {
            Circuit::Provider(_) => "requests to it",
            Circuit::Key(..) => "requests with this key",
        };
        let what = format!("{} {requests} failed in a row, the last with {}", self.failures, self.last.1);
        Err(PauseRefusal { what, after: if remaining.is_zero() { first } else { remaining }, is_probed })
    }

    /// Marks the next request as the probe if there is a pause; returns true if there is one.
    fn begin_probe(&mut self) -> IsProbe {
        self.pause.as_mut().map(|pause| pause.is_probed = true).is_some()
    }

    /// Counts a failure; returns the length of the pause that it begins, if any.
    fn record_failure(
        &mut self,
        is_probe: IsProbe,
        sent: Instant,
        now: Instant,
        settings: BreakerSettings,
    ) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);
        self.since = self.since.min(sent);
        let is_down = self.failures >= settings.failures
            && now.duration_since(self.since) >= settings.minimum_span
            && settings.failures > 0;
        let length = match &self.pause {
            Some(pause) if is_probe => (pause.length * 2).min(settings.pause * LONGEST_PAUSE_FACTOR),
            None if is_down => settings.pause,
            // Failures of requests that were sent before the pause do not prolong it.
            Some(_) | None => return None,
        };
        self.pause = Some(Pause { until: now + length, length, is_probed: false });
        Some(length)
    }
}

impl RequestPass {
    /// Records the result of the request.
    pub(super) fn record_result(mut self, error: Option<&ProviderError>, now: Instant) {
        let fault = error.map_or(FaultOwner::Nobody, FaultOwner::from_error);
        for (circuit, is_probe) in std::mem::take(&mut self.circuits) {
            match (&circuit, fault, error) {
                (Circuit::Provider(_), FaultOwner::Provider, Some(error))
                | (Circuit::Key(..), FaultOwner::Key, Some(error)) => {
                    self.breakers.record_failure(&circuit, is_probe, self.sent, now, error);
                }
                // A failure of the provider is no evidence about the key.
                (Circuit::Key(..), FaultOwner::Provider, _) => self.circuits.push((circuit, is_probe)),
                _ => self.breakers.record_reply(&circuit),
            }
        }
        self.breakers.decision.notify_waiters();
    }
}

impl Drop for RequestPass {
    /// Ends an unfinished probe, so that the next request is a probe.
    fn drop(&mut self) {
        for (circuit, is_probe) in &self.circuits {
            if let (true, Some(breaker)) = (is_probe, self.breakers.lock().get_mut(circuit))
                && let Some(pause) = &mut breaker.pause
            {
                pause.is_probed = false;
                self.breakers.decision.notify_waiters();
            }
        }
    }
}

/// Returns the circuits of a provider and a key.
fn circuits(provider: &str, key: &ProviderKey) -> [Circuit; 2] {
    let hash = *blake3::hash(key.reveal().as_bytes()).as_bytes();
    [Circuit::Provider(provider.to_owned()), Circuit::Key(provider.to_owned(), hash)]
}

impl FaultOwner {
    const fn from_error(error: &ProviderError) -> Self {
        match error {
            ProviderError::Failing { .. }
            | ProviderError::Unreachable { .. }
            | ProviderError::Silent { .. }
            | ProviderError::Cut(_) => Self::Provider,
            ProviderError::KeyRefused { .. }
            | ProviderError::Limited { .. }
            | ProviderError::Refused { status: 402, .. } => Self::Key,
            // Any reply shows that the provider works.
            ProviderError::Refused { .. }
            | ProviderError::Garbage { .. }
            | ProviderError::Paused { .. }
            | ProviderError::NotBuilt => Self::Nobody,
        }
    }
}

/// Describes a failure in words of this program: a provider's message about one owner's request is not shown to other owners.
fn describe_failure(error: &ProviderError) -> String {
    match error {
        ProviderError::KeyRefused { .. } => "a refusal of the key".to_owned(),
        ProviderError::Limited { .. } => "status 429".to_owned(),
        ProviderError::Refused { status, .. } | ProviderError::Failing { status, .. } => {
            format!("status {status}")
        }
        ProviderError::Unreachable { .. } => "no connection".to_owned(),
        ProviderError::Silent { after, .. } => format!("no reply within {} s", after.as_secs()),
        ProviderError::Cut(_) => "a reply that was cut short".to_owned(),
        ProviderError::Garbage { .. } | ProviderError::Paused { .. } | ProviderError::NotBuilt => {
            "a reply that cannot be read".to_owned()
        }
    }
}

#[cfg(test)]
mod tests;
