//! Copies of the whole state between a file and a database on a server, in either direction.

use super::database::{AnyValue, Connection, DatabaseError, Result, ToValue, params};
use super::error::StateError;
use super::leases::GONE_S;
use super::location::StateLocation;
use super::store::Store;

/// All tables, referenced tables first, each with its column of automatic numbers. `servers` and `changes` are not copied: they belong to
/// the running servers of a state.
const TABLES: [(&str, Option<&str>); 15] = [
    ("keys", Some("id")),
    ("counters", None),
    ("provider_keys", None),
    ("jobs", Some("number")),
    ("job_steps", Some("number")),
    ("job_runs", None),
    ("web_sessions", Some("number")),
    ("sign_in_codes", None),
    ("activity", Some("number")),
    ("usage", None),
    ("app_secret", None),
    ("app_codes", None),
    ("app_tokens", None),
    ("leases", None),
    ("kept", None),
];

/// Copies a state that no server uses to an empty one, all of it or nothing. Returns the number of rows of each table.
///
/// # Errors
/// Either state cannot be opened, a server uses the source, the target has rows, or row counts differ after the copy.
pub fn copy_state(
    from: &StateLocation,
    to: &StateLocation,
    now: i64,
) -> std::result::Result<Vec<(&'static str, i64)>, StateError> {
    let (from, mut to) = (Store::open_existing(from)?, Store::open(to)?);
    let (source, location) = (&from.connection, to.location().to_string());
    let result = source.snapshot(|source| {
        if is_in_use(source, now)? {
            return Ok(Err(StateError::Counting(from.location().to_string())));
        }
        // An error of the target names the target, not the source.
        Ok(to.write(|target| copy_tables(source, target)).and_then(|copied| {
            copied.map_err(|(table, rows)| StateError::NotEmpty { location: location.clone(), table, rows })
        }))
    });
    result.map_err(from.error_mapper())?
}

/// The name of a table and its number of rows.
type TableCount = (&'static str, i64);

/// Copies all tables; returns the first target table that has rows as an error.
fn copy_tables(
    source: &Connection,
    target: &Connection,
) -> Result<std::result::Result<Vec<TableCount>, TableCount>> {
    for (table, _) in TABLES {
        let rows = count(target, table)?;
        if rows > 0 {
            return Ok(Err((table, rows)));
        }
    }
    target.defer_references()?;
    let mut counts = Vec::with_capacity(TABLES.len());
    for (table, numbered) in TABLES {
        copy_table(source, target, table)?;
        if let Some(column) = numbered {
            target.set_last_number(table, column, source.last_number(table, column)?)?;
        }
        let (read, written) = (count(source, table)?, count(target, table)?);
        if read != written {
            return Err(DatabaseError::Counts { table, read, written });
        }
        counts.push((table, written));
    }
    Ok(Ok(counts))
}

fn copy_table(source: &Connection, target: &Connection, table: &str) -> Result<()> {
    let mut sql = String::new();
    let rows = source.rows(&format!("SELECT * FROM {table}"), params![], |row| {
        let columns = row.columns();
        if sql.is_empty() {
            let marks: Vec<String> = (1..=columns.len()).map(|nth| format!("?{nth}")).collect();
            sql = format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), marks.join(", "));
        }
        let values: Vec<AnyValue> = (0..columns.len()).map(|nth| row.get(nth)).collect::<Result<_>>()?;
        let values: Vec<&dyn ToValue> = values.iter().map(|value| value as &dyn ToValue).collect();
        target.execute(&sql, values.as_slice()).map(drop)
    });
    rows.map(drop)
}

fn count(connection: &Connection, table: &str) -> Result<i64> {
    connection.query_row(&format!("SELECT count(*) FROM {table}"), params![], |row| row.get(0))
}

