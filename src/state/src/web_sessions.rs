//! Web sessions and pending sign-in codes. The caller decides how long a session lives.

use super::database::{self, Optional as _, Row, Transaction, params, read_row};
use super::error::StateError;
use super::store::Store;

/// Maximum sessions of a key; one more ends the least recently used.
const PER_KEY: u32 = 20;

/// A stored web session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSessionRow {
    /// Number of the session, never reused.
    pub number: i64,
    /// The hash of the session's token.
    pub hash: [u8; 32],
    /// Number of the key that signed in.
    pub key_id: i64,
    /// The browser's user agent, as it was sent.
    pub browser: String,
    /// Time when it began, in Unix seconds.
    pub made_at: i64,
    /// Time of the last use, in Unix seconds, at a precision of minutes.
    pub last_used_at: i64,
}

/// A web session to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebSession {
    /// The hash of the session's token.
    pub hash: [u8; 32],
    /// Number of the key that signs in.
    pub key_id: i64,
    /// The browser's user agent, as sent.
    pub browser: String,
    /// Now, in Unix seconds.
    pub made_at: i64,
}

impl Store {
    /// Returns the newest sessions of one owner or of all, `most` at most, including expired ones; each with the hint (the first
    /// characters) and the owner of its key.
    pub fn web_sessions(
        &self,
        owner: Option<&str>,
        most: u32,
    ) -> Result<Vec<(WebSessionRow, String, String)>, StateError> {
        let of_owner = if owner.is_some() { "owner = ?1" } else { "?1 IS NULL" };
        let sql = format!(
            "SELECT web_sessions.*, hint, owner FROM web_sessions JOIN keys ON id = key_id
             WHERE {of_owner} ORDER BY number DESC LIMIT ?2"
        );
        let rows = self.connection.rows(&sql, params![owner, most], |row| {
            Ok((session_row(row)?, row.get("hint")?, row.get("owner")?))
        });
        rows.map_err(self.error_mapper())
    }

    /// Writes the last-used times of sessions: pairs of a session number and a time in Unix seconds. Ended sessions are skipped.
    ///
    /// # Errors
    /// Database errors; nothing is written then.
    pub fn touch_web_sessions(&mut self, used: &[(i64, i64)]) -> Result<(), StateError> {
        const SQL: &str = "UPDATE web_sessions SET last_used_at = max(last_used_at, ?2) WHERE number = ?1";
        self.write(|transaction| {
            used.iter().try_for_each(|(number, at)| transaction.execute(SQL, [number, at]).map(drop))
        })
    }

    /// Stores the hash of a sign-in code for a key.
    ///
    /// # Errors
    /// Database errors, including an unknown key.
    pub fn insert_sign_in_code(
        &mut self,
        hash: [u8; 32],
        key_id: i64,
        expires_at: i64,
    ) -> Result<(), StateError> {
        self.write(|transaction| {
            const SQL: &str = "INSERT INTO sign_in_codes VALUES (?1, ?2, ?3)";
            transaction.execute(SQL, params![hash, key_id, expires_at]).map(drop)
        })
    }

    /// Consumes a sign-in code and returns the number of its key; `None` if there is no such code or it has expired.
    ///
    /// # Errors
    /// Database errors; the code stays then.
    pub fn take_sign_in_code(&mut self, hash: [u8; 32], now: i64) -> Result<Option<i64>, StateError> {
        self.write(|transaction| {
            const SQL: &str = "DELETE FROM sign_in_codes WHERE hash = ?1 RETURNING key_id, expires_at";
            let code = transaction
                .query_row(SQL, params![hash], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
                .optional()?;
            Ok(code.filter(|(_, expires_at)| *expires_at > now).map(|(key_id, _)| key_id))
        })
    }
}

/// Stores a session, ends the surplus sessions of its key, and returns its number.
pub(super) fn begin_session(transaction: &Transaction<'_>, new: &NewWebSession) -> database::Result<i64> {
    const SQL: &str = "INSERT INTO web_sessions (hash, key_id, browser, made_at, last_used_at)
                       VALUES (?1, ?2, ?3, ?4, ?4) RETURNING number";
    const SURPLUS: &str = "DELETE FROM web_sessions WHERE number IN (SELECT number FROM web_sessions
                           WHERE key_id = ?1 ORDER BY last_used_at DESC, number DESC LIMIT 9223372036854775807 OFFSET ?2)";
    let number =
        transaction
            .query_row(SQL, params![new.hash, new.key_id, new.browser, new.made_at], |row| row.get(0))?;
    transaction.execute(SURPLUS, params![new.key_id, PER_KEY])?;
    Ok(number)
}

