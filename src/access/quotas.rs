//! How often each key called, in its present day and hour. Counting is exact: a request takes its cost from both windows
//! in one step under the lock of its key's shard, or takes nothing; what proves free is given back.
//!
//! The file has the counts of all servers; here is what it said last, what was counted since, and what is leased.

use dashmap::DashMap;
use tokio::sync::oneshot::Receiver;

use super::key_counter::{KeyCounter, Report, Taken};
use crate::operation::Quota;
use crate::state::{Leased, Standing};

/// Counters by the number of their key.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    counters: DashMap<i64, KeyCounter>,
}

/// Which window has no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FullWindow {
    Day,
    Hour,
}

/// Why nothing was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Untaken {
    /// A window is used up.
    Full(FullWindow),
    /// What is left of a window is leased to others.
    Held(FullWindow),
    /// The lease is spent; the file is to be asked for more.
    Unleased,
}

/// What calls are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backing {
    /// The lease of this server: others count too, or may begin to.
    Lease,
    /// The quota as it is known here: nobody else counts.
    Memory,
}

/// What is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Take {
    pub quota: Quota,
    pub cost: u32,
    pub at: i64,
}

impl Quotas {
    /// Takes a cost from both windows, or nothing.
    pub(super) fn take(&self, key: i64, take: Take, backing: Backing) -> Result<Taken, Untaken> {
        self.counters.entry(key).or_default().take(take, backing)
    }

    /// Gives a cost back to the windows it was taken from at that moment, as far as they are still the present ones.
    pub(super) fn give_back(&self, key: i64, cost: u32, taken_at: i64) {
        self.counters.entry(key).or_default().give_back(cost, taken_at);
    }

    /// What is left of a key's allowance.
    pub(super) fn left(&self, key: i64, quota: Quota, at: i64) -> Quota {
        self.counters.get(&key).map_or(quota, |counter| counter.left_at(quota, at))
    }

    /// Waits for the next report of a key, which asks for so much.
    pub(super) fn wait(&self, key: i64, cost: u32) -> Receiver<()> {
        self.counters.entry(key).or_default().wait(cost)
    }

    /// What there is to report of some keys, or of all, where so many servers count.
    pub(super) fn reports(&self, keys: Option<&[i64]>, at: i64, servers: u32) -> Vec<Report> {
        match keys {
            Some(keys) => {
                let some = keys.iter().filter_map(|key| Some((*key, self.counters.get_mut(key)?)));
                some.filter_map(|(key, mut counter)| counter.report(key, at, servers)).collect()
            }
            None => {
                let open = self.counters.iter_mut().filter(|counter| !counter.is_settled());
                open.filter_map(|mut counter| {
                    let key = *counter.key();
                    counter.report(key, at, servers)
                })
                .collect()
            }
        }
    }

    /// Takes up how a report ended.
    pub(super) fn settle(&self, reports: &[Report], leased: &[Leased], at: i64) {
        let mut leased = leased.iter().peekable();
        for Report { ask, .. } in reports {
            let Some(mut counter) = self.counters.get_mut(&ask.used.key_id) else { continue };
            match leased.next_if(|leased| leased.standing.counted.key_id == ask.used.key_id) {
                Some(leased) => counter.settle(ask, leased, at),
                // The key is gone.
                None => counter.wake(),
            }
        }
    }

    /// Puts back what could not be written.
    pub(super) fn put_back(&self, reports: &[Report]) {
        for report in reports {
            self.counters.entry(report.ask.used.key_id).or_default().put_back(report);
        }
    }

    /// Gives back all leases with the next report.
    pub(super) fn release(&self) {
        self.counters.iter_mut().for_each(|mut counter| counter.release());
    }

    /// What was used of a key and not reported yet counts for the key that takes its place.
    pub(super) fn hand_over(&self, old: i64, new: i64) {
        let Some(unreported) = self.counters.get(&old).map(|counter| counter.unreported()) else { return };
        self.counters.entry(new).or_default().take_over(&unreported);
    }

    /// Follows what the file says.
    pub(super) fn follow(&self, standings: &[Standing]) {
        for standing in standings {
            self.counters.entry(standing.counted.key_id).or_default().follow(standing);
        }
    }

