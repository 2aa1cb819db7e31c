//! Encrypted provider keys: at most one for each owner and provider. They are never decrypted here, and provider names are not checked.

use super::database::{self, Connection, Row, Transaction, params, read_row};
use super::error::StateError;
use super::store::Store;

/// A stored provider key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderKeyRow {
    /// Name of the owner.
    pub owner: String,
    /// The provider's name.
    pub provider: String,
    /// The encrypted key.
    pub sealed: Vec<u8>,
    /// Masked form of the key, for display.
    pub masked: String,
    /// True if the owner prefers this provider; at most one is preferred.
    pub preferred: bool,
    /// Time when it was saved, in Unix seconds.
    pub saved_at: i64,
    /// Time of the last test, in Unix seconds; `None` before the first one.
    pub tested_at: Option<i64>,
    /// The result of that test, in words; `None` before the first one.
    pub test_result: Option<String>,
}

/// A provider key to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProviderKey {
    /// Name of the owner.
    pub owner: String,
    /// The provider's name.
    pub provider: String,
    /// The encrypted key.
    pub sealed: Vec<u8>,
    /// Masked form of the key, for display.
    pub masked: String,
    /// Now, in Unix seconds.
    pub saved_at: i64,
}

impl Store {
    /// Returns an owner's keys, by provider name.
    pub fn provider_keys(&self, owner: &str) -> Result<Vec<ProviderKeyRow>, StateError> {
        const SQL: &str = "SELECT * FROM provider_keys WHERE owner = ?1 ORDER BY provider";
        self.connection.rows(SQL, [owner], provider_key_row).map_err(self.error_mapper())
    }

    /// Stores a key, or replaces the one for the same provider. An owner's first key is preferred.
    pub fn save_provider_key(&mut self, key: &NewProviderKey) -> Result<(), StateError> {
        const SQL: &str = "INSERT INTO provider_keys (owner, provider, sealed, masked, preferred, saved_at)
                           VALUES (?1, ?2, ?3, ?4,
                                   CASE WHEN EXISTS (SELECT 1 FROM provider_keys WHERE owner = ?1) THEN 0 ELSE 1 END, ?5)
                           ON CONFLICT (owner, provider) DO UPDATE
                           SET sealed = excluded.sealed, masked = excluded.masked, saved_at = excluded.saved_at,
                               tested_at = NULL, test_result = NULL";
        self.write(|transaction| {
            transaction
                .execute(SQL, params![key.owner, key.provider, key.sealed, key.masked, key.saved_at])?;
            Ok(())
        })?;
        self.truncate_log()
    }

    /// Removes a key. If one key is left, it becomes preferred. Returns `false` if there was none.
    pub fn remove_provider_key(&mut self, owner: &str, provider: &str) -> Result<bool, StateError> {
        const REMOVE: &str = "DELETE FROM provider_keys WHERE owner = ?1 AND provider = ?2";
        const PREFER: &str = "UPDATE provider_keys SET preferred = 1
                              WHERE owner = ?1 AND (SELECT count(*) FROM provider_keys WHERE owner = ?1) = 1";
        let removed = self.write(|transaction| {
            let removed = transaction.execute(REMOVE, [owner, provider])? == 1;
            transaction.execute(PREFER, [owner])?;
            Ok(removed)
        })?;
        self.truncate_log()?;
        Ok(removed)
    }

    /// Makes a provider the preferred one of its owner. Returns `false`, without a change, if it has no key.
    pub fn prefer_provider_key(&mut self, owner: &str, provider: &str) -> Result<bool, StateError> {
        self.write(|transaction| {
            let exists = has_key(transaction, owner, provider)?;
            if exists {
                // Unset before set: two preferred rows would violate the index.
                const UNSET: &str =
                    "UPDATE provider_keys SET preferred = 0 WHERE owner = ?1 AND preferred = 1";
                const SET: &str = "UPDATE provider_keys SET preferred = 1 WHERE owner = ?1 AND provider = ?2";
                transaction.execute(UNSET, [owner])?;
                transaction.execute(SET, [owner, provider])?;
            }
            Ok(exists)
        })
    }

    /// Records a test result for the key with the masked form `masked`. Returns `false` if that key is gone or was replaced.
    pub fn record_provider_test(
        &mut self,
        owner: &str,
        provider: &str,
        masked: &str,
        tested_at: i64,
        result: &str,
    ) -> Result<bool, StateError> {
        const SQL: &str = "UPDATE provider_keys SET tested_at = ?4, test_result = ?5
                           WHERE owner = ?1 AND provider = ?2 AND masked = ?3";
        self.write(|transaction| {
            Ok(transaction.execute(SQL, params![owner, provider, masked, tested_at, result])? == 1)
        })
    }

