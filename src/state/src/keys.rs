//! API keys in the state: reads and changes. Tiers and expiry times are stored here but not interpreted.

use super::counters::{CounterRow, counter_row};
use super::database::{self, Optional as _, Transaction, params};
use super::error::StateError;
use super::jobs::copy_run_counts;
use super::key_row::{APP_HINT, GUEST_HINT, KeyRow, NewKey, key_row};
use super::leases::copy_leases;
use super::store::Store;
use super::web_sessions::end_sessions_of;

impl Store {
    /// Returns all keys, oldest first, including revoked and expired ones.
    pub fn keys(&self) -> Result<Vec<KeyRow>, StateError> {
        let rows = self.connection.rows("SELECT * FROM keys ORDER BY id", params![], key_row);
        rows.map_err(self.error_mapper())
    }

    /// Returns the newest keys of one owner or of all, `most` at most, including revoked and expired ones; each with its counter, or `None`
    /// if it was never used.
    pub fn newest_keys(
        &self,
        owner: Option<&str>,
        most: u32,
    ) -> Result<Vec<(KeyRow, Option<CounterRow>)>, StateError> {
        const ALL: &str = "SELECT * FROM keys LEFT JOIN counters ON key_id = id";
        let of_owner = if owner.is_some() { "WHERE owner = ?1" } else { "WHERE ?1 IS NULL" };
        let sql = format!("{ALL} {of_owner} ORDER BY id DESC LIMIT ?2");
        let rows = self.connection.rows(&sql, params![owner, most], |row| {
            let is_used = row.get::<_, Option<i64>>("key_id")?.is_some();
            Ok((key_row(row)?, is_used.then(|| counter_row(row)).transpose()?))
        });
        rows.map_err(self.error_mapper())
    }

    /// Stores a key and returns its number.
    pub fn insert_key(&mut self, key: &NewKey) -> Result<i64, StateError> {
        self.write(|transaction| insert_key(transaction, key))
    }

    /// Returns the number of the guests' key: the oldest that works, or else `new`, which is then stored. Servers that start concurrently
    /// get the same key. It gets the number 0 if that is free, so that keys of people begin with 1.
    pub fn guest_key(&mut self, new: &NewKey) -> Result<i64, StateError> {
        const GUEST_KEY: &str = "SELECT id FROM keys WHERE hint = ?1 AND revoked_at IS NULL
                               AND (expires_at IS NULL OR expires_at > ?2) ORDER BY id LIMIT 1";
        const FREE: &str = "SELECT NOT EXISTS (SELECT 1 FROM keys WHERE id = 0)";
        self.write(|transaction| {
            let working = params![GUEST_HINT, new.created_at];
            if let Some(id) = transaction.query_row(GUEST_KEY, working, |row| row.get(0)).optional()? {
                return Ok(id);
            }
            let is_free: bool = transaction.query_row(FREE, params![], |row| row.get(0))?;
            insert_as(transaction, new, is_free.then_some(0))
        })
    }

    /// Stores a key if there is none yet except that of guests, and returns its number; otherwise `None`. Of concurrent calls, one
    /// succeeds.
    pub fn insert_first_key(&mut self, key: &NewKey) -> Result<Option<i64>, StateError> {
        self.write(|transaction| {
            const NONE: &str = "SELECT NOT EXISTS (SELECT 1 FROM keys WHERE hint <> ?1)";
            let is_first: bool = transaction.query_row(NONE, [GUEST_HINT], |row| row.get(0))?;
            if is_first { insert_key(transaction, key).map(Some) } else { Ok(None) }
        })
    }

    /// Revokes a key and its descendants, and ends their sessions. Returns `false` if there is no such key or it is already revoked.
    pub fn revoke_key(&mut self, id: i64, at: i64) -> Result<bool, StateError> {
        self.write(|transaction| revoke_key(transaction, id, at))
    }

    /// Returns a key by its number; `None` if there is none.
    pub fn key(&self, id: i64) -> Result<Option<KeyRow>, StateError> {
        self.connection
            .query_row("SELECT * FROM keys WHERE id = ?1", [id], key_row)
            .optional()
            .map_err(self.error_mapper())
    }
}

/// Counts the working keys of an owner: those of apps, or all others.
pub(super) fn count_working(
    transaction: &Transaction<'_>,
    owner: &str,
    is_app: bool,
    now: i64,
) -> database::Result<u32> {
    const SQL: &str =
        "SELECT count(*) FROM keys WHERE owner = ?1 AND CASE WHEN hint = ?2 THEN 1 ELSE 0 END = ?3
                       AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?4)";
    transaction.query_row(SQL, params![owner, APP_HINT, is_app, now], |row| row.get(0))
}

