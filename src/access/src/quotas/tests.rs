//! Tests of counting. The time is an argument, and servers on one state are several `Quotas` that report in turn.

use std::sync::atomic::{AtomicU32, Ordering};

use super::super::clock::{NOON, Window};
use super::super::key_counter::FullWindow;
use super::*;
use crate::on_postgres::{new_key, state_at};
use parquote_state::{CountingServer, KeyUsage, LeaseOutcome, Store};

const QUOTA: Quota = Quota { day: 50, hour: 10 };

fn left(day: u32, hour: u32) -> Quota {
    Quota { day, hour }
}

/// Takes a cost from memory, as a single server does.
fn take(quotas: &Quotas, key: i64, quota: Quota, cost: u32, at: i64) -> Result<Quota, TakeError> {
    quotas.take_cost(key, Charge { quota, cost, at }, Backing::Memory).map(|taken| taken.left)
}

fn pending(quotas: &Quotas, at: i64) -> Vec<UsageReport> {
    quotas.reports(None, at, 1)
}

fn counted(usage: KeyUsage) -> [CounterStanding; 1] {
    [CounterStanding { usage, day_held: 0, hour_held: 0 }]
}

#[test]
fn both_windows_are_taken_from_or_neither() {
    let quotas = Quotas::default();
    assert_eq!(take(&quotas, 1, QUOTA, 7, NOON), Ok(left(43, 3)));
    assert_eq!(take(&quotas, 1, QUOTA, 4, NOON), Err(TakeError::Full(FullWindow::Hour)));
    assert_eq!(take(&quotas, 1, QUOTA, 3, NOON), Ok(left(40, 0)));
    assert_eq!(take(&quotas, 1, QUOTA, 0, NOON), Ok(left(40, 0)));
    assert_eq!(take(&quotas, 2, QUOTA, 51, NOON), Err(TakeError::Full(FullWindow::Day)));
    assert_eq!(quotas.remaining(1, QUOTA, NOON + 3_599), left(40, 0));
    // The next hour starts empty, the day continues; midnight resets both.
    assert_eq!(quotas.remaining(1, QUOTA, NOON + 3_600), left(40, 10));
    assert_eq!(take(&quotas, 1, QUOTA, 1, NOON + 3_600), Ok(left(39, 9)));
    assert_eq!(quotas.remaining(1, QUOTA, NOON + 43_199), left(39, 10));
    assert_eq!(quotas.remaining(1, QUOTA, NOON + 43_200), left(50, 10));
}

#[test]
fn what_was_taken_before_the_hour_is_not_given_back_to_the_next() {
    let quotas = Quotas::default();
    take(&quotas, 1, QUOTA, 1, NOON - 1).unwrap();
    take(&quotas, 1, QUOTA, 1, NOON).unwrap();
    quotas.refund(1, 1, NOON - 1);
    assert_eq!(quotas.remaining(1, QUOTA, NOON), left(49, 9));
    quotas.refund(1, 1, NOON);
    assert_eq!(quotas.remaining(1, QUOTA, NOON), left(50, 10));
}

#[test]
fn a_clock_that_steps_back_a_little_gives_nothing_and_a_lot_begins_anew() {
    let quotas = Quotas::default();
    take(&quotas, 1, QUOTA, 5, NOON).unwrap();
    assert_eq!(quotas.remaining(1, QUOTA, NOON - 10), left(45, 5));
    assert_eq!(quotas.remaining(1, QUOTA, NOON - 86_400 * 400), left(50, 10));
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
    assert_eq!(quotas.remaining(1, quota, NOON), left(0, 950));
}

#[test]
fn the_file_is_followed_and_gets_each_count_once() {
    let quotas = Quotas::default();
    take(&quotas, 1, QUOTA, 2, NOON).unwrap();
    let used = pending(&quotas, NOON)[0].request.used;
    assert_eq!((used.day_used, used.hour_used, used.total), (2, 2, 2));
    assert!(pending(&quotas, NOON).is_empty());
    // Another server counted 5; one more was taken here during the write.
    take(&quotas, 1, QUOTA, 1, NOON).unwrap();
    let Window { day, hour } = Window::from_unix(NOON);
    quotas.apply_standings(&counted(KeyUsage { key_id: 1, day, day_used: 7, hour, hour_used: 7 }));
    assert_eq!(quotas.remaining(1, QUOTA, NOON), left(42, 2));
    // A failed write is retried with the use since.
    let lost = pending(&quotas, NOON);
    quotas.put_back(&lost);
    take(&quotas, 1, QUOTA, 1, NOON).unwrap();
    assert_eq!(pending(&quotas, NOON)[0].request.used.day_used, 2);
}

