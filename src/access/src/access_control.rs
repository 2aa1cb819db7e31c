//! Identifies the key that a caller presents and meters the calls of the key, in memory; only a call without a lease waits for the state.
//! [`super::StateSync`] synchronizes the memory with the state.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::access_tokens::AccessTokens;
use super::auth_failure_limiter::AuthFailureLimiter;
use super::clock::{Clock, ClockTime, seconds_to_full_hour, seconds_to_midnight};
use super::directory::{Directory, Key};
use super::error::AccessError;
use super::key_counter::{Backing, Charge, FullWindow, TakeError};
use super::leasing::{LEASE_WAIT, LeaseState};
use super::quotas::Quotas;
use super::random_token::RandomToken;
use super::usage_counts::{CallEnd, UsageCounts};
use super::web_sessions::{WebSession, WebSessions};
use parquote_catalogue::operation::Quota;
use parquote_state::{Changes, CountingServer, LeaseOutcome, StateError, Store};

/// Access control for the keys of a state.
pub struct AccessControl {
    directory: Directory,
    pub(super) quotas: Quotas,
    pub(super) leasing: LeaseState,
    failures: AuthFailureLimiter,
    sessions: WebSessions,
    tokens: AccessTokens,
    usage: UsageCounts,
    /// Number of the newest change of the state that was applied; `None` before the first read. Locked while the state is read or counts
    /// are written, so that an older read never overwrites a newer one.
    last_change: Mutex<Option<i64>>,
    /// Start time of the newest completed read of the state; `None` before the first one.
    pub(super) last_sync_start: watch::Sender<Option<std::time::Instant>>,
    clock: Clock,
}

/// The quotas of a key and their remainder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Requests per day and per hour.
    pub limit: Quota,
    /// Requests left in the present day and hour.
    pub left: Quota,
}

impl Allowance {
    /// The allowance of a caller without a valid key.
    pub const NONE: Self = Self { limit: Quota { day: 0, hour: 0 }, left: Quota { day: 0, hour: 0 } };
}

/// The cost that a call took from the quotas of its key, and the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    key: Arc<Key>,
    cost: u32,
    taken_at: i64,
}

impl Reservation {
    /// Returns the key of the call.
    pub fn key(&self) -> &Arc<Key> {
        &self.key
    }

    /// Returns true if the call cost anything; some operations are free of charge.
    pub fn costs(&self) -> bool {
        self.cost > 0
    }
}