/// Ends a session. Returns `false` if there was none.
pub(super) fn end_session(transaction: &Transaction<'_>, number: i64) -> database::Result<bool> {
    Ok(transaction.execute("DELETE FROM web_sessions WHERE number = ?1", [number])? == 1)
}

/// Ends all sessions of a key and deletes its sign-in codes.
pub(super) fn end_sessions_of(transaction: &Transaction<'_>, key_id: i64) -> database::Result<()> {
    transaction.execute("DELETE FROM web_sessions WHERE key_id = ?1", [key_id])?;
    transaction.execute("DELETE FROM sign_in_codes WHERE key_id = ?1", [key_id]).map(drop)
}

pub(super) fn session_row(row: &Row<'_>) -> database::Result<WebSessionRow> {
    read_row!(row => WebSessionRow: number, hash, key_id, browser, made_at, last_used_at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyChange, NewActivity, NewKey};

    fn begin(store: &mut Store, byte: u8, key_id: i64, at: i64) -> i64 {
        let new = NewWebSession { hash: [byte; 32], key_id, browser: "B".to_owned(), made_at: at };
        let noted = NewActivity::by_command_line(at, "A", "signed in");
        store.change(&KeyChange::SignIn(&new), &noted).unwrap().unwrap()
    }

    #[test]
    fn sessions_end_with_their_key_and_the_oldest_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("state.db")).unwrap();
        let (first, second) =
            (store.insert_key(&NewKey::of_test(1)).unwrap(), store.insert_key(&NewKey::of_test(2)).unwrap());
        begin(&mut store, 200, second, 5);
        for nth in 0..25 {
            begin(&mut store, nth, first, 10 + i64::from(nth));
        }
        let of_first = |store: &Store| {
            let rows = store.web_sessions(None, 999).unwrap().into_iter().map(|(row, ..)| row);
            rows.filter(|row| row.key_id == first).collect::<Vec<_>>()
        };
        let rows = of_first(&store);
        assert_eq!((rows.len(), rows[0].made_at, rows[19].made_at), (20, 34, 15));
        store.touch_web_sessions(&[(rows[19].number, 40), (9_999, 50)]).unwrap();
        begin(&mut store, 99, first, 41);
        assert!(of_first(&store).iter().any(|row| row.number == rows[19].number && row.last_used_at == 40));
        store.insert_sign_in_code([7; 32], first, 100).unwrap();
        store.revoke_key(first, 42).unwrap();
        assert!(of_first(&store).is_empty());
        assert_eq!(store.take_sign_in_code([7; 32], 50).unwrap(), None);
        assert_eq!(store.web_sessions(Some("A"), 9).unwrap().len(), 1);
        assert!(store.web_sessions(Some("B"), 9).unwrap().is_empty());
    }

    #[test]
    fn a_code_is_taken_once_and_in_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("state.db")).unwrap();
        let id = store.insert_key(&NewKey::of_test(1)).unwrap();
        for byte in [1, 2] {
            store.insert_sign_in_code([byte; 32], id, 100).unwrap();
        }
        assert_eq!(store.take_sign_in_code([1; 32], 99).unwrap(), Some(id));
        assert_eq!(store.take_sign_in_code([1; 32], 99).unwrap(), None);
        assert_eq!(store.take_sign_in_code([2; 32], 100).unwrap(), None);
        assert_eq!(store.take_sign_in_code([2; 32], 99).unwrap(), None);
        assert!(store.insert_sign_in_code([3; 32], 99, 100).is_err());
    }
}