/// Returns true if a server counts calls in the state.
fn is_in_use(source: &Connection, now: i64) -> Result<bool> {
    const SQL: &str = "SELECT count(*) FROM servers WHERE abs(?1 - seen_at) < ?2";
    source.query_row(SQL, [now, GONE_S], |row| row.get::<_, i64>(0)).map(|servers| servers > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        CounterDelta, CountingServer, KeyChange, LeaseRequest, NewActivity, NewKey, NewProviderKey,
        NewWebSession, SavedItemKey, SavedItemKind,
    };

    /// Fills a state with rows in most tables. Key 3 is deleted, and a parent key has a higher number than its child.
    fn filled(location: &StateLocation) -> Store {
        let mut store = Store::open(location).unwrap();
        let old = store.insert_key(&NewKey { quota_day: Some(7), ..NewKey::of_test(1) }).unwrap();
        let new = store.replace_key(old, &NewKey::of_test(2), 500).unwrap().unwrap();
        assert_eq!(store.key(old).unwrap().unwrap().parent, Some(new));
        let gone = store.insert_key(&NewKey::of_test(3)).unwrap();
        store.write(|transaction| transaction.execute("DELETE FROM keys WHERE id = ?1", [gone])).unwrap();
        let sealed = NewProviderKey {
            owner: "A".to_owned(),
            provider: "openai".to_owned(),
            sealed: vec![0, 255, 7],
            masked: "sk-...".to_owned(),
            saved_at: 5,
        };
        store.save_provider_key(&sealed).unwrap();
        let session = NewWebSession { hash: [9; 32], key_id: new, browser: "B".to_owned(), made_at: 5 };
        store
            .change(&KeyChange::SignIn(&session), &NewActivity::by_command_line(5, "A", "signed in"))
            .unwrap();
        let key = SavedItemKey {
            owner: "A".to_owned(),
            kind: SavedItemKind::List,
            market: "india".to_owned(),
            name: "Größe".to_owned(),
        };
        store.change_saved_item(&key, 9, 5, |_| Ok::<_, ()>("A,B".to_owned())).unwrap().unwrap();
        let used = CounterDelta {
            key_id: new,
            day: 1,
            day_used: 3,
            hour: 24,
            hour_used: 3,
            total: 3,
            last_used_at: 9,
        };
        let server = CountingServer { id: 0, now: 0, last_read_change: i64::MAX };
        store.settle(server, &[LeaseRequest::of_test(used)], &[]).unwrap();
        store
    }

    #[test]
    fn a_state_is_copied_there_and_back_and_numbers_are_not_used_again() {
        let folder = tempfile::tempdir().unwrap();
        // The second is in PostgreSQL if the tests run with a server.
        let first = StateLocation::from_file(&folder.path().join("first.db"));
        let second = StateLocation::from(&folder.path().join("second.db"));
        let third = StateLocation::from_file(&folder.path().join("third.db"));
        let store = filled(&first);
        let there = copy_state(&first, &second, 99).unwrap();
        assert!(there.contains(&("keys", 2)) && there.contains(&("kept", 1)), "{there:?}");
        assert_eq!(copy_state(&second, &third, 99).unwrap(), there);
        for copy in [&second, &third] {
            let mut copy = Store::open(copy).unwrap();
            assert_eq!(copy.keys().unwrap(), store.keys().unwrap());
            assert_eq!(copy.counters().unwrap(), store.counters().unwrap());
            assert_eq!(copy.provider_keys("A").unwrap(), store.provider_keys("A").unwrap());
            assert_eq!(copy.activity(None, 9).unwrap(), store.activity(None, 9).unwrap());
            assert_eq!(
                copy.saved_items("A", SavedItemKind::List, "india").unwrap(),
                store.saved_items("A", SavedItemKind::List, "india").unwrap()
            );
            assert_eq!(copy.insert_key(&NewKey::of_test(4)).unwrap(), 4);
        }
        // A copy to a state with rows is refused, and so is a copy of a state that a server uses.
        let refused = copy_state(&first, &second, 99).unwrap_err().to_string();
        assert!(refused.contains("has 3 rows in keys"), "{refused}");
        let mut store = store;
        store.enter_server(90).unwrap();
        let refused = copy_state(&first, &second, 99).unwrap_err().to_string();
        assert!(refused.contains("a server uses"), "{refused}");
    }

    #[test]
    fn every_table_of_the_state_is_copied_or_of_servers_at_work() {
        const SQL: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(StateLocation::from_file(&folder.path().join("state.db"))).unwrap();
        let mut names: Vec<String> = store.connection.rows(SQL, params![], |row| row.get(0)).unwrap();
        names.retain(|name| !TABLES.iter().any(|(table, _)| table == name));
        names.sort();
        assert_eq!(names, ["changes", "servers"]);
    }
}