impl AccessControl {
    /// Reads the keys of a state. `failures_a_minute` limits the wrong keys from one address per minute.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn open(store: &Store, failures_a_minute: u32, clock: Clock) -> Result<Self, StateError> {
        let access = Self {
            directory: Directory::default(),
            quotas: Quotas::default(),
            leasing: LeaseState::for_state(store.is_on_a_server()),
            failures: AuthFailureLimiter::new(failures_a_minute),
            sessions: WebSessions::default(),
            tokens: AccessTokens::default(),
            usage: UsageCounts::default(),
            last_change: Mutex::default(),
            last_sync_start: watch::Sender::default(),
            clock,
        };
        access.sync_from_store(store)?;
        Ok(access)
    }

    /// Makes the server admit calls beyond its leases while the state cannot be reached.
    #[must_use]
    pub fn serving_without_state(mut self) -> Self {
        self.leasing.admit_during_outage();
        self
    }

    /// Identifies the key of a request, which may present it in several places; empty texts are ignored.
    ///
    /// # Errors
    /// No key, several different keys, or a key that is unknown, revoked or expired.
    pub fn identify(
        &self,
        presented: impl IntoIterator<Item: AsRef<str>>,
        from: Option<IpAddr>,
    ) -> Result<Arc<Key>, AccessError> {
        let mut presented = presented.into_iter().filter(|text| !text.as_ref().trim().is_empty());
        let first = presented.next().ok_or(AccessError::Missing)?;
        let text = first.as_ref().trim();
        if presented.any(|other| other.as_ref().trim() != text) {
            return Err(AccessError::DifferentKeys);
        }
        let now = (self.clock)();
        self.directory
            .find(text, now)
            .map_err(|refusal| from.and_then(|from| self.failures.count(from, now).err()).unwrap_or(refusal))
    }

    /// Returns the key and the web session of a session token; `None` if the token is unknown, or the session or its key has ended.
    /// Never waits.
    pub fn identify_session(&self, token: &str) -> Option<(Arc<Key>, Arc<WebSession>)> {
        let now = (self.clock)();
        let session = self.sessions.find_session(&RandomToken::hash_of(token)?, now)?;
        let key = self.directory.by_number(session.key_id, now)?;
        Some((key, session))
    }

    /// Returns the key of an app's access token; `None` if the token is unknown, or the token or its key has ended.
    pub fn identify_app(&self, token: &str) -> Option<Arc<Key>> {
        let now = (self.clock)();
        let key = self.tokens.key_of(&RandomToken::hash_of(token)?, now)?;
        self.directory.by_number(key, now)
    }

    /// Returns the key with a number; `None` if it is unknown, revoked or expired.
    pub fn key(&self, id: i64) -> Option<Arc<Key>> {
        self.directory.by_number(id, (self.clock)())
    }

    /// Counts a wrong credential other than a key, such as a sign-in code.
    ///
    /// # Errors
    /// Too many wrong credentials came from this address in this minute.
    pub fn count_failure(&self, from: Option<IpAddr>) -> Result<(), AccessError> {
        from.map_or(Ok(()), |from| self.failures.count(from, (self.clock)()))
    }

    /// Returns the present time in Unix seconds; all decisions use this clock.
    pub fn now(&self) -> i64 {
        (self.clock)()
    }

    /// Counts a call of an operation in the usage statistics of the key's owner.
    pub fn count_use(&self, key: &Key, operation: &str, end: CallEnd) {
        self.usage.count(key.id, operation, end);
    }

    /// Takes the cost of a call from a key's quotas. If too few calls are leased, waits for a lease, at most two seconds.
    ///
    /// # Errors
    /// The exhausted limit, or an unreachable state.
    pub async fn reserve(&self, key: &Arc<Key>, cost: u32) -> Result<(Reservation, Allowance), AccessError> {
        match self.try_reserve(key, cost, self.leasing.backing()) {
            Ok(reserved) => Ok(reserved),
            Err(ReserveError::Refused(refusal)) => Err(refusal),
            // Boxed, because the future of the rare waiting calls is large and would otherwise be part of every call's future.
            Err(ReserveError::Unleased(_)) => Box::pin(self.reserve_leased(key, cost)).await,
        }
    }

    async fn reserve_leased(
        &self,
        key: &Arc<Key>,
        cost: u32,
    ) -> Result<(Reservation, Allowance), AccessError> {
        let until = Instant::now() + LEASE_WAIT;
        loop {
            let unleased = match self.try_reserve(key, cost, self.leasing.backing()) {
                Ok(reserved) => return Ok(reserved),
                Err(ReserveError::Refused(refusal)) => return Err(refusal),
                Err(ReserveError::Unleased(unleased)) => unleased,
            };
            if !self.leasing.is_state_unreachable() {
                let granted = self.quotas.wait(unleased, cost);
                self.leasing.request_lease(unleased);
                if timeout_at(until, granted).await.is_ok() {
                    continue;
                }
            }
            if !self.leasing.admits_without_lease() {
                return Err(AccessError::StateUnreachable);
            }
            return self.try_reserve(key, cost, Backing::Memory).map_err(ReserveError::into_error);
        }
    }

    /// Reserves calls like [`AccessControl::reserve`], but does not wait for a lease.
    pub(super) fn try_reserve(
        &self,
        key: &Arc<Key>,
        cost: u32,
        backing: Backing,
    ) -> Result<(Reservation, Allowance), ReserveError> {
        let now = (self.clock)();
        let mut left = self.take_cost(key, key.id, key.quota, cost, now, backing)?;
        for (nth, (id, quota)) in key.shared.iter().enumerate() {
            match self.take_cost(key, *id, *quota, cost, now, backing) {
                Ok(shared_left) => {
                    left =
                        Quota { day: left.day.min(shared_left.day), hour: left.hour.min(shared_left.hour) };
                }
                Err(unleased) => {
                    let taken = key.shared.iter().take(nth).map(|(id, _)| *id);
                    taken.chain([key.id]).for_each(|id| self.quotas.refund(id, cost, now));
                    return Err(unleased);
                }
            }
        }
        let reservation = Reservation { key: Arc::clone(key), cost, taken_at: now };
        Ok((reservation, Allowance { limit: key.quota, left }))
    }

    /// Takes a cost from the quota of a key or of one of its ancestors.
    fn take_cost(
        &self,
        key: &Key,
        id: i64,
        quota: Quota,
        cost: u32,
        at: i64,
        backing: Backing,
    ) -> Result<Quota, ReserveError> {
        let tier = key.tier;
        let limit = |window| match window {
            FullWindow::Day => quota.day,
            FullWindow::Hour => quota.hour,
        };
        let full = |window| {
            let retry_after_s = match window {
                FullWindow::Day => seconds_to_midnight(at),
                FullWindow::Hour => seconds_to_full_hour(at),
            };
            let at = ClockTime(at.saturating_add(retry_after_s));
            ReserveError::Refused(AccessError::Full { window, limit: limit(window), tier, retry_after_s, at })
        };
        let taken =
            self.quotas.take_cost(id, Charge { quota, cost, at }, backing).map_err(|error| match error {
                TakeError::Full(window) => full(window),
                // Leases of an ended server are not returned.
                TakeError::Held(window) if self.leasing.is_alone() => full(window),
                TakeError::Held(window) => {
                    ReserveError::Refused(AccessError::LeasedElsewhere { window, limit: limit(window), tier })
                }
                TakeError::Unleased => ReserveError::Unleased(id),
            })?;
        if taken.needs_refill {
            self.leasing.request_lease(id);
        }
        Ok(taken.left)
    }

    /// Refunds the whole cost of a call, and returns the new allowance.
    pub fn refund(&self, reservation: &Reservation) -> Allowance {
        self.refund_rest(reservation, 0)
    }

    /// Refunds the difference between the reserved and the actual cost, and returns the new allowance.
    pub fn refund_rest(&self, reservation: &Reservation, cost: u32) -> Allowance {
        let Reservation { key, taken_at, .. } = reservation;
        let refunded = reservation.cost.saturating_sub(cost);
        self.quotas.refund(key.id, refunded, *taken_at);
        key.shared.iter().for_each(|(id, _)| self.quotas.refund(*id, refunded, *taken_at));
        self.allowance(key)
    }

    /// Returns the quotas of a key and what is left of them.
    pub fn allowance(&self, key: &Key) -> Allowance {
        let now = (self.clock)();
        let shared = key.shared.iter().map(|(id, quota)| self.quotas.remaining(*id, *quota, now));
        let left = shared.fold(self.quotas.remaining(key.id, key.quota, now), |left, shared_left| Quota {
            day: left.day.min(shared_left.day),
            hour: left.hour.min(shared_left.hour),
        });
        Allowance { limit: key.quota, left }
    }

    /// Applies the changes of keys, sessions, tokens and counters in the state since the last read.
    pub(super) fn sync_from_store(&self, store: &Store) -> Result<(), StateError> {
        let mut last_change = self.last_change.lock().unwrap_or_else(PoisonError::into_inner);
        self.apply_changes_from(&mut last_change, store)
    }

    fn apply_changes_from(&self, last_change: &mut Option<i64>, store: &Store) -> Result<(), StateError> {
        let changes = store.changes_since(*last_change, self.counting_server(*last_change))?;
        self.leasing.set_servers(changes.others.saturating_add(1));
        self.quotas.apply_standings(&changes.counters);
        self.move_unreported_use(&changes);
        self.sessions.apply_changes(&changes);
        self.tokens.apply_changes(&changes);
        self.directory.apply_changes(&changes);
        *last_change = Some(changes.until);
        Ok(())
    }

    /// Adds the unreported use of a replaced key to its successor. Children of the old key now have the new one as parent, and count for it
    /// in their next calls.
    fn move_unreported_use(&self, changes: &Changes) {
        for row in &changes.keys {
            let Some(new) = changes.keys.iter().find(|new| Some(new.id) == row.parent) else { continue };
            let Some(old) = self.directory.keys.by_number(row.id) else { continue };
            if new.id > row.id && old.parent != row.parent && old.parent == new.parent {
                self.quotas.move_unreported_use(row.id, new.id);
            }
        }
    }

    /// Waits until the keys, sessions and tokens that other servers have created so far are in memory. Returns false if there are no other
    /// servers, or the state is not read in time.
    pub async fn wait_for_other_servers(&self) -> bool {
        let now = Instant::now();
        if self.leasing.servers() < 2 || self.leasing.is_state_unreachable() {
            return false;
        }
        let mut last_sync_start = self.last_sync_start.subscribe();
        let is_new = last_sync_start.wait_for(|began| began.is_some_and(|began| began >= now.into_std()));
        timeout_at(now + LEASE_WAIT, is_new).await.is_ok_and(|last_sync_start| last_sync_start.is_ok())
    }

    /// Discards the counts and the change number after the state file was replaced. Keys stay in memory until the new file is read.
    pub(super) fn reset_after_replacement(&self) {
        let mut last_change = self.last_change.lock().unwrap_or_else(PoisonError::into_inner);
        self.leasing.set_server(0);
        self.quotas.clear();
        *last_change = None;
    }

    fn counting_server(&self, last_change: Option<i64>) -> CountingServer {
        let (id, now) = (self.leasing.server(), (self.clock)());
        CountingServer { id, now, last_read_change: last_change.unwrap_or_default() }
    }

    /// Writes new counts and due session uses, and returns leases that are not needed. Data that cannot be written is written by the next
    /// call.
    pub(super) fn flush(&self, store: &mut Store) -> Result<(), StateError> {
        self.report_use(store, None)?;
        self.write_uses(store, &self.sessions.uses_due())
    }

    /// Writes everything and returns all leases, at shutdown.
    pub(super) fn flush_all(&self, store: &mut Store) -> Result<(), StateError> {
        // Nothing is leased after this.
        self.leasing.set_state_unreachable(true);
        self.quotas.release();
        self.report_use(store, None)?;
        store.leave_server(self.leasing.server())?;
        self.write_uses(store, &self.sessions.unwritten_uses())
    }

    /// Requests leases of these keys.
    pub(super) fn lease(&self, store: &mut Store, keys: &[i64]) -> Result<(), StateError> {
        self.report_use(store, Some(keys))
    }

    /// Reports the use of some keys, or of all for `None`, and requests the leases that they need.
    fn report_use(&self, store: &mut Store, keys: Option<&[i64]>) -> Result<(), StateError> {
        let mut last_change = self.last_change.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let now = (self.clock)();
            let reports = self.quotas.reports(keys, now, self.leasing.servers());
            let usage = if keys.is_none() { self.usage.take_pending(now) } else { Vec::new() };
            if reports.is_empty() && usage.is_empty() && !self.leasing.is_heartbeat_due(now) {
                return Ok(());
            }
            let requests: Vec<_> = reports.iter().map(|report| report.request).collect();
            let outcome = store.settle(self.counting_server(*last_change), &requests, &usage);
            if let Ok(LeaseOutcome::Done { servers, leased }) = outcome {
                self.leasing.set_servers(servers);
                self.leasing.set_seen(now);
                self.quotas.settle(&reports, &leased, now);
                return Ok(());
            }
            self.quotas.put_back(&reports);
            self.usage.put_back(usage);
            outcome?;
            self.apply_changes_from(&mut last_change, store)?;
        }
    }

    fn write_uses(&self, store: &mut Store, used: &[(i64, i64)]) -> Result<(), StateError> {
        if !used.is_empty() {
            store.touch_web_sessions(used)?;
            self.sessions.record_written(used);
        }
        Ok(())
    }
}

/// The reason why nothing was reserved.
pub(super) enum ReserveError {
    /// A limit is exhausted.
    Refused(AccessError),
    /// The lease of the key with this number is spent.
    Unleased(i64),
}

impl ReserveError {
    /// Returns the error for a caller that does not wait.
    fn into_error(self) -> AccessError {
        match self {
            Self::Refused(refusal) => refusal,
            Self::Unleased(_) => AccessError::StateUnreachable,
        }
    }
}
