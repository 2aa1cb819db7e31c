//! Circuit breakers: after some failures in a row, requests to a provider, or with one key for it, fail at once for a pause that grows.
//! Then one request is let through, the probe, and the others wait for what becomes of it.
//!
//! What is the fault of a key (401, 402, 429) pauses that key alone. Nothing is asked here, and time is an argument.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::key::ProviderKey;
use super::model::ProviderError;

/// The longest pause, in first pauses.
const LONGEST: u32 = 20;
/// So many circuits are kept before those without a failure for an hour are forgotten.
const MOST: usize = 1_024;

/// When requests are paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerSettings {
    /// The failures in a row before a pause; with 0 there is none.
    pub failures: u32,
    /// The shortest time over which they lie, the requests included: a blip of some seconds is what retries are for.
    pub over: Duration,
    /// The first pause; each failure more doubles it.
    pub pause: Duration,
}

/// The circuits of one client that failed lately. The others are closed.
#[derive(Debug)]
pub(super) struct Breakers {
    settings: BreakerSettings,
    failing: Mutex<HashMap<Circuit, Breaker>>,
    /// Wakes those that wait for a probe: one has ended, or a key test has passed.
    decided: Notify,
}

/// What is paused as one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Circuit {
    Provider(String),
    /// A key, by its hash.
    Key(String, [u8; 32]),
}

#[derive(Debug)]
struct Breaker {
    failures: u32,
    /// When the first of the requests was sent that failed in a row.
    since: Instant,
    /// When the last one failed, and how.
    last: (Instant, String),
    pause: Option<Pause>,
}

#[derive(Debug)]
struct Pause {
    until: Instant,
    length: Duration,
    /// Whether the request is on its way that decides.
    is_probed: bool,
}

/// The right to send one request. Dropped without an end, it says nothing.
#[derive(Debug)]
pub(super) struct RequestPass {
    breakers: Arc<Breakers>,
    circuits: Vec<(Circuit, IsProbe)>,
    sent: Instant,
}

/// Whether the request decides on the end of a pause.
type IsProbe = bool;

/// Why nothing is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Paused {
    /// What failed, in words.
    pub what: String,
    /// After how long a request is let through.
    pub after: Duration,
    /// Whether the request is on its way that decides.
    is_probed: bool,
}

/// Whose fault the end of a request was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaultOwner {
    Nobody,
    Provider,
    Key,
}

impl BreakerSettings {
    /// Those of a server whose operator says nothing.
    pub const USUAL: Self =
        Self { failures: 5, over: Duration::from_secs(30), pause: Duration::from_secs(30) };
}

impl Breakers {
    pub(super) fn new(settings: BreakerSettings) -> Arc<Self> {
        Arc::new(Self { settings, failing: Mutex::default(), decided: Notify::new() })
    }

    /// The right to send a request to a provider with a key. Where a probe is on its way, its end is waited for, this long at most:
    /// agents ask at the same time, and a run that fails because one of them probes takes the probe down with it.
    ///
    /// # Errors
    /// The provider or the key is paused.
    pub(super) async fn admitted(
        self: &Arc<Self>,
        (provider, key): (&str, &ProviderKey),
        patience: Duration,
        now: &(dyn Fn() -> Instant + Sync),
    ) -> Result<RequestPass, Paused> {
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

    /// The right to send a request to a provider with a key at this moment.
    ///
    /// # Errors
    /// The provider or the key is paused.
    pub(super) fn admit(
        self: &Arc<Self>,
        provider: &str,
        key: &ProviderKey,
        now: Instant,
    ) -> Result<RequestPass, Paused> {
        let circuits = circuits(provider, key);
        let mut failing = self.failing();
        // Both before either: who may not send is no probe.
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

    /// Ends the pauses of a provider and of a key: a request outside of them was answered.
    pub(super) fn close(&self, provider: &str, key: &ProviderKey) {
        for circuit in circuits(provider, key) {
            self.replied(&circuit);
        }
        self.decided.notify_waiters();
    }

    fn failing(&self) -> MutexGuard<'_, HashMap<Circuit, Breaker>> {
        self.failing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a failure of a circuit.
    fn failed(
        &self,
        circuit: &Circuit,
        is_probe: IsProbe,
        (sent, now): (Instant, Instant),
        error: &ProviderError,
    ) {
        let mut failing = self.failing();
        if failing.len() >= MOST {
            failing.retain(|_, breaker| now.duration_since(breaker.last.0) < Duration::from_hours(1));
        }
        let last = (now, cause(error));
        let breaker = failing.entry(circuit.clone()).or_insert_with(|| Breaker {
            failures: 0,
            since: sent,
            last: last.clone(),
            pause: None,
        });
        breaker.last = last;
        let paused = breaker.failed(is_probe, (sent, now), self.settings);
        if let (Some(pause), Circuit::Provider(provider)) = (paused, circuit) {
            let (failures, pause_s) = (breaker.failures, pause.as_secs());
            tracing::warn!(provider, failures, pause_s, "requests to a provider are paused");
        }
    }

    /// Counts a reply over a circuit.
    fn replied(&self, circuit: &Circuit) {
        let was_paused = self.failing().remove(circuit).is_some_and(|breaker| breaker.pause.is_some());
        if let (true, Circuit::Provider(provider)) = (was_paused, circuit) {
            tracing::info!(provider, "a provider replies again");
        }
    }
}

impl Breaker {
    fn check(&self, circuit: &Circuit, now: Instant, first: Duration) -> Result<(), Paused> {
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
        Err(Paused { what, after: if left.is_zero() { first } else { left }, is_probed })
    }

    /// Takes the place of the probe, where there is a pause.
    fn probe(&mut self) -> IsProbe {
        self.pause.as_mut().map(|pause| pause.is_probed = true).is_some()
    }

    /// Counts a failure; the pause that begins with it, if one does.
    fn failed(
        &mut self,
        is_probe: IsProbe,
        (sent, now): (Instant, Instant),
        settings: BreakerSettings,
    ) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);
        self.since = self.since.min(sent);
        let is_down = self.failures >= settings.failures
            && now.duration_since(self.since) >= settings.over
            && settings.failures > 0;
        let length = match &self.pause {
            Some(pause) if is_probe => (pause.length * 2).min(settings.pause * LONGEST),
            None if is_down => settings.pause,
            // Those that were sent before the pause say nothing new.
            Some(_) | None => return None,
        };
        self.pause = Some(Pause { until: now + length, length, is_probed: false });
        Some(length)
    }
}

