//! Access control: it identifies the key that a caller presents, and meters the calls of the key. It lives in memory and never waits;
//! [`super::StateSync`] keeps it and the state file in agreement.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use super::access_tokens::AccessTokens;
use super::auth_failure_limiter::AuthFailureLimiter;
use super::clock::{Clock, until_full_hour, until_midnight};
use super::directory::{Directory, Key};
use super::error::AccessError;
use super::quotas::{FullWindow, Quotas};
use super::random_token::RandomToken;
use super::usage_counts::{CallEnd, UsageCounts};
use super::web_sessions::{WebSession, WebSessions};
use crate::operation::Quota;
use crate::state::{StateError, Store};

/// Who may call, and how often.
pub struct AccessControl {
    directory: Directory,
    quotas: Quotas,
    failures: AuthFailureLimiter,
    sessions: WebSessions,
    tokens: AccessTokens,
    usage: UsageCounts,
    /// The number of the newest change that was followed; held while the state file is read or counts are written, so that what
    /// was read first is never put in the place of what was read later.
    followed: Mutex<Option<i64>>,
    clock: Clock,
}

/// The allowance of a key and what is left of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Requests a day and an hour.
    pub limit: Quota,
    /// What is left of them.
    pub left: Quota,
}

impl Allowance {
    /// That of nobody: without a key that is known, nothing can be asked.
    pub const NONE: Self = Self { limit: Quota { day: 0, hour: 0 }, left: Quota { day: 0, hour: 0 } };
}

/// What a call took from an allowance, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    key: Arc<Key>,
    cost: u32,
    taken_at: i64,
}

impl Reservation {
    /// The key whose call it is.
    pub fn key(&self) -> &Arc<Key> {
        &self.key
    }

    /// Whether anything was taken: some operations are free of charge.
    pub fn costs(&self) -> bool {
        self.cost > 0
    }
}

impl AccessControl {
    /// Access control for the keys of a state file. `failures_a_minute` wrong keys from one address are looked at in a minute.
    ///
    /// # Errors
    /// A state file that cannot be read.
    pub fn open(store: &Store, failures_a_minute: u32, clock: Clock) -> Result<Self, StateError> {
        let access = Self {
            directory: Directory::default(),
            quotas: Quotas::default(),
            failures: AuthFailureLimiter::new(failures_a_minute),
            sessions: WebSessions::default(),
            tokens: AccessTokens::default(),
            usage: UsageCounts::default(),
            followed: Mutex::default(),
            clock,
        };
        access.follow(store)?;
        Ok(access)
    }

    /// The key that a caller presents, in however many places; empty ones do not count.
    ///
    /// # Errors
    /// No key, several that differ, or one that does not work.
    pub fn identify(
        &self,
        presented: impl IntoIterator<Item: AsRef<str>>,
        from: Option<IpAddr>,
    ) -> Result<Arc<Key>, AccessError> {
        let mut presented = presented.into_iter().filter(|text| !text.as_ref().trim().is_empty());
        let first = presented.next().ok_or(AccessError::Missing)?;
        let text = first.as_ref().trim();
        if presented.any(|other| other.as_ref().trim() != text) {
            return Err(AccessError::Differ);
        }
        let now = (self.clock)();
        self.directory
            .find(text, now)
            .map_err(|refused| from.and_then(|from| self.failures.count(from, now).err()).unwrap_or(refused))
    }

    /// The key and the session of a browser that presents this token; `None` if no session has it, or the session or its key has
    /// ended. It waits for nothing.
    pub fn identify_session(&self, token: &str) -> Option<(Arc<Key>, Arc<WebSession>)> {
        let now = (self.clock)();
        let session = self.sessions.take_up(&RandomToken::hash_of(token)?, now)?;
        let key = self.directory.numbered(session.key_id, now)?;
        Some((key, session))
    }

    /// The key that an app calls by with this access token; `None` if there is no such token, or it or its key has ended.
    pub fn identify_app(&self, token: &str) -> Option<Arc<Key>> {
        let now = (self.clock)();
        let key = self.tokens.key_of(&RandomToken::hash_of(token)?, now)?;
        self.directory.numbered(key, now)
    }

    /// The key of that number, if it works now.
    pub fn key(&self, id: i64) -> Option<Arc<Key>> {
        self.directory.numbered(id, (self.clock)())
    }

    /// Counts something else than a key that was presented and proved wrong, such as a sign-in code.
    ///
    /// # Errors
    /// When there were too many from this address in this minute.
    pub fn count_failure(&self, from: Option<IpAddr>) -> Result<(), AccessError> {
        from.map_or(Ok(()), |from| self.failures.count(from, (self.clock)()))
    }

