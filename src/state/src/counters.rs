//! Usage counters of keys. Counts are written as differences, so that several servers may count the same keys.

use super::database::{self, Row, params, read_row};
use super::error::StateError;
use super::store::Store;

/// Use of a key since the last write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterDelta {
    /// Number of the key.
    pub key_id: i64,
    /// Day of `day_used`, as the caller numbers days.
    pub day: i64,
    /// Calls added in that day; negative after a refund.
    pub day_used: i64,
    /// Hour of `hour_used`, as the caller numbers hours.
    pub hour: i64,
    /// Calls added in that hour; negative after a refund.
    pub hour_used: i64,
    /// Calls added in total; negative after a refund.
    pub total: i64,
    /// Time of its last use, in Unix seconds.
    pub last_used_at: i64,
}

/// Use of a key in the newest day and hour, over all servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyUsage {
    /// Number of the key.
    pub key_id: i64,
    /// The newest day with a call, as the caller numbers days.
    pub day: i64,
    /// Number of calls in that day.
    pub day_used: i64,
    /// The newest hour with a call, as the caller numbers hours.
    pub hour: i64,
    /// Number of calls in that hour.
    pub hour_used: i64,
}

/// A counter, with the calls that other servers hold under leases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterStanding {
    /// The use so far.
    pub usage: KeyUsage,
    /// Calls that other servers hold for the day.
    pub day_held: i64,
    /// Calls that other servers hold for the hour.
    pub hour_held: i64,
}

/// The stored usage of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterRow {
    /// Use in the newest day and hour.
    pub usage: KeyUsage,
    /// Number of calls since the key was issued.
    pub total: i64,
    /// Time of its last use, in Unix seconds.
    pub last_used_at: i64,
}

/// Selects the calls that other servers hold for a counter's day and hour; `$server` is this server's number.
macro_rules! held_calls {
    ($server:literal) => {
        concat!(
            "(SELECT CAST(coalesce(sum(calls), 0) AS BIGINT) FROM leases WHERE leases.key_id = counters.key_id
              AND leases.server <> ", $server, " AND leases.day = counters.day) AS day_held,
             (SELECT CAST(coalesce(sum(calls), 0) AS BIGINT) FROM leases WHERE leases.key_id = counters.key_id
              AND leases.server <> ", $server, " AND leases.hour = counters.hour) AS hour_held"
        )
    };
}

/// Adds a [`CounterDelta`] and returns the counter with the calls that other servers hold; `?8` is this server's number. A newer window
/// replaces an older one. A count that is more than one window older starts again, too: the clock was corrected, and a wrong date must not
/// freeze a key for years. Returns no row for a deleted key.
pub(super) const ADD_USE: &str = concat!(
    "
INSERT INTO counters SELECT id, ?2, max(0, ?3), ?4, max(0, ?5), max(0, ?6), ?7 FROM keys WHERE id = ?1
ON CONFLICT (key_id) DO UPDATE SET
    day_used  = CASE WHEN ?2 = counters.day                                   THEN max(0, counters.day_used + ?3)
                     WHEN ?2 > counters.day OR ?2 < counters.day - 1          THEN max(0, ?3)
                     ELSE counters.day_used END,
    day       = CASE WHEN ?2 > counters.day OR ?2 < counters.day - 1          THEN ?2 ELSE counters.day END,
    hour_used = CASE WHEN ?4 = counters.hour                                  THEN max(0, counters.hour_used + ?5)
                     WHEN ?4 > counters.hour OR ?4 < counters.hour - 1        THEN max(0, ?5)
                     ELSE counters.hour_used END,
    hour      = CASE WHEN ?4 > counters.hour OR ?4 < counters.hour - 1        THEN ?4 ELSE counters.hour END,
    total     = max(0, counters.total + ?6),
    last_used_at = max(counters.last_used_at, ?7)
RETURNING key_id, day, day_used, hour, hour_used, ",
    held_calls!("?8")
);