/// Revokes a key and all its descendants, and ends their sessions. Returns `false` if there is no such key or it is already revoked.
pub(super) fn revoke_key(transaction: &Transaction<'_>, id: i64, at: i64) -> database::Result<bool> {
    const REVOKE: &str = "UPDATE keys SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";
    const KEYS_BELOW: &str = "WITH RECURSIVE below (id) AS (
                             SELECT id FROM keys WHERE parent = ?1
                             UNION SELECT keys.id FROM keys JOIN below ON keys.parent = below.id)
                         SELECT id FROM below";
    if transaction.execute(REVOKE, params![id, at])? == 0 {
        return Ok(false);
    }
    end_sessions_of(transaction, id)?;
    for descendant in transaction.rows(KEYS_BELOW, [id], |row| row.get::<_, i64>(0))? {
        transaction.execute(REVOKE, params![descendant, at])?;
        end_sessions_of(transaction, descendant)?;
    }
    Ok(true)
}

/// Replaces a key and returns the number of the new one; `None` if there is no such key or it is revoked. The new key becomes the parent of
/// the old key and of its children, so that old and new share one quota until the old one ends. Sessions of the old key end at once.
pub(super) fn replace_key(
    transaction: &Transaction<'_>,
    old: i64,
    new: &NewKey,
    until: i64,
) -> database::Result<Option<i64>> {
    const END: &str = "UPDATE keys SET revoked_at = CASE WHEN ?2 <= ?3 THEN ?3 END,
                           expires_at = CASE WHEN ?2 <= ?3 THEN expires_at ELSE min(coalesce(expires_at, ?2), ?2) END
                       WHERE id = ?1 AND revoked_at IS NULL";
    const COPY_COUNTERS: &str = "INSERT INTO counters
                         SELECT ?2, day, day_used, hour, hour_used, 0, last_used_at FROM counters WHERE key_id = ?1";
    const HAND_OVER: &str = "UPDATE keys SET parent = ?2 WHERE parent = ?1 OR id = ?1";
    if transaction.execute(END, params![old, until, new.created_at])? == 0 {
        return Ok(None);
    }
    let id = insert_key(transaction, new)?;
    transaction.execute(COPY_COUNTERS, params![old, id])?;
    copy_leases(transaction, old, id)?;
    transaction.execute(HAND_OVER, params![old, id])?;
    copy_run_counts(transaction, old, id)?;
    end_sessions_of(transaction, old)?;
    Ok(Some(id))
}

pub(super) fn insert_key(transaction: &Transaction<'_>, key: &NewKey) -> database::Result<i64> {
    insert_as(transaction, key, None)
}

