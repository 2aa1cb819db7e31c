//! Changes that servers follow: keys, counters, sessions and tokens that any process changed since the last read.

use super::apps::{AccessTokenRow, token_row};
use super::counters::{CounterStanding, SELECT_STANDINGS, standing_row};
use super::database::{self, Connection, Row, params};
use super::error::StateError;
use super::key_row::{KeyRow, key_row};
use super::leases::{CountingServer, count_other_servers};
use super::store::Store;
use super::web_sessions::{WebSessionRow, session_row};

/// Changes since an earlier read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Number of the newest change included.
    pub until: i64,
    /// True if these are all rows: rows that are missing here are deleted.
    pub is_whole: bool,
    /// Keys that changed, and all their descendants.
    pub keys: Vec<KeyRow>,
    /// Numbers of keys that changed; those missing in `keys` are deleted.
    pub touched_keys: Vec<i64>,
    /// Counters that changed, with the calls that other servers hold.
    pub counters: Vec<CounterStanding>,
    /// Number of other servers that count calls.
    pub others: u32,
    /// Sessions that changed.
    pub sessions: Vec<WebSessionRow>,
    /// Numbers of sessions that changed; those missing in `sessions` are deleted.
    pub touched_sessions: Vec<i64>,
    /// Access tokens of keys whose tokens changed.
    pub tokens: Vec<AccessTokenRow>,
    /// Keys whose tokens changed; tokens missing in `tokens` are deleted.
    pub touched_tokens: Vec<i64>,
}

impl Store {
    /// Returns the changes after change number `since`, as `server` sees them. Returns all rows if `since` is `None` or older than the
    /// stored changes.
    pub fn changes_since(&self, since: Option<i64>, server: CountingServer) -> Result<Changes, StateError> {
        const NUMBERS: &str = "SELECT coalesce(max(number), 0), min(number) FROM changes";
        // All reads see one snapshot.
        let changes = self.connection.snapshot(|snapshot| {
            let read_numbers = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?));
            let (until, oldest) = snapshot.query_row(NUMBERS, params![], read_numbers)?;
            let changes = match since {
                Some(since) if since == until => Changes { until, ..Changes::default() },
                Some(since) if since < until && oldest.is_some_and(|oldest| oldest <= since + 1) => {
                    changes_between(snapshot, since, server.id, until)?
                }
                _ => whole_state(snapshot, server.id, until)?,
            };
            Ok(Changes { others: count_other_servers(snapshot, server)?, ..changes })
        });
        changes.map_err(self.error_mapper())
    }
}

fn whole_state(snapshot: &Connection, server: i64, until: i64) -> database::Result<Changes> {
    Ok(Changes {
        until,
        is_whole: true,
        keys: snapshot.rows("SELECT * FROM keys ORDER BY id", params![], key_row)?,
        counters: snapshot.rows(SELECT_STANDINGS, params![0_i64, server], standing_row)?,
        sessions: snapshot.rows("SELECT * FROM web_sessions", params![], session_row)?,
        tokens: snapshot.rows("SELECT * FROM app_tokens WHERE kind = 'access'", params![], token_row)?,
        ..Changes::default()
    })
}

fn changes_between(snapshot: &Connection, since: i64, server: i64, until: i64) -> database::Result<Changes> {
    const KEYS: &str = "WITH RECURSIVE touched (id) AS (
                            SELECT id FROM changes WHERE number > ?1 AND kind = 'key'
                            UNION SELECT keys.id FROM keys JOIN touched ON keys.parent = touched.id)
                        SELECT * FROM keys WHERE id IN (SELECT id FROM touched) ORDER BY id";
    let changed_rows = |kind: &str, table: &str, column: &str| {
        let ids_sql = format!("SELECT id FROM changes WHERE number > ?1 AND kind = '{kind}'");
        (format!("SELECT * FROM {table} WHERE {column} IN ({ids_sql})"), ids_sql)
    };
    let counters = format!(
        "{SELECT_STANDINGS} WHERE key_id IN (SELECT id FROM changes WHERE number > ?1 AND kind = 'counter')"
    );
    let (sessions, touched_sessions) = changed_rows("session", "web_sessions", "number");
    let (tokens, touched_tokens) = changed_rows("token", "app_tokens", "key_id");
    let number = |row: &Row<'_>| row.get(0);
    Ok(Changes {
        until,
        is_whole: false,
        keys: snapshot.rows(KEYS, [since], key_row)?,
        touched_keys: snapshot.rows(&changed_rows("key", "keys", "id").1, [since], number)?,
        counters: snapshot.rows(&counters, [since, server], standing_row)?,
        sessions: snapshot.rows(&sessions, [since], session_row)?,
        touched_sessions: snapshot.rows(&touched_sessions, [since], number)?,
        tokens: snapshot.rows(&format!("{tokens} AND kind = 'access'"), [since], token_row)?,
        touched_tokens: snapshot.rows(&touched_tokens, [since], number)?,
        others: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyChange, NewActivity, NewKey, NewWebSession};

    const SERVER: CountingServer = CountingServer { id: 1, now: 0, last_read_change: 0 };

    #[test]
    fn what_changed_comes_once_and_everything_where_too_much_did() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("state.db")).unwrap();
        let parent = store.insert_key(&NewKey::of_test(1)).unwrap();
        let child = store.insert_key(&NewKey { parent: Some(parent), ..NewKey::of_test(2) }).unwrap();
        let all = store.changes_since(None, SERVER).unwrap();
        assert!(all.is_whole && all.keys.len() == 2);
        let none = store.changes_since(Some(all.until), SERVER).unwrap();
        assert_eq!(none, Changes { until: all.until, ..Changes::default() });
        // A changed key comes with its descendants; an unrelated key does not.
        store.insert_key(&NewKey::of_test(3)).unwrap();
        let seen = store.changes_since(None, SERVER).unwrap().until;
        store.connection.execute("UPDATE keys SET expires_at = 9 WHERE id = ?1", [parent]).unwrap();
        let session = NewWebSession { hash: [7; 32], key_id: child, browser: String::new(), made_at: 5 };
        let noted = NewActivity::by_command_line(5, "A", "signed in");
        store.change(&KeyChange::SignIn(&session), &noted).unwrap();
        let some = store.changes_since(Some(seen), SERVER).unwrap();
        let ids: Vec<i64> = some.keys.iter().map(|row| row.id).collect();
        assert_eq!((some.is_whole, ids, some.sessions.len()), (false, vec![parent, child], 1));
        // A deleted row is touched and is not returned.
        store.connection.execute("DELETE FROM keys WHERE id = ?1", [child]).unwrap();
        let gone = store.changes_since(Some(some.until), SERVER).unwrap();
        assert_eq!((gone.touched_keys, gone.keys.len()), (vec![child], 0));
        assert_eq!((gone.touched_sessions.len(), gone.sessions.len()), (1, 0));
        // Older than the stored changes, or of another file: everything is returned.
        store.connection.execute("DELETE FROM changes WHERE number <= ?1", [gone.until]).unwrap();
        assert!(store.changes_since(Some(seen), SERVER).unwrap().is_whole);
        assert!(store.changes_since(Some(gone.until + 1_000), SERVER).unwrap().is_whole);
    }
}