/// Returns the calls of a quota that are neither used nor held by other servers; at least 0.
pub(super) fn remaining_calls(quota: u32, used: i64, held: i64) -> u32 {
    u32::try_from(i64::from(quota).saturating_sub(used).saturating_sub(held).max(0)).unwrap_or(u32::MAX)
}

impl Store {
    /// Returns the counters of all keys that were ever used.
    pub fn counters(&self) -> Result<Vec<CounterRow>, StateError> {
        let rows = self.connection.rows("SELECT * FROM counters ORDER BY key_id", params![], counter_row);
        rows.map_err(self.error_mapper())
    }
}

pub(super) fn counter_row(row: &Row<'_>) -> database::Result<CounterRow> {
    Ok(CounterRow {
        usage: read_key_usage(row)?,
        total: row.get("total")?,
        last_used_at: row.get("last_used_at")?,
    })
}

pub(super) fn read_key_usage(row: &Row<'_>) -> database::Result<KeyUsage> {
    read_row!(row => KeyUsage: key_id, day, day_used, hour, hour_used)
}

/// Selects the counters as one server sees them; `?2` is its number.
pub(super) const SELECT_STANDINGS: &str = concat!("SELECT counters.*, ", held_calls!("?2"), " FROM counters");

pub(super) fn standing_row(row: &Row<'_>) -> database::Result<CounterStanding> {
    Ok(CounterStanding {
        usage: read_key_usage(row)?,
        day_held: row.get("day_held")?,
        hour_held: row.get("hour_held")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CountingServer, LeaseOutcome, LeaseRequest, NewKey, UseDelta};

    const SERVER: CountingServer = CountingServer { id: 0, now: 0, last_read_change: i64::MAX };

    #[test]
    fn differences_add_up_and_newer_windows_start_at_zero() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("state.db")).unwrap();
        let key_id = store.insert_key(&NewKey::of_test(1)).unwrap();
        let mut add = |day, day_used, hour, hour_used| {
            let delta =
                CounterDelta { key_id, day, day_used, hour, hour_used, total: day_used, last_used_at: hour };
            let asks =
                [LeaseRequest::of_test(delta), LeaseRequest::of_test(CounterDelta { key_id: 99, ..delta })];
            let LeaseOutcome::Done { leased, .. } = store.settle(SERVER, &asks, &[]).unwrap() else {
                panic!()
            };
            assert_eq!(leased.len(), 1);
            let counted = leased[0].standing.usage;
            (counted.day, counted.day_used, counted.hour, counted.hour_used)
        };
        assert_eq!(add(10, 4, 240, 4), (10, 4, 240, 4));
        assert_eq!(add(10, 3, 241, 3), (10, 7, 241, 3));
        // A refund of the hour before does not change the new hour.
        assert_eq!(add(10, -1, 240, -1), (10, 6, 241, 3));
        assert_eq!(add(11, 1, 264, 1), (11, 1, 264, 1));
        assert_eq!(add(11, -9, 264, -9), (11, 0, 264, 0));
        // A clock that was years ahead is corrected.
        assert_eq!(add(900, 5, 21_600, 5), (900, 5, 21_600, 5));
        assert_eq!(add(11, 2, 264, 2), (11, 2, 264, 2));
        let row = store.counters().unwrap()[0];
        // 4 + 3 - 1 + 1 = 7, never below 0, then 5 + 2.
        assert_eq!((row.total, row.last_used_at), (7, 21_600));
        let called =
            |key_id, day, calls| UseDelta { key_id, day, operation: "a/b".into(), calls, refused: 1 };
        for deltas in [[called(key_id, 3, 5), called(99, 3, 5)], [called(key_id, 3, 2), called(key_id, 2, 1)]]
        {
            store.settle(SERVER, &[], &deltas).unwrap();
        }
        let usage = store.usage(None, 0).unwrap();
        let rows: Vec<_> = usage.iter().map(|row| (row.day, row.calls, row.refused)).collect();
        assert_eq!(rows, [(2, 1, 1), (3, 7, 2)]);
        assert_eq!(store.usage(Some("A"), 3).unwrap().len(), 1);
        assert!(store.usage(Some("B"), 0).unwrap().is_empty());
    }
}
