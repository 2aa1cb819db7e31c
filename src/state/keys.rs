//! API keys in the state file. Whoever reads a row interprets it: here a tier is a word and an expiry a number.

use rusqlite::{OptionalExtension as _, Row, Transaction, TransactionBehavior, params};

use super::error::StateError;
use super::jobs::copy_run_counts;
use super::store::Store;

/// A key as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// Its number, never used again.
    pub id: i64,
    /// The hash of its text.
    pub hash: [u8; 32],
    /// The first characters of its text.
    pub hint: String,
    /// The word of its tier.
    pub tier: String,
    /// Whose it is.
    pub owner: String,
    /// What it is for.
    pub note: String,
    /// Requests a day, where it has an allowance of its own.
    pub quota_day: Option<u32>,
    /// Requests an hour, where it has an allowance of its own.
    pub quota_hour: Option<u32>,
    /// When it was issued, in Unix seconds.
    pub created_at: i64,
    /// From when on it no longer works.
    pub expires_at: Option<i64>,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
}

/// A key to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// The hash of its text.
    pub hash: [u8; 32],
    /// The first characters of its text.
    pub hint: String,
    /// The word of its tier.
    pub tier: String,
    /// Whose it is.
    pub owner: String,
    /// What it is for.
    pub note: String,
    /// Requests a day, where it has an allowance of its own.
    pub quota_day: Option<u32>,
    /// Requests an hour, where it has an allowance of its own.
    pub quota_hour: Option<u32>,
    /// Now, in Unix seconds.
    pub created_at: i64,
    /// From when on it does not work.
    pub expires_at: Option<i64>,
}

impl Store {
    /// All keys, oldest first, revoked and expired ones too.
    ///
    /// # Errors
    /// What SQLite reports.
    pub fn keys(&self) -> Result<Vec<KeyRow>, StateError> {
        let read = || {
            let mut statement = self.connection.prepare("SELECT * FROM keys ORDER BY id")?;
            statement.query_map([], key_row)?.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(StateError::at(self.path()))
    }

    /// Stores a key; its number comes back.
    ///
    /// # Errors
    /// What SQLite reports.
    pub fn insert_key(&mut self, key: &NewKey) -> Result<i64, StateError> {
        self.write(|transaction| insert(transaction, key))
    }

    /// Stores a key if there is none at all yet, whoever else tries the same at this moment.
    ///
    /// # Errors
    /// What SQLite reports.
    pub fn insert_first_key(&mut self, key: &NewKey) -> Result<Option<i64>, StateError> {
        self.write(|transaction| {
            let none: bool =
                transaction.query_row("SELECT NOT EXISTS (SELECT 1 FROM keys)", [], |r| r.get(0))?;
            if none { insert(transaction, key).map(Some) } else { Ok(None) }
        })
    }

    /// Revokes a key. `false` if there is no such key or it was revoked before.
    ///
    /// # Errors
    /// What SQLite reports.
    pub fn revoke_key(&mut self, id: i64, at: i64) -> Result<bool, StateError> {
        self.write(|transaction| {
            const SQL: &str = "UPDATE keys SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";
            Ok(transaction.execute(SQL, params![id, at])? == 1)
        })
    }

    /// Stores a key in the place of another, which works until `until` at the latest. What the old one used counts for
    /// the new one, so that nobody refills an allowance by this. `None` if the old one is gone or revoked.
    ///
    /// # Errors
    /// What SQLite reports.
    pub fn replace_key(&mut self, old: i64, new: &NewKey, until: i64) -> Result<Option<i64>, StateError> {
        const END: &str = "UPDATE keys SET revoked_at  = iif(?2 <= ?3, ?3, NULL),
                                           expires_at  = iif(?2 <= ?3, expires_at, min(coalesce(expires_at, ?2), ?2))
                           WHERE id = ?1 AND revoked_at IS NULL";
        const CARRY: &str = "INSERT INTO counters
                             SELECT ?2, day, day_used, hour, hour_used, 0, last_used_at FROM counters WHERE key_id = ?1";
        self.write(|transaction| {
            if transaction.execute(END, params![old, until, new.created_at])? == 0 {
                return Ok(None);
            }
            let id = insert(transaction, new)?;
            transaction.execute(CARRY, params![old, id])?;
            copy_run_counts(transaction, old, id)?;
            Ok(Some(id))
        })
    }

    /// Runs changes as one: all of them or none.
    pub(super) fn write<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StateError> {
        let path = self.path().to_owned();
        let failed = StateError::at(&path);
        // Immediate: a transaction that read first could not be told to wait when it comes to write.
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let made = change(&transaction).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(made)
    }

    /// One key.
    ///
    /// # Errors
    /// What SQLite reports.
    pub fn key(&self, id: i64) -> Result<Option<KeyRow>, StateError> {
        self.connection
            .query_row("SELECT * FROM keys WHERE id = ?1", [id], key_row)
            .optional()
            .map_err(StateError::at(self.path()))
    }
}

fn insert(transaction: &Transaction<'_>, key: &NewKey) -> rusqlite::Result<i64> {
    const SQL: &str =
        "INSERT INTO keys (hash, hint, tier, owner, note, quota_day, quota_hour, created_at, expires_at)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    transaction.execute(
        SQL,
        params![
            key.hash,
            key.hint,
            key.tier,
            key.owner,
            key.note,
            key.quota_day,
            key.quota_hour,
            key.created_at,
            key.expires_at
        ],
    )?;
    Ok(transaction.last_insert_rowid())
}

fn key_row(row: &Row<'_>) -> rusqlite::Result<KeyRow> {
    Ok(KeyRow {
        id: row.get("id")?,
        hash: row.get("hash")?,
        hint: row.get("hint")?,
        tier: row.get("tier")?,
        owner: row.get("owner")?,
        note: row.get("note")?,
        quota_day: row.get("quota_day")?,
        quota_hour: row.get("quota_hour")?,
        created_at: row.get("created_at")?,
        expires_at: row.get("expires_at")?,
        revoked_at: row.get("revoked_at")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::CounterDelta;

    fn new(byte: u8) -> NewKey {
        NewKey {
            hash: [byte; 32],
            hint: "pq_0".to_owned(),
            tier: "free".to_owned(),
            owner: "A".to_owned(),
            note: String::new(),
            quota_day: None,
            quota_hour: Some(7),
            created_at: 1_000,
            expires_at: None,
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
        store.count(&[used]).unwrap();
        let second = store.replace_key(id, &new(2), 1_500).unwrap().unwrap();
        let old = store.key(id).unwrap().unwrap();
        assert_eq!((old.revoked_at, old.expires_at), (None, Some(1_500)));
        let third = store.replace_key(second, &new(3), 1_000).unwrap().unwrap();
        assert_eq!(store.key(second).unwrap().unwrap().revoked_at, Some(1_000));
        let counters = store.counters().unwrap();
        let of_third = counters.iter().find(|row| row.counted.key_id == third).unwrap();
        assert_eq!((of_third.counted.day_used, of_third.counted.hour_used, of_third.total), (3, 2, 0));
        assert_eq!(store.replace_key(second, &new(4), 1_000).unwrap(), None);
    }
}
