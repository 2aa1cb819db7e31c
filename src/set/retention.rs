//! How many sets are kept, and for how long. Files that no kept set lists are deleted.

use std::time::Duration;

use chrono::{DateTime, Utc};

use super::manifest::Set;

/// Which sets are kept: the newest so many, as long as they are young enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// How many at most.
    pub sets: usize,
    /// How old a set may grow.
    pub age: Duration,
}

impl Default for Retention {
    fn default() -> Self {
        const DAYS: u64 = 60;
        Self { sets: 20, age: Duration::from_hours(DAYS * 24) }
    }
}

impl Retention {
    /// The newest set is always kept, and the one before it: there is always one to go back to.
    const ALWAYS: usize = 2;

    /// Whether a set is kept that so many newer ones have followed.
    pub(super) fn keeps(&self, set: &Set, newer: usize, now: DateTime<Utc>) -> bool {
        let age = (now - set.published.at).to_std().unwrap_or_default();
        newer < Self::ALWAYS || (newer < self.sets && age <= self.age)
    }
}
