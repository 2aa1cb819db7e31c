//! How many sets are kept, and for how long. Files that no kept set lists are deleted.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::manifest::{Set, SetOrigin};

/// Which sets are kept: those of the newest so many contents, as long as they are young enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// How many at most. A set with the content of a newer one, as a rollback leaves it, takes no place of another's.
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
    /// The newest content is always kept, and the one before it: there is always one to go back to.
    const ALWAYS: usize = 2;

    /// Which of a market's sets are kept, by number. They come newest first. The newest set that was derived is always kept.
    pub(super) fn kept(&self, sets: &[Set], now: DateTime<Utc>) -> BTreeSet<u64> {
        let newest_derived = sets.iter().find(|set| matches!(set.published.origin, SetOrigin::Derived));
        let mut kept: BTreeSet<u64> = newest_derived.iter().map(|set| set.number).collect();
        let mut contents = BTreeSet::new();
        for (newer, set) in sets.iter().enumerate() {
            let is_young = (now - set.published.at).to_std().unwrap_or_default() <= self.age;
            let before = contents.len();
            let is_kept = if contents.insert(&set.id) {
                before < Self::ALWAYS || (before < self.sets && is_young)
            } else {
                newer < self.sets && is_young
            };
            kept.extend(is_kept.then_some(set.number));
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::manifest::{FORMAT, Publication};
    use super::*;
    use crate::operation::Market;

    fn set(number: u64, id: &str, origin: SetOrigin, days: i64) -> Set {
        let at = Utc::now() - chrono::Duration::days(days);
        let published = Publication { at, by: "a test".to_owned(), origin, forced: false, first_at: None };
        let (tables, inbox) = (BTreeMap::new(), BTreeMap::new());
        let (format, market) = (FORMAT, Market::India);
        Set { format, market, number, id: id.to_owned(), as_of: None, published, tables, inbox }
    }

    #[test]
    fn equal_contents_take_no_place_and_the_derived_set_stays() {
        let keep = Retention { sets: 3, ..Retention::default() };
        // Back and forth between two contents, then new ones.
        let back = (3..=40).map(|n| {
            let (to, id) = if n % 2 == 0 { (2, "b") } else { (1, "a") };
            set(n, id, SetOrigin::RolledBack { to }, 0)
        });
        let first = [set(1, "a", SetOrigin::Derived, 0), set(2, "b", SetOrigin::Inbox, 0)];
        let mut sets: Vec<Set> = first.into_iter().chain(back).collect();
        sets.reverse();
        assert_eq!(keep.kept(&sets, Utc::now()), BTreeSet::from([1, 38, 39, 40]));
        for (number, id) in [(41, "c"), (42, "d"), (43, "e")] {
            sets.insert(0, set(number, id, SetOrigin::Inbox, 0));
        }
        assert_eq!(keep.kept(&sets, Utc::now()), BTreeSet::from([1, 41, 42, 43]));
        let old = [
            set(3, "c", SetOrigin::Inbox, 90),
            set(2, "b", SetOrigin::Inbox, 90),
            set(1, "a", SetOrigin::Inbox, 90),
        ];
        assert_eq!(keep.kept(&old, Utc::now()), BTreeSet::from([2, 3]));
    }
}