impl RequestPass {
    /// Tells how the request ended, at this moment.
    pub(super) fn ended(mut self, error: Option<&ProviderError>, now: Instant) {
        let fault = error.map_or(FaultOwner::Nobody, FaultOwner::of);
        for (circuit, is_probe) in std::mem::take(&mut self.circuits) {
            match (&circuit, fault, error) {
                (Circuit::Provider(_), FaultOwner::Provider, Some(error))
                | (Circuit::Key(..), FaultOwner::Key, Some(error)) => {
                    self.breakers.failed(&circuit, is_probe, (self.sent, now), error);
                }
                // Nothing is known of a key whose provider failed.
                (Circuit::Key(..), FaultOwner::Provider, _) => self.circuits.push((circuit, is_probe)),
                _ => self.breakers.replied(&circuit),
            }
        }
        self.breakers.decided.notify_waiters();
    }
}

impl Drop for RequestPass {
    /// The next request decides.
    fn drop(&mut self) {
        for (circuit, is_probe) in &self.circuits {
            if let (true, Some(breaker)) = (is_probe, self.breakers.failing().get_mut(circuit))
                && let Some(pause) = &mut breaker.pause
            {
                pause.is_probed = false;
                self.breakers.decided.notify_waiters();
            }
        }
    }
}

/// What is paused of a provider and a key.
fn circuits(provider: &str, key: &ProviderKey) -> [Circuit; 2] {
    let hash = *blake3::hash(key.reveal().as_bytes()).as_bytes();
    [Circuit::Provider(provider.to_owned()), Circuit::Key(provider.to_owned(), hash)]
}

impl FaultOwner {
    const fn of(error: &ProviderError) -> Self {
        match error {
            ProviderError::Failing { .. }
            | ProviderError::Unreachable { .. }
            | ProviderError::Silent { .. }
            | ProviderError::Cut { .. } => Self::Provider,
            ProviderError::KeyRefused { .. }
            | ProviderError::Limited { .. }
            | ProviderError::Refused { status: 402, .. } => Self::Key,
            // It replied, whatever that is worth.
            ProviderError::Refused { .. }
            | ProviderError::Garbage { .. }
            | ProviderError::Paused { .. }
            | ProviderError::NotBuilt => Self::Nobody,
        }
    }
}

/// A failure in words of ours: what a provider says of one owner's request is not for the next.
fn cause(error: &ProviderError) -> String {
    match error {
        ProviderError::KeyRefused { .. } => "a refusal of the key".to_owned(),
        ProviderError::Limited { .. } => "status 429".to_owned(),
        ProviderError::Refused { status, .. } | ProviderError::Failing { status, .. } => {
            format!("status {status}")
        }
        ProviderError::Unreachable { .. } => "no connection".to_owned(),
        ProviderError::Silent { after, .. } => format!("no reply within {} s", after.as_secs()),
        ProviderError::Cut { .. } => "a reply that was cut short".to_owned(),
        ProviderError::Garbage { .. } | ProviderError::Paused { .. } | ProviderError::NotBuilt => {
            "a reply that cannot be read".to_owned()
        }
    }
}

#[cfg(test)]
mod tests;
