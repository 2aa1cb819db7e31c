//! Access control: from what a caller presents to a key, and from a key to the right to one call. It lives in memory and
//! never waits; [`super::StateSync`] keeps it and the state file the same.

use std::net::IpAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;

use super::auth_failure_limiter::AuthFailureLimiter;
use super::clock::{Clock, until_full_hour, until_midnight};
use super::directory::{Directory, Key};
use super::error::AccessError;
use super::quotas::{FullWindow, Quotas};
use crate::operation::Quota;
use crate::state::{StateError, Store};

/// Who may call, and how often.
pub struct AccessControl {
    directory: ArcSwap<Directory>,
    quotas: Quotas,
    failures: AuthFailureLimiter,
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
            directory: ArcSwap::default(),
            quotas: Quotas::default(),
            failures: AuthFailureLimiter::new(failures_a_minute),
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
            .load()
            .find(text, now)
            .map_err(|refused| from.and_then(|from| self.failures.count(from, now).err()).unwrap_or(refused))
    }

    /// Takes the cost of a call from a key's allowance.
    ///
    /// # Errors
    /// Which limit has no room for it.
    pub fn reserve(&self, key: &Arc<Key>, cost: u32) -> Result<(Reservation, Allowance), AccessError> {
        let now = (self.clock)();
        let left = self.quotas.take(key.id, key.quota, cost, now).map_err(|full| match full {
            FullWindow::Day => {
                AccessError::Day { limit: key.quota.day, tier: key.tier, retry_after_s: until_midnight(now) }
            }
            FullWindow::Hour => AccessError::Hour {
                limit: key.quota.hour,
                tier: key.tier,
                retry_after_s: until_full_hour(now),
            },
        })?;
        let reservation = Reservation { key: Arc::clone(key), cost, taken_at: now };
        Ok((reservation, Allowance { limit: key.quota, left }))
    }

    /// Gives back what a call took that proved free of charge.
    pub fn give_back(&self, reservation: &Reservation) -> Allowance {
        self.quotas.give_back(reservation.key.id, reservation.cost, reservation.taken_at);
        self.allowance(&reservation.key)
    }

    /// The allowance of a key now.
    pub fn allowance(&self, key: &Key) -> Allowance {
        Allowance { limit: key.quota, left: self.quotas.left(key.id, key.quota, (self.clock)()) }
    }

    /// Takes up what the state file says of keys and counters.
    pub(super) fn follow(&self, store: &Store) -> Result<(), StateError> {
        let directory = Directory::new(&store.keys()?);
        self.quotas.follow(store.counters()?.into_iter().map(|row| row.counted));
        self.directory.store(Arc::new(directory));
        Ok(())
    }

    /// Writes what was counted since the last time; what cannot be written is kept for the next.
    pub(super) fn flush(&self, store: &mut Store) -> Result<(), StateError> {
        let deltas = self.quotas.pending((self.clock)());
        if deltas.is_empty() {
            return Ok(());
        }
        match store.count(&deltas) {
            Ok(counted) => {
                self.quotas.follow(counted);
                Ok(())
            }
            Err(error) => {
                self.quotas.put_back(&deltas);
                Err(error)
            }
        }
    }
}