#[test]
fn an_old_row_of_the_file_turns_no_window_back() {
    let quotas = Quotas::default();
    take(&quotas, 1, QUOTA, 5, NOON).unwrap();
    let now = Window::from_unix(NOON);
    for (days, hours) in [(0, 1), (0, 2), (1, 5), (2, 48), (400, 9_600)] {
        let (day, hour) = (now.day - days, now.hour - hours);
        quotas.apply_standings(&counted(KeyUsage { key_id: 1, day, day_used: 9, hour, hour_used: 9 }));
        // On the same day the state's count applies, plus unreported use: 50 - 9 - 5.
        assert_eq!(quotas.remaining(1, QUOTA, NOON), left(36, 5), "{days} days, {hours} hours");
    }
    assert_eq!(pending(&quotas, NOON)[0].request.used.day_used, 5);
}

#[test]
fn what_is_written_late_is_of_the_present_window() {
    let quotas = Quotas::default();
    take(&quotas, 1, QUOTA, 5, NOON).unwrap();
    // The state could not be written for three hours.
    let late = pending(&quotas, NOON + 3 * 3_600)[0].request.used;
    let now = Window::from_unix(NOON + 3 * 3_600);
    assert_eq!((late.day, late.day_used, late.hour, late.hour_used), (now.day, 5, now.hour, 0));
    assert_eq!(late.total, 5);
}

/// Servers on one state with one key.
struct Servers {
    store: Store,
    quotas: Vec<Quotas>,
    _folder: tempfile::TempDir,
}

impl Servers {
    fn new(count: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(state_at(&folder.path().join("state.db"))).unwrap();
        assert_eq!(store.insert_key(&new_key(1)).unwrap(), 1);
        let numbers: Vec<i64> = (0..count).map(|_| store.enter_server(NOON).unwrap()).collect();
        assert_eq!(numbers, (1..=count as i64).collect::<Vec<_>>());
        Self { store, quotas: (0..count).map(|_| Quotas::default()).collect(), _folder: folder }
    }

    /// Reports and requests leases for one server, as its sync thread does.
    fn settle(&mut self, nth: usize, at: i64) {
        let (quotas, servers) = (&self.quotas[nth], self.quotas.len() as u32);
        let reports = quotas.reports(None, at, servers);
        let requests: Vec<_> = reports.iter().map(|report| report.request).collect();
        let server = CountingServer { id: nth as i64 + 1, now: at, last_read_change: i64::MAX };
        let LeaseOutcome::Done { leased, .. } = self.store.settle(server, &requests, &[]).unwrap() else {
            panic!()
        };
        quotas.settle(&reports, &leased, at);
    }

    /// Calls at a server, requesting a lease if it has none.
    fn call(&mut self, nth: usize, quota: Quota, at: i64) -> Result<Quota, TakeError> {
        let take = Charge { quota, cost: 1, at };
        let mut taken = self.quotas[nth].take_cost(1, take, Backing::Lease);
        if taken == Err(TakeError::Unleased) {
            let _waits = self.quotas[nth].wait(1, 1);
            self.settle(nth, at);
            taken = self.quotas[nth].take_cost(1, take, Backing::Lease);
        }
        taken.map(|taken| taken.left)
    }

    /// Returns the state's counts: use in the hour, and calls held by all.
    fn stored_counts(&mut self) -> (i64, i64) {
        let server = CountingServer { id: 0, now: 0, last_read_change: 0 };
        let changes = self.store.changes_since(None, server).unwrap();
        (changes.counters[0].usage.hour_used, changes.counters[0].hour_held)
    }
}

#[test]
fn a_server_that_is_alone_gives_all_of_a_quota_and_says_what_is_left() {
    let mut servers = Servers::new(1);
    for nth in 1..=10 {
        assert_eq!(servers.call(0, QUOTA, NOON), Ok(left(50 - nth, 10 - nth)));
    }
    assert_eq!(servers.call(0, QUOTA, NOON), Err(TakeError::Full(FullWindow::Hour)));
    // Refunded calls may be used again, reported or not.
    servers.quotas[0].refund(1, 1, NOON);
    assert_eq!(servers.call(0, QUOTA, NOON), Ok(left(40, 0)));
    servers.settle(0, NOON);
    assert_eq!(servers.stored_counts(), (10, 0));
    servers.quotas[0].refund(1, 2, NOON);
    assert_eq!(servers.call(0, QUOTA, NOON), Ok(left(41, 1)));
    assert_eq!(servers.call(0, QUOTA, NOON), Ok(left(40, 0)));
    assert_eq!(servers.call(0, QUOTA, NOON), Err(TakeError::Full(FullWindow::Hour)));
    // Each hour begins with a new lease, until the day's quota ends.
    for hour in 1..=4 {
        let all = (0..10).all(|_| servers.call(0, QUOTA, NOON + 3_600 * hour).is_ok());
        assert!(all, "hour {hour}");
    }
    assert_eq!(servers.call(0, QUOTA, NOON + 5 * 3_600), Err(TakeError::Full(FullWindow::Day)));
}

