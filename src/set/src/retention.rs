//! Retention of sets by count and age. Files that no retained set lists are deleted.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::manifest::{Set, SetOrigin};
use super::public_lag::PublicLag;

/// The sets to retain: those of the newest contents, up to a count and an age, and those that the public sees or will see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Maximum number of contents. A set with the content of a newer one, such as after a rollback, does not count.
    pub sets: usize,
    /// Maximum age of a set since its publication.
    pub age: Duration,
    /// The lag of the public. The sets that the public needs are retained in addition.
    pub lag: PublicLag,
}

impl Default for Retention {
    fn default() -> Self {
        const RETAINED_DAYS: u64 = 60;
        Self { sets: 20, age: Duration::from_hours(RETAINED_DAYS * 24), lag: PublicLag::default() }
    }
}

impl Retention {
    /// Number of newest contents that are always retained, so that a rollback is always possible.
    const MIN_RETAINED: usize = 2;

    /// Returns the numbers of the sets to retain, from a market's sets, newest first. The newest derived set is always retained.
    pub(super) fn sets_to_retain(&self, sets: &[Set], now: DateTime<Utc>) -> BTreeSet<u64> {
        let newest_derived = sets.iter().find(|set| matches!(set.published.origin, SetOrigin::Derived));
        let mut retained: BTreeSet<u64> = newest_derived.iter().map(|set| set.number).collect();
        retained.extend(self.lag.sets_needed(sets, now));
        let mut contents = BTreeSet::new();
        for (newer_sets, set) in sets.iter().enumerate() {
            let is_young = (now - set.published.at).to_std().unwrap_or_default() <= self.age;
            let newer_contents = contents.len();
            let is_retained = if contents.insert(&set.id) {
                newer_contents < Self::MIN_RETAINED || (newer_contents < self.sets && is_young)
            } else {
                newer_sets < self.sets && is_young
            };
            retained.extend(is_retained.then_some(set.number));
        }
        retained
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::manifest::{FORMAT, Publication};
    use super::*;
    use parquote_catalogue::operation::Market;

    fn set(number: u64, id: &str, origin: SetOrigin, days: i64) -> Set {
        let at = Utc::now() - chrono::Duration::days(days);
        let published = Publication { at, by: "a test".to_owned(), origin, forced: false, first_at: None };
        let (tables, inbox) = (BTreeMap::new(), BTreeMap::new());
        let (format, market) = (FORMAT, Market::India);
        Set {
            format,
            market,
            number,
            id: id.to_owned(),
            as_of: None,
            published,
            tables,
            inbox,
            covered: BTreeMap::new(),
        }
    }

    #[test]
    fn equal_contents_take_no_place_and_the_derived_set_stays() {
        let keep = Retention { sets: 3, ..Retention::default() };
        // Alternates between two contents, then adds new ones.
        let back = (3..=40).map(|n| {
            let (to, id) = if n % 2 == 0 { (2, "b") } else { (1, "a") };
            set(n, id, SetOrigin::RolledBack { to }, 0)
        });
        let first = [set(1, "a", SetOrigin::Derived, 0), set(2, "b", SetOrigin::Inbox, 0)];
        let mut sets: Vec<Set> = first.into_iter().chain(back).collect();
        sets.reverse();
        assert_eq!(keep.sets_to_retain(&sets, Utc::now()), BTreeSet::from([1, 38, 39, 40]));
        for (number, id) in [(41, "c"), (42, "d"), (43, "e")] {
            sets.insert(0, set(number, id, SetOrigin::Inbox, 0));
        }
        assert_eq!(keep.sets_to_retain(&sets, Utc::now()), BTreeSet::from([1, 41, 42, 43]));
        let old = [
            set(3, "c", SetOrigin::Inbox, 90),
            set(2, "b", SetOrigin::Inbox, 90),
            set(1, "a", SetOrigin::Inbox, 90),
        ];
        assert_eq!(keep.sets_to_retain(&old, Utc::now()), BTreeSet::from([2, 3]));
    }

    #[test]
    fn the_sets_that_the_public_sees_and_will_see_are_retained() {
        let now = Utc::now();
        let today = now.with_timezone(&Market::India.time_zone()).date_naive();
        let daily = |number: u64, id: &str, days: u64| {
            let as_of = today.checked_sub_days(chrono::Days::new(days));
            Set { as_of, ..set(number, id, SetOrigin::Inbox, days.cast_signed()) }
        };
        let sets = [
            daily(10, "j", 0),
            daily(9, "i", 1),
            daily(8, "h", 3),
            daily(7, "g", 3),
            Set { as_of: None, ..daily(6, "f", 4) },
            daily(5, "e", 30),
            daily(4, "e", 30),
            daily(3, "c", 31),
            daily(2, "b", 40),
        ];
        let lag = |days| PublicLag::from_markets([crate::MarketLag { market: Market::India, days }]);
        let retained = |lag| Retention { sets: 1, age: Duration::ZERO, lag }.sets_to_retain(&sets, now);
        assert_eq!(retained(PublicLag::default()), BTreeSet::from([9, 10]));
        // The newest set of each future session, the set that is public today, and the content before it.
        assert_eq!(retained(lag(30)), BTreeSet::from([3, 5, 8, 9, 10]));
        assert_eq!(retained(lag(90)), BTreeSet::from([2, 3, 5, 8, 9, 10]));
        let us = PublicLag::from_markets([crate::MarketLag { market: Market::Us, days: 30 }]);
        assert_eq!(retained(us), BTreeSet::from([9, 10]));
    }
}
