//! Circuit breakers: after some failures in a row, requests to a provider, or with one of its keys, fail at once during a pause that grows.
//! After the pause, one request is let through as a probe, and the others wait for its result.
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
/// Number of circuits above which those without a failure for an hour are dropped.
const MOST_CIRCUITS: usize = 1_024;

/// Settings of circuit breakers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerSettings {
    /// Number of failures in a row before a pause; 0 disables pauses.
    pub failures: u32,
    /// Minimum time that they must span, from the first request to the last failure: retries cover blips of seconds.
    pub minimum_span: Duration,
    /// Length of the first pause; each further failure doubles it.
    pub pause: Duration,
}

/// The circuits of a client with recent failures. All others are closed.
#[derive(Debug)]
pub(super) struct Breakers {
    settings: BreakerSettings,
    failing: Mutex<HashMap<Circuit, Breaker>>,
    /// Wakes those that wait for a probe: one has ended, or a key test has passed.
    decided: Notify,
}

/// A provider, or one of its keys, whose requests are paused together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Circuit {
    Provider(String),
    /// A key, by provider and hash.
    Key(String, [u8; 32]),
}

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

/// Permission to send one request. If it is dropped without a result, it counts as neither failure nor success.
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
    /// Description of the failures.
    pub what: String,
    /// Time until a request is let through.
    pub after: Duration,
    /// True while a probe is in flight.
    is_probed: bool,
}

/// Party at fault for the end of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaultOwner {
    Nobody,
    Provider,
    Key,
}

impl BreakerSettings {
    /// Default settings.
    pub const DEFAULT_SETTINGS: Self =
        Self { failures: 5, minimum_span: Duration::from_secs(30), pause: Duration::from_secs(30) };
}

impl Breakers {
    pub(super) fn new(settings: BreakerSettings) -> Arc<Self> {
        Arc::new(Self { settings, failing: Mutex::default(), decided: Notify::new() })
    }

    /// Returns the permission to send a request to a provider with a key. If a probe is in flight, waits for its result up to `patience`:
    /// agents send concurrently, and a run that fails because of another agent's probe would cancel that probe.
    ///
    /// # Errors
    /// The provider or the key is paused.
    pub(super) async fn wait_for_admission(
        self: &Arc<Self>,
        provider: &str,
        key: &ProviderKey,
        patience: Duration,
        now: &(dyn Fn() -> Instant + Sync),
    ) -> Result<RequestPass, PauseRefusal> {
        let until = tokio::time::Instant::now() + patience;
        loop {
            let decided = self.decided.notified();
            let paused = match self.admit(provider, key, now()) {
                Ok(pass) => return Ok(pass),
                Err(paused) => paused,
            };
            if !paused.is_probed || tokio::time::timeout_at(until, decided).await.is_err() {
                return Err(paused);
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
        let mut failing = self.failing_circuits();
        // Both are checked before either is taken: a refused request must not become a probe.
        for circuit in &circuits {
            if let Some(breaker) = failing.get(circuit) {
                breaker.check(circuit, now, self.settings.pause)?;
            }
        }
        let taken = circuits.map(|circuit| {
            let is_probe = failing.get_mut(&circuit).is_some_and(Breaker::probe);
            (circuit, is_probe)
        });
        Ok(RequestPass { breakers: Arc::clone(self), circuits: taken.into(), sent: now })
    }

    /// Ends the pauses of a provider and a key after a successful request outside of them.
    pub(super) fn close(&self, provider: &str, key: &ProviderKey) {
        for circuit in circuits(provider, key) {
            self.record_reply(&circuit);
        }
        self.decided.notify_waiters();
    }

    fn failing_circuits(&self) -> MutexGuard<'_, HashMap<Circuit, Breaker>> {
        self.failing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a failure of a circuit.
    fn failed(
        &self,
        circuit: &Circuit,
        is_probe: IsProbe,
        sent: Instant,
        now: Instant,
        error: &ProviderError,
    ) {
        let mut failing = self.failing_circuits();
        if failing.len() >= MOST_CIRCUITS {
            failing.retain(|_, breaker| now.duration_since(breaker.last.0) < Duration::from_hours(1));
        }
        let last = (now, describe_failure(error));
        let breaker = failing.entry(circuit.clone()).or_insert_with(|| Breaker {
            failures: 0,
            since: sent,
            last: last.clone(),
            pause: None,
        });
        breaker.last = last;
        let paused = breaker.failed(is_probe, sent, now, self.settings);
        if let (Some(pause), Circuit::Provider(provider)) = (paused, circuit) {
            let (failures, pause_s) = (breaker.failures, pause.as_secs());
            tracing::warn!(provider, failures, pause_s, "requests to a provider are paused");
        }
    }

    /// Counts a reply on a circuit, which closes it.
    fn record_reply(&self, circuit: &Circuit) {
        let was_paused =
            self.failing_circuits().remove(circuit).is_some_and(|breaker| breaker.pause.is_some());
        if let (true, Circuit::Provider(provider)) = (was_paused, circuit) {
            tracing::info!(provider, "a provider replies again");
        }
    }
}

impl Breaker {
    fn check(&self, circuit: &Circuit, now: Instant, first: Duration) -> Result<(), PauseRefusal> {
        let Some(Pause { until, is_probed, .. }) = self.pause else { return Ok(()) };
        let left = until.saturating_duration_since(now);
        if left.is_zero() && !is_probed {
            return Ok(());
        }
        let of = match circuit {
            Circuit::Provider(_) => "to it",
            Circuit::Key(..) => "with this key",
        };
        let what = format!("{} requests {of} failed in a row, the last with {}", self.failures, self.last.1);
        Err(PauseRefusal { what, after: if left.is_zero() { first } else { left }, is_probed })
    }

    /// Takes the place of the probe during a pause; returns true if there is one.
    fn probe(&mut self) -> IsProbe {
        self.pause.as_mut().map(|pause| pause.is_probed = true).is_some()
    }

    /// Counts a failure; returns the length of the pause that it begins, if any.
    fn failed(
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
            // Failures of requests sent before the pause are not counted.
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
                    self.breakers.failed(&circuit, is_probe, self.sent, now, error);
                }
                // A failure of the provider is no evidence about the key.
                (Circuit::Key(..), FaultOwner::Provider, _) => self.circuits.push((circuit, is_probe)),
                _ => self.breakers.record_reply(&circuit),
            }
        }
        self.breakers.decided.notify_waiters();
    }
}

impl Drop for RequestPass {
    /// Frees the place of an unfinished probe, so that the next request decides.
    fn drop(&mut self) {
        for (circuit, is_probe) in &self.circuits {
            if let (true, Some(breaker)) = (is_probe, self.breakers.failing_circuits().get_mut(circuit))
                && let Some(pause) = &mut breaker.pause
            {
                pause.is_probed = false;
                self.breakers.decided.notify_waiters();
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

/// Describes a failure in our words: a provider's message on one owner's request is not for other owners.
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