#[test]
fn several_servers_never_give_more_than_a_quota_whoever_is_killed() {
    let quota = left(500, 100);
    let mut servers = Servers::new(2);
    let mut given = 0;
    // The first server is killed after some calls: only its lease is lost.
    for _ in 0..7 {
        given += i64::from(servers.call(0, quota, NOON).is_ok());
    }
    let (used, held) = servers.stored_counts();
    assert!(used <= given && used + held >= given && held <= 12, "{used} {held}");
    servers.quotas[0] = Quotas::default();
    for _ in 0..200 {
        given += i64::from(servers.call(1, quota, NOON).is_ok());
    }
    assert!((100 - held..=100).contains(&given), "{given} {held}");
    assert_eq!(servers.call(1, quota, NOON), Err(TakeError::Held(FullWindow::Hour)));
}

#[test]
fn what_is_leased_and_not_used_goes_back_in_two_seconds_and_with_the_hour() {
    let quota = left(500, 100);
    let mut servers = Servers::new(2);
    servers.call(0, quota, NOON).unwrap();
    assert_eq!(servers.stored_counts(), (0, 12));
    // A used lease is retained; after two idle seconds it is returned.
    servers.settle(0, NOON + 1);
    assert_eq!(servers.stored_counts(), (1, 11));
    servers.settle(0, NOON + 2);
    assert_eq!(servers.stored_counts(), (1, 0));
    for _ in 0..99 {
        servers.call(1, quota, NOON + 2).unwrap();
    }
    servers.settle(1, NOON + 2);
    assert_eq!(servers.call(0, quota, NOON + 2), Err(TakeError::Full(FullWindow::Hour)));
    // After the turn of the hour, leases of the past one are gone. The other server was not seen for that long, so this one is alone.
    servers.call(0, quota, NOON + 3_600).unwrap();
    servers.settle(1, NOON + 3_600);
    assert_eq!(servers.stored_counts(), (0, 25));
}

#[test]
fn a_lease_is_refilled_before_it_is_spent() {
    let quota = left(5_000, 1_000);
    let mut servers = Servers::new(1);
    servers.call(0, quota, NOON).unwrap();
    let mut requested = 0;
    for _ in 0..200 {
        let taken = servers.quotas[0].take_cost(1, Charge { quota, cost: 1, at: NOON }, Backing::Lease);
        // No call waits.
        if taken.unwrap().needs_refill {
            requested += 1;
            servers.settle(0, NOON);
        }
    }
    assert!((10..=15).contains(&requested), "{requested}");
}

#[test]
fn nobody_is_refused_for_calls_that_go_back_at_this_moment() {
    let quota = left(50, 50);
    let mut servers = Servers::new(1);
    let take = |servers: &Servers| {
        servers.quotas[0].take_cost(1, Charge { quota, cost: 1, at: NOON }, Backing::Lease).map(drop)
    };
    assert_eq!(take(&servers), Err(TakeError::Unleased));
    // More calls wait than are left: all that is left is leased.
    let _wait: Vec<_> = (0..60).map(|_| servers.quotas[0].wait(1, 1)).collect();
    servers.settle(0, NOON);
    assert_eq!(take(&servers), Ok(()));
    let reports = servers.quotas[0].reports(None, NOON, 1);
    let given = (0..60).take_while(|_| take(&servers).is_ok()).count();
    assert_eq!((given, take(&servers)), (12, Err(TakeError::Unleased)));
    servers.quotas[0].put_back(&reports);
    assert_eq!((0..60).take_while(|_| take(&servers).is_ok()).count(), 37);
    assert_eq!(take(&servers), Err(TakeError::Full(FullWindow::Day)));
}

#[test]
fn what_is_not_metered_needs_no_lease() {
    let servers = Servers::new(1);
    let quota = left(super::super::UNMETERED, super::super::UNMETERED);
    let taken = servers.quotas[0].take_cost(1, Charge { quota, cost: 9, at: NOON }, Backing::Lease).unwrap();
    assert!(!taken.needs_refill);
}