    /// Truncates the write-ahead log, which still has the old pages of a removed or replaced key. While another process reads, a later
    /// checkpoint truncates it. The log of PostgreSQL is left to its server.
    fn truncate_log(&self) -> Result<(), StateError> {
        let Connection::Sqlite(connection) = &self.connection else { return Ok(()) };
        let truncated = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        truncated.map_err(|error| self.error_mapper()(error.into()))
    }
}

fn has_key(transaction: &Transaction<'_>, owner: &str, provider: &str) -> database::Result<bool> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM provider_keys WHERE owner = ?1 AND provider = ?2)";
    transaction.query_row(SQL, [owner, provider], |row| row.get(0))
}

fn provider_key_row(row: &Row<'_>) -> database::Result<ProviderKeyRow> {
    read_row!(row => ProviderKeyRow:
        owner, provider, sealed, masked, preferred, saved_at, tested_at, test_result
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(owner: &str, provider: &str, byte: u8) -> NewProviderKey {
        NewProviderKey {
            owner: owner.to_owned(),
            provider: provider.to_owned(),
            sealed: vec![byte; 60],
            masked: format!("sk-...{byte:04}"),
            saved_at: i64::from(byte),
        }
    }

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("state.db")).unwrap();
        (folder, store)
    }

    fn preferred(store: &Store, owner: &str) -> Vec<String> {
        let rows = store.provider_keys(owner).unwrap();
        rows.into_iter().filter(|row| row.preferred).map(|row| row.provider).collect()
    }

    #[test]
    fn the_first_is_preferred_and_a_preferred_that_goes_leaves_it_to_the_only_other() {
        let (_folder, mut store) = store();
        for (provider, byte) in [("openai", 1), ("groq", 2), ("gemini", 3)] {
            store.save_provider_key(&new("a", provider, byte)).unwrap();
        }
        store.save_provider_key(&new("b", "groq", 4)).unwrap();
        assert_eq!(
            (preferred(&store, "a"), preferred(&store, "b")),
            (vec!["openai".into()], vec!["groq".into()])
        );
        assert!(store.prefer_provider_key("a", "groq").unwrap());
        assert!(!store.prefer_provider_key("a", "deepseek").unwrap());
        assert_eq!(preferred(&store, "a"), ["groq"]);
        assert!(store.remove_provider_key("a", "groq").unwrap());
        assert!(preferred(&store, "a").is_empty());
        assert!(store.remove_provider_key("a", "gemini").unwrap());
        assert_eq!(preferred(&store, "a"), ["openai"]);
        assert!(!store.remove_provider_key("a", "gemini").unwrap());
        assert_eq!(store.provider_keys("b").unwrap().len(), 1);
    }

    #[test]
    fn a_replaced_key_stays_preferred_and_is_untested() {
        let (_folder, mut store) = store();
        store.save_provider_key(&new("a", "openai", 1)).unwrap();
        assert!(store.record_provider_test("a", "openai", "sk-...0001", 50, "works").unwrap());
        assert_eq!(store.provider_keys("a").unwrap()[0].tested_at, Some(50));
        store.save_provider_key(&new("a", "openai", 9)).unwrap();
        assert!(!store.record_provider_test("a", "openai", "sk-...0001", 60, "of the old one").unwrap());
        let row = store.provider_keys("a").unwrap().remove(0);
        assert_eq!((row.sealed[0], row.preferred, row.tested_at, row.test_result), (9, true, None, None));
    }

    #[test]
    fn nothing_of_a_removed_or_replaced_key_is_left_in_the_file_or_its_log() {
        let (folder, mut store) = store();
        let count = |byte: u8| -> usize {
            let bytes = ["state.db", "state.db-wal"]
                .map(|name| std::fs::read(folder.path().join(name)).unwrap_or_default())
                .concat();
            bytes.windows(60).filter(|window| window.iter().all(|b| *b == byte)).count()
        };
        store.save_provider_key(&new("a", "openai", 0xA1)).unwrap();
        assert!(count(0xA1) > 0);
        store.save_provider_key(&new("a", "openai", 0xB2)).unwrap();
        assert_eq!((count(0xA1), count(0xB2) > 0), (0, true));
        store.remove_provider_key("a", "openai").unwrap();
        assert_eq!(count(0xB2), 0);
    }
}