    /// Forgets everything: the file is another one.
    pub(super) fn clear(&self) {
        self.counters.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::super::clock::{NOON, Window};
    use super::*;
    use crate::state::{Counted, CountingServer, NewKey, Settled, Store};

    const QUOTA: Quota = Quota { day: 50, hour: 10 };

    fn left(day: u32, hour: u32) -> Quota {
        Quota { day, hour }
    }

    /// Takes from what is known here, as where nobody else counts.
    fn take(quotas: &Quotas, key: i64, quota: Quota, cost: u32, at: i64) -> Result<Quota, Untaken> {
        quotas.take(key, Take { quota, cost, at }, Backing::Memory).map(|taken| taken.left)
    }

    fn pending(quotas: &Quotas, at: i64) -> Vec<Report> {
        quotas.reports(None, at, 1)
    }

    fn counted(counted: Counted) -> [Standing; 1] {
        [Standing { counted, day_held: 0, hour_held: 0 }]
    }

    #[test]
    fn both_windows_are_taken_from_or_neither() {
        let quotas = Quotas::default();
        assert_eq!(take(&quotas, 1, QUOTA, 7, NOON), Ok(left(43, 3)));
        assert_eq!(take(&quotas, 1, QUOTA, 4, NOON), Err(Untaken::Full(FullWindow::Hour)));
        assert_eq!(take(&quotas, 1, QUOTA, 3, NOON), Ok(left(40, 0)));
        assert_eq!(take(&quotas, 1, QUOTA, 0, NOON), Ok(left(40, 0)));
        assert_eq!(take(&quotas, 2, QUOTA, 51, NOON), Err(Untaken::Full(FullWindow::Day)));
        assert_eq!(quotas.left(1, QUOTA, NOON + 3_599), left(40, 0));
        // The next hour is fresh, the day goes on; midnight makes both fresh.
        assert_eq!(quotas.left(1, QUOTA, NOON + 3_600), left(40, 10));
        assert_eq!(take(&quotas, 1, QUOTA, 1, NOON + 3_600), Ok(left(39, 9)));
        assert_eq!(quotas.left(1, QUOTA, NOON + 43_199), left(39, 10));
        assert_eq!(quotas.left(1, QUOTA, NOON + 43_200), left(50, 10));
    }

    #[test]
    fn what_was_taken_before_the_hour_is_not_given_back_to_the_next() {
        let quotas = Quotas::default();
        take(&quotas, 1, QUOTA, 1, NOON - 1).unwrap();
        take(&quotas, 1, QUOTA, 1, NOON).unwrap();
        quotas.give_back(1, 1, NOON - 1);
        assert_eq!(quotas.left(1, QUOTA, NOON), left(49, 9));
        quotas.give_back(1, 1, NOON);
        assert_eq!(quotas.left(1, QUOTA, NOON), left(50, 10));
    }

    #[test]
    fn a_clock_that_steps_back_a_little_gives_nothing_and_a_lot_begins_anew() {
        let quotas = Quotas::default();
        take(&quotas, 1, QUOTA, 5, NOON).unwrap();
        assert_eq!(quotas.left(1, QUOTA, NOON - 10), left(45, 5));
        assert_eq!(quotas.left(1, QUOTA, NOON - 86_400 * 400), left(50, 10));
    }

    #[test]
    fn a_thousand_at_once_on_fifty_are_fifty() {
        let quotas = Quotas::default();
        let taken = AtomicU32::new(0);
        let quota = left(50, 1_000);
        std::thread::scope(|scope| {
            for _ in 0..10 {
                scope.spawn(|| {
                    let got = (0..100).filter(|_| take(&quotas, 1, quota, 1, NOON).is_ok()).count();
                    taken.fetch_add(got as u32, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(taken.into_inner(), 50);
        assert_eq!(quotas.left(1, quota, NOON), left(0, 950));
    }

    #[test]
    fn the_file_is_followed_and_gets_each_count_once() {
        let quotas = Quotas::default();
        take(&quotas, 1, QUOTA, 2, NOON).unwrap();
        let used = pending(&quotas, NOON)[0].ask.used;
        assert_eq!((used.day_used, used.hour_used, used.total), (2, 2, 2));
        assert!(pending(&quotas, NOON).is_empty());
        // Another server counted 5; here one more was taken while the file was written.
        take(&quotas, 1, QUOTA, 1, NOON).unwrap();
        let Window { day, hour } = Window::of(NOON);
        quotas.follow(&counted(Counted { key_id: 1, day, day_used: 7, hour, hour_used: 7 }));
        assert_eq!(quotas.left(1, QUOTA, NOON), left(42, 2));
        // A write that failed is tried again with what came since.
        let lost = pending(&quotas, NOON);
        quotas.put_back(&lost);
        take(&quotas, 1, QUOTA, 1, NOON).unwrap();
        assert_eq!(pending(&quotas, NOON)[0].ask.used.day_used, 2);
    }

    #[test]
    fn an_old_row_of_the_file_turns_no_window_back() {
        let quotas = Quotas::default();
        take(&quotas, 1, QUOTA, 5, NOON).unwrap();
        let now = Window::of(NOON);
        for (days, hours) in [(0, 1), (0, 2), (1, 5), (2, 48), (400, 9_600)] {
            let (day, hour) = (now.day - days, now.hour - hours);
            quotas.follow(&counted(Counted { key_id: 1, day, day_used: 9, hour, hour_used: 9 }));
            // Of the same day the file's count holds, and what it does not have yet comes on top: 50 - 9 - 5.
            assert_eq!(quotas.left(1, QUOTA, NOON), left(36, 5), "{days} days, {hours} hours");
        }
        assert_eq!(pending(&quotas, NOON)[0].ask.used.day_used, 5);
    }

    #[test]
    fn what_is_written_late_is_of_the_present_window() {
        let quotas = Quotas::default();
        take(&quotas, 1, QUOTA, 5, NOON).unwrap();
        // The file could not be written for three hours.
        let late = pending(&quotas, NOON + 3 * 3_600)[0].ask.used;
        let now = Window::of(NOON + 3 * 3_600);
        assert_eq!((late.day, late.day_used, late.hour, late.hour_used), (now.day, 5, now.hour, 0));
        assert_eq!(late.total, 5);
    }

    /// Servers on one state file with one key.
    struct Servers {
        store: Store,
        quotas: Vec<Quotas>,
        _folder: tempfile::TempDir,
    }

    impl Servers {
        fn new(count: usize) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let mut store = Store::open(&folder.path().join("state.db")).unwrap();
            assert_eq!(store.insert_key(&NewKey::of_test(1)).unwrap(), 1);
            let numbers: Vec<i64> = (0..count).map(|_| store.enter_server(NOON).unwrap()).collect();
            assert_eq!(numbers, (1..=count as i64).collect::<Vec<_>>());
            Self { store, quotas: (0..count).map(|_| Quotas::default()).collect(), _folder: folder }
        }

        /// A server reports and asks, as its thread does.
        fn settle(&mut self, nth: usize, at: i64) {
            let (quotas, servers) = (&self.quotas[nth], self.quotas.len() as u32);
            let reports = quotas.reports(None, at, servers);
            let asks: Vec<_> = reports.iter().map(|report| report.ask).collect();
            let server = CountingServer { id: nth as i64 + 1, now: at, followed: i64::MAX };
            let Settled::Done { leased, .. } = self.store.settle(server, &asks, &[]).unwrap() else {
                panic!()
            };
            quotas.settle(&reports, &leased, at);
        }

        /// A call at a server, which asks for a lease where it has none.
        fn call(&mut self, nth: usize, quota: Quota, at: i64) -> Result<Quota, Untaken> {
            let take = Take { quota, cost: 1, at };
            let mut taken = self.quotas[nth].take(1, take, Backing::Lease);
            if taken == Err(Untaken::Unleased) {
                let _waits = self.quotas[nth].wait(1, 1);
                self.settle(nth, at);
                taken = self.quotas[nth].take(1, take, Backing::Lease);
            }
            taken.map(|taken| taken.left)
        }

        /// What the file has: used in the hour, and held by all.
        fn on_file(&mut self) -> (i64, i64) {
            let server = CountingServer { id: 0, now: 0, followed: 0 };
            let changes = self.store.changes_since(None, server).unwrap();
            (changes.counters[0].counted.hour_used, changes.counters[0].hour_held)
        }
    }

    #[test]
    fn a_server_that_is_alone_gives_all_of_a_quota_and_says_what_is_left() {
        let mut servers = Servers::new(1);
        for nth in 1..=10 {
            assert_eq!(servers.call(0, QUOTA, NOON), Ok(left(50 - nth, 10 - nth)));
        }
        assert_eq!(servers.call(0, QUOTA, NOON), Err(Untaken::Full(FullWindow::Hour)));
        // What proves free may be used again, reported or not.
        servers.quotas[0].give_back(1, 1, NOON);
        assert_eq!(servers.call(0, QUOTA, NOON), Ok(left(40, 0)));
        servers.settle(0, NOON);
        assert_eq!(servers.on_file(), (10, 0));
        servers.quotas[0].give_back(1, 2, NOON);
        assert_eq!(servers.call(0, QUOTA, NOON), Ok(left(41, 1)));
        assert_eq!(servers.call(0, QUOTA, NOON), Ok(left(40, 0)));
        assert_eq!(servers.call(0, QUOTA, NOON), Err(Untaken::Full(FullWindow::Hour)));
        // The next hour begins with a lease of its own, to the end of the day's quota.
        for hour in 1..=4 {
            let all = (0..10).all(|_| servers.call(0, QUOTA, NOON + 3_600 * hour).is_ok());
            assert!(all, "hour {hour}");
        }
        assert_eq!(servers.call(0, QUOTA, NOON + 5 * 3_600), Err(Untaken::Full(FullWindow::Day)));
    }

    #[test]
    fn several_servers_never_give_more_than_a_quota_whoever_is_killed() {
        let quota = left(500, 100);
        let mut servers = Servers::new(2);
        let mut given = 0;
        // The first is killed after some calls: what it held is lost, and no more.
        for _ in 0..7 {
            given += i64::from(servers.call(0, quota, NOON).is_ok());
        }
        let (used, held) = servers.on_file();
        assert!(used <= given && used + held >= given && held <= 12, "{used} {held}");
        servers.quotas[0] = Quotas::default();
        for _ in 0..200 {
            given += i64::from(servers.call(1, quota, NOON).is_ok());
        }
        assert!((100 - held..=100).contains(&given), "{given} {held}");
        assert_eq!(servers.call(1, quota, NOON), Err(Untaken::Held(FullWindow::Hour)));
    }

    #[test]
    fn what_is_leased_and_not_used_goes_back_in_two_seconds_and_with_the_hour() {
        let quota = left(500, 100);
        let mut servers = Servers::new(2);
        servers.call(0, quota, NOON).unwrap();
        assert_eq!(servers.on_file(), (0, 12));
        // Used all the time it is kept; idle for two seconds it is not.
        servers.settle(0, NOON + 1);
        assert_eq!(servers.on_file(), (1, 11));
        servers.settle(0, NOON + 2);
        assert_eq!(servers.on_file(), (1, 0));
        for _ in 0..99 {
            servers.call(1, quota, NOON + 2).unwrap();
        }
        servers.settle(1, NOON + 2);
        assert_eq!(servers.call(0, quota, NOON + 2), Err(Untaken::Full(FullWindow::Hour)));
        // At the turn of the hour nothing of the last is held.
        servers.call(0, quota, NOON + 3_600).unwrap();
        servers.settle(1, NOON + 3_600);
        let (used, held) = servers.on_file();
        assert!(used == 0 && (1..=12).contains(&held), "{used} {held}");
    }

    #[test]
    fn a_lease_is_refilled_before_it_is_spent() {
        let quota = left(5_000, 1_000);
        let mut servers = Servers::new(1);
        servers.call(0, quota, NOON).unwrap();
        let mut asked = 0;
        for _ in 0..200 {
            let taken = servers.quotas[0].take(1, Take { quota, cost: 1, at: NOON }, Backing::Lease);
            // No call waits.
            if taken.unwrap().asks {
                asked += 1;
                servers.settle(0, NOON);
            }
        }
        assert!((10..=15).contains(&asked), "{asked}");
    }

    #[test]
    fn what_is_not_metered_needs_no_lease() {
        let servers = Servers::new(1);
        let quota = left(super::super::UNMETERED, super::super::UNMETERED);
        let taken = servers.quotas[0].take(1, Take { quota, cost: 9, at: NOON }, Backing::Lease).unwrap();
        assert!(!taken.asks);
    }
}