    /// The time by which everything here is judged, in Unix seconds.
    pub fn now(&self) -> i64 {
        (self.clock)()
    }

    /// Counts a call of an operation, for the owner to look at.
    pub fn count_use(&self, key: &Key, operation: &str, end: CallEnd) {
        self.usage.count(key.id, operation, end);
    }

    /// Takes the cost of a call from a key's allowance.
    ///
    /// # Errors
    /// Which limit has no room for it.
    pub fn reserve(&self, key: &Arc<Key>, cost: u32) -> Result<(Reservation, Allowance), AccessError> {
        let now = (self.clock)();
        let mut left = self.take(key, (key.id, key.quota), (cost, now))?;
        for (nth, shared) in key.shared.iter().enumerate() {
            match self.take(key, *shared, (cost, now)) {
                Ok(of_shared) => {
                    left = Quota { day: left.day.min(of_shared.day), hour: left.hour.min(of_shared.hour) };
                }
                Err(full) => {
                    let taken = key.shared.iter().take(nth).map(|(id, _)| *id);
                    taken.chain([key.id]).for_each(|id| self.quotas.give_back(id, cost, now));
                    return Err(full);
                }
            }
        }
        let reservation = Reservation { key: Arc::clone(key), cost, taken_at: now };
        Ok((reservation, Allowance { limit: key.quota, left }))
    }

    /// Takes a cost from one of the allowances that a key calls by.
    fn take(
        &self,
        key: &Key,
        (id, quota): (i64, Quota),
        (cost, now): (u32, i64),
    ) -> Result<Quota, AccessError> {
        self.quotas.take(id, quota, cost, now).map_err(|full| match full {
            FullWindow::Day => {
                AccessError::Day { limit: quota.day, tier: key.tier, retry_after_s: until_midnight(now) }
            }
            FullWindow::Hour => {
                AccessError::Hour { limit: quota.hour, tier: key.tier, retry_after_s: until_full_hour(now) }
            }
        })
    }

    /// Gives back what a call took that proved free of charge.
    pub fn give_back(&self, reservation: &Reservation) -> Allowance {
        let Reservation { key, cost, taken_at } = reservation;
        self.quotas.give_back(key.id, *cost, *taken_at);
        key.shared.iter().for_each(|(id, _)| self.quotas.give_back(*id, *cost, *taken_at));
        self.allowance(key)
    }

    /// The allowance of a key now.
    pub fn allowance(&self, key: &Key) -> Allowance {
        let now = (self.clock)();
        let shared = key.shared.iter().map(|(id, quota)| self.quotas.left(*id, *quota, now));
        let left = shared.fold(self.quotas.left(key.id, key.quota, now), |left, of_shared| Quota {
            day: left.day.min(of_shared.day),
            hour: left.hour.min(of_shared.hour),
        });
        Allowance { limit: key.quota, left }
    }

    /// Takes up what changed in the state file of keys, sessions, tokens and counters since the last time.
    pub(super) fn follow(&self, store: &Store) -> Result<(), StateError> {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = store.changes_since(*followed)?;
        self.quotas.follow(changes.counters.iter().copied());
        self.sessions.follow(&changes);
        self.tokens.follow(&changes);
        self.directory.follow(&changes);
        *followed = Some(changes.until);
        Ok(())
    }

    /// Writes what was counted since the last time, and uses of sessions that are due; what cannot be written is kept for the next.
    pub(super) fn flush(&self, store: &mut Store) -> Result<(), StateError> {
        self.write(store, &self.sessions.due())
    }

    /// Writes everything: the last thing that is done.
    pub(super) fn flush_all(&self, store: &mut Store) -> Result<(), StateError> {
        self.write(store, &self.sessions.unwritten())
    }

    fn write(&self, store: &mut Store, used: &[(i64, i64)]) -> Result<(), StateError> {
        let _followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let now = (self.clock)();
        let (deltas, usage) = (self.quotas.pending(now), self.usage.pending(now));
        if !deltas.is_empty() || !usage.is_empty() {
            match store.count_with_usage(&deltas, &usage) {
                Ok(counted) => self.quotas.follow(counted),
                Err(error) => {
                    self.quotas.put_back(&deltas);
                    self.usage.put_back(usage);
                    return Err(error);
                }
            }
        }
        if !used.is_empty() {
            store.touch_web_sessions(used)?;
            self.sessions.wrote(used);
        }
        Ok(())
    }
}