/// Stores a key under a number, or under the next number for `None`; returns the number.
fn insert_as(transaction: &Transaction<'_>, key: &NewKey, id: Option<i64>) -> database::Result<i64> {
    const COLUMNS: &str =
        "hash, hint, tier, owner, note, quota_day, quota_hour, created_at, expires_at, is_admin,
                           parent, may_account";
    const VALUES: &str = "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12";
    let mut values = params![
        key.hash, key.hint, key.tier, key.owner, key.note, key.quota_day, key.quota_hour, key.created_at,
        key.expires_at, key.is_admin, key.parent, key.may_account,
    ]
    .to_vec();
    let sql = match &id {
        None => format!("INSERT INTO keys ({COLUMNS}) VALUES ({VALUES}) RETURNING id"),
        Some(id) => {
            values.push(id);
            format!("INSERT INTO keys ({COLUMNS}, id) VALUES ({VALUES}, ?13) RETURNING id")
        }
    };
    transaction.query_row(&sql, values.as_slice(), |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CounterDelta, CountingServer, LeaseRequest};

    fn new(byte: u8) -> NewKey {
        NewKey { quota_hour: Some(7), created_at: 1_000, ..NewKey::of_test(byte) }
    }

    impl Store {
        /// Replaces a key without a line in the activity log.
        pub(crate) fn replace_key(
            &mut self,
            old: i64,
            new: &NewKey,
            until: i64,
        ) -> Result<Option<i64>, StateError> {
            self.write(|transaction| replace_key(transaction, old, new, until))
        }
    }

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("state.db")).unwrap();
        (folder, store)
    }

    #[test]
    fn the_first_key_is_stored_once() {
        let (_folder, mut store) = store();
        assert_eq!(store.insert_first_key(&new(1)).unwrap(), Some(1));
        assert_eq!(store.insert_first_key(&new(2)).unwrap(), None);
        let keys = store.keys().unwrap();
        assert_eq!((keys.len(), keys[0].hash, keys[0].quota_hour), (1, [1; 32], Some(7)));
    }

    #[test]
    fn what_is_made_first_is_made_once_by_all_that_start_at_once() {
        const STARTS: u8 = 8;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let begin = std::sync::Barrier::new(usize::from(STARTS));
        let made: Vec<(i64, Option<i64>)> = std::thread::scope(|threads| {
            let start = |byte: u8| {
                let (path, begin) = (&path, &begin);
                threads.spawn(move || {
                    begin.wait();
                    let mut store = Store::open(path).unwrap();
                    let guest = NewKey { hint: GUEST_HINT.to_owned(), ..new(byte) };
                    let guest = store.guest_key(&guest).unwrap();
                    (guest, store.insert_first_key(&new(100 + byte)).unwrap())
                })
            };
            let starts: Vec<_> = (1..=STARTS).map(start).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        assert!(made.iter().all(|(guest, _)| *guest == 0), "{made:?}");
        assert_eq!(made.iter().filter(|(_, first)| first.is_some()).count(), 1, "{made:?}");
        let mut store = Store::open(&path).unwrap();
        assert_eq!(store.keys().unwrap().len(), 2);
        // After a revocation, the next one gets a new number.
        store.revoke_key(0, 1_000).unwrap();
        let next = store.guest_key(&NewKey { hint: GUEST_HINT.to_owned(), ..new(90) }).unwrap();
        assert!(next > 1, "{next}");
        assert_eq!(store.guest_key(&NewKey { hint: GUEST_HINT.to_owned(), ..new(91) }).unwrap(), next);
    }

    #[test]
    fn a_key_is_revoked_once_and_others_see_that_something_changed() {
        let (folder, mut store) = store();
        let watcher = Store::open(&folder.path().join("state.db")).unwrap();
        let before = watcher.version_of_others().unwrap();
        let id = store.insert_key(&new(1)).unwrap();
        assert_ne!(watcher.version_of_others().unwrap(), before);
        assert!(store.revoke_key(id, 2_000).unwrap());
        assert!(!store.revoke_key(id, 3_000).unwrap());
        assert!(!store.revoke_key(99, 3_000).unwrap());
        assert_eq!(watcher.key(id).unwrap().unwrap().revoked_at, Some(2_000));
    }

    #[test]
    fn a_replaced_key_ends_now_or_later_and_hands_on_what_it_used() {
        let (_folder, mut store) = store();
        let id = store.insert_key(&new(1)).unwrap();
        let used = CounterDelta {
            key_id: id,
            day: 5,
            day_used: 3,
            hour: 50,
            hour_used: 2,
            total: 3,
            last_used_at: 900,
        };
        let server = CountingServer { id: 1, now: 0, last_read_change: i64::MAX };
        store.settle(server, &[LeaseRequest::of_test(used)], &[]).unwrap();
        let second = store.replace_key(id, &new(2), 1_500).unwrap().unwrap();
        let old = store.key(id).unwrap().unwrap();
        assert_eq!((old.revoked_at, old.expires_at), (None, Some(1_500)));
        let third = store.replace_key(second, &new(3), 1_000).unwrap().unwrap();
        assert_eq!(store.key(second).unwrap().unwrap().revoked_at, Some(1_000));
        let counters = store.counters().unwrap();
        let of_third = counters.iter().find(|row| row.usage.key_id == third).unwrap();
        assert_eq!((of_third.usage.day_used, of_third.usage.hour_used, of_third.total), (3, 2, 0));
        assert_eq!(store.replace_key(second, &new(4), 1_000).unwrap(), None);
    }

    #[test]
    fn keys_that_live_by_another_move_with_it_and_are_revoked_with_it() {
        let (_folder, mut store) = store();
        let first = store.insert_key(&new(1)).unwrap();
        let child = store.insert_key(&NewKey { parent: Some(first), ..new(2) }).unwrap();
        let stranger = store.insert_key(&new(3)).unwrap();
        // Both the old key, which works for a while, and the child depend on the new one.
        let second = store.replace_key(first, &new(4), 1_500).unwrap().unwrap();
        let child_again =
            store.replace_key(child, &NewKey { parent: Some(second), ..new(5) }, 1_500).unwrap().unwrap();
        let parent = |id| store.key(id).unwrap().unwrap().parent;
        assert_eq!(
            [first, child, child_again, second].map(parent),
            [Some(second), Some(child_again), Some(second), None]
        );
        assert!(store.revoke_key(second, 1_200).unwrap());
        let revoked = |id| store.key(id).unwrap().unwrap().revoked_at;
        assert_eq!([first, child, child_again].map(revoked), [Some(1_200); 3]);
        assert_eq!(revoked(stranger), None);
    }
}
