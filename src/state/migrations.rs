//! The schema versions of the state file: each is a script under `migrations/`, run once, in order. A released script never
//! changes; a change is a new script.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::error::StateError;

/// The scripts; the version of a file is the number of those it has seen.
const SCRIPTS: [&str; 6] = [
    include_str!("migrations/0001_keys.sql"),
    include_str!("migrations/0002_provider_keys.sql"),
    include_str!("migrations/0003_jobs.sql"),
    include_str!("migrations/0004_portal.sql"),
    include_str!("migrations/0005_apps.sql"),
    include_str!("migrations/0006_changes.sql"),
];
/// Marks a SQLite file as ours: the letters PQST.
const APPLICATION_ID: i64 = 0x5051_5354;

/// Brings a file to the newest version.
///
/// # Errors
/// A file that is newer than this binary, or is no state file.
pub(super) fn run(connection: &mut Connection, path: &Path) -> Result<(), StateError> {
    let failed = StateError::at(path);
    let (application, version) = marks(connection).map_err(failed)?;
    let known = SCRIPTS.len() as i64;
    if application == APPLICATION_ID && version == known {
        return Ok(());
    }
    // Two programs may come here at once: the second waits, and then finds the work done.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let (application, version) = marks(&transaction).map_err(failed)?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(failed)?;
    if application != APPLICATION_ID && (application, version, tables) != (0, 0, 0) {
        return Err(StateError::Foreign { path: path.to_owned() });
    }
    if version > known {
        return Err(StateError::Newer { path: path.to_owned(), found: version, known });
    }
    for script in SCRIPTS.iter().skip(version as usize) {
        transaction.execute_batch(script).map_err(failed)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    transaction.pragma_update(None, "user_version", known).map_err(failed)?;
    transaction.commit().map_err(failed)
}

fn marks(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let mark = |name| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok((mark("application_id")?, mark("user_version")?))
}

#[cfg(test)]
mod tests {
    use crate::state::Store;

    use super::*;

    #[test]
    fn a_file_of_every_earlier_version_keeps_its_keys() {
        for version in 1..SCRIPTS.len() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("state.db");
            let earlier = Connection::open(&path).unwrap();
            for script in &SCRIPTS[..version] {
                earlier.execute_batch(script).unwrap();
            }
            let key = "INSERT INTO keys (hash, hint, tier, owner, note, created_at) VALUES (zeroblob(32), 'pq_0', 'free', 'Asha', '', 1)";
            earlier.execute(key, []).unwrap();
            earlier.execute("INSERT INTO counters VALUES (1, 20000, 7, 480000, 3, 99, 1)", []).unwrap();
            earlier.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
            earlier.pragma_update(None, "user_version", version as i64).unwrap();
            drop(earlier);
            let keys = Store::open(&path).unwrap().keys().unwrap();
            assert_eq!((keys.len(), keys[0].owner.as_str(), keys[0].id), (1, "Asha", 1), "version {version}");
            let now = Connection::open(&path).unwrap();
            assert_eq!(marks(&now).unwrap(), (APPLICATION_ID, SCRIPTS.len() as i64));
            let total: i64 = now.query_row("SELECT total FROM counters", [], |row| row.get(0)).unwrap();
            assert_eq!(total, 99, "version {version}");
        }
    }
}
