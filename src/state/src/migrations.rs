//! Schema migrations of the state: scripts under `migrations/`, each run once, in order. A released script never changes; a schema change
//! is a new script under one number for both databases. The first one for PostgreSQL creates the tables of version 8.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::backup;
use super::database::{self, Optional as _, PostgresConnection, PostgresServer};
use super::error::StateError;

/// Scripts for SQLite; the version of a file is the number of scripts that were run on it.
const SCRIPTS: [&str; 8] = [
    include_str!("migrations/0001_keys.sql"),
    include_str!("migrations/0002_provider_keys.sql"),
    include_str!("migrations/0003_jobs.sql"),
    include_str!("migrations/0004_portal.sql"),
    include_str!("migrations/0005_apps.sql"),
    include_str!("migrations/0006_changes.sql"),
    include_str!("migrations/0007_leases.sql"),
    include_str!("migrations/0008_kept.sql"),
];
/// The newest version.
pub(super) const KNOWN: i64 = SCRIPTS.len() as i64;
/// Application id that marks a SQLite file as ours: the letters PQST.
const APPLICATION_ID: i64 = 0x5051_5354;

/// Scripts for PostgreSQL, each with the version it leads to.
const POSTGRES_SCRIPTS: [(i64, &str); 1] = [(8, include_str!("migrations/postgres/0008_state.sql"))];

/// Migrates a PostgreSQL database to the newest version; an empty one gets its tables.
///
/// # Errors
/// The database is newer than this binary, or has other tables.
pub(super) fn run_postgres(
    connection: PostgresConnection,
    server: &PostgresServer,
) -> Result<database::Connection, StateError> {
    const TABLES: &str = "SELECT count(*) FILTER (WHERE relname = 'parquote_state'), count(*) FROM pg_class
                          WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm')";
    let failed = StateError::at_server(server);
    let mut connection = database::Connection::Postgres(Box::new(connection));
    // Of two concurrent processes, the second waits and finds the work done.
    let checked = connection.write(|transaction| {
        let read = |row: &database::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let (marks, tables) = transaction.query_row(TABLES, database::params![], read)?;
        let version: Option<i64> = match marks {
            0 => None,
            _ => transaction
                .query_row("SELECT version FROM parquote_state", database::params![], |row| row.get(0))
                .optional()?,
        };
        match version {
            None if tables > 0 => return Ok(Err(StateError::ForeignDatabase { server: server.to_string() })),
            Some(found) if found > KNOWN => {
                return Ok(Err(StateError::NewerDatabase {
                    server: server.to_string(),
                    found,
                    known: KNOWN,
                }));
            }
            _ => {}
        }
        for (_, script) in
            POSTGRES_SCRIPTS.iter().filter(|(script, _)| version.is_none_or(|had| *script > had))
        {
            transaction.batch(script)?;
        }
        if version != Some(KNOWN) {
            transaction.execute("DELETE FROM parquote_state", database::params![])?;
            transaction.execute("INSERT INTO parquote_state VALUES (?1)", [KNOWN])?;
        }
        Ok(Ok(()))
    });
    checked.map_err(failed)??;
    if let database::Connection::Postgres(connection) = &mut connection {
        connection.expect_version(KNOWN);
    }
    Ok(connection)
}

/// Returns the version of a state file.
///
/// # Errors
/// The file is newer than this binary, or is not a state file.
pub(super) fn version(connection: &Connection, path: &Path) -> Result<i64, StateError> {
    match marks(connection).map_err(StateError::at(path))? {
        (APPLICATION_ID, found) if found > KNOWN => {
            Err(StateError::Newer { path: path.to_owned(), found, known: KNOWN })
        }
        (APPLICATION_ID, found) => Ok(found),
        _ => Err(StateError::Foreign { path: path.to_owned() }),
    }
}

/// Migrates a file to the newest version; an older one is copied first.
///
/// # Errors
/// The file is newer than this binary, or is not a state file.
pub(super) fn run(connection: &mut Connection, path: &Path) -> Result<(), StateError> {
    let failed = StateError::at(path);
    let (application, version) = marks(connection).map_err(failed)?;
    let known = KNOWN;
    if application == APPLICATION_ID && version == known {
        return Ok(());
    }
    if application == APPLICATION_ID && (1..known).contains(&version) {
        backup::before_migration(connection, path, version)?;
    }
    // Of two concurrent processes, the second waits and finds the work done.
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
    use super::*;
    use crate::Store;

    #[test]
    fn files_of_every_earlier_version_keep_their_keys_and_a_copy() {
        let folder = tempfile::tempdir().unwrap();
        for version in 1..KNOWN {
            let path = folder.path().join(format!("of_{version}.db"));
            let old = Connection::open(&path).unwrap();
            SCRIPTS.iter().take(version as usize).for_each(|script| old.execute_batch(script).unwrap());
            old.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
            old.pragma_update(None, "user_version", version).unwrap();
            old.execute_batch(
                "INSERT INTO keys (hash, hint, tier, owner, note, quota_hour, created_at)
                 VALUES (zeroblob(32), 'pq_0', 'api_pro', 'Ann', 'of old', 7, 5);
                 INSERT INTO counters VALUES (1, 20000, 3, 480000, 2, 9, 900)",
            )
            .unwrap();
            drop(old);
            let store = Store::open(&path).unwrap();
            let (keys, counters) = (store.keys().unwrap(), store.counters().unwrap());
            let told = (keys[0].owner.as_str(), keys[0].note.as_str(), keys[0].quota_hour, counters[0].total);
            assert_eq!(told, ("Ann", "of old", Some(7), 9), "version {version}");
            assert_eq!(marks(store.sqlite()).unwrap(), (APPLICATION_ID, KNOWN));
            // The backup: a complete file of the old version.
            let kept = folder.path().join(format!("of_{version}.db.v{version}"));
            #[cfg(unix)]
            assert_eq!(
                std::os::unix::fs::PermissionsExt::mode(&kept.metadata().unwrap().permissions()) & 0o777,
                0o600
            );
            let kept = Connection::open(&kept).unwrap();
            assert_eq!(marks(&kept).unwrap(), (APPLICATION_ID, version));
            let keys: i64 = kept.query_row("SELECT count(*) FROM keys", [], |row| row.get(0)).unwrap();
            assert_eq!(keys, 1);
            drop(store);
            // A file of this version is not copied.
            drop(Store::open(&path).unwrap());
        }
        let files = std::fs::read_dir(folder.path()).unwrap().count() as i64;
        assert_eq!(files, 2 * (KNOWN - 1));
    }
}
