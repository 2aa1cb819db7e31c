//! The tests of the state, of access and of jobs once more, with the state in PostgreSQL. One test starts a server and runs this
//! program of tests again: wherever they name a file then, a schema of that server takes its place.

use std::path::Path;
use std::process::Command;

use super::Store;
use super::database::{PostgresConnection, PostgresServer, params};
use super::location::StateLocation;

#[path = "../../tests/support/postgres_server.rs"]
mod postgres_server;

/// The server that takes the place of files.
const SERVER: &str = "PARQUOTE_TEST_POSTGRES";

/// The schema that takes the place of a file, where there is a server.
pub(super) fn in_place_of(path: &Path) -> Option<StateLocation> {
    let url = std::env::var(SERVER).ok()?;
    let schema = format!("t{}", blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex().split_at(24).0);
    let connection = PostgresConnection::open(&PostgresServer::parse(&url).unwrap()).unwrap();
    // Of two that make it at once, one may fail.
    let _ = connection.batch(&format!("CREATE SCHEMA IF NOT EXISTS {schema}"));
    let and = if url.contains('?') { '&' } else { '?' };
    Some(format!("{url}{and}options=-c%20search_path%3D{schema}").parse().unwrap())
}

/// Tests of what files are, which no database takes the place of.
const OF_FILES: [&str; 7] = [
    "all_tests_of_the_state",
    "state::store::tests",
    "state::migrations::tests",
    "nothing_of_a_removed_or_replaced_key",
    "a_row_that_was_copied_to_another_owner",
    "no_byte_of_a_clear_key",
    "tests::faults::a_",
];

#[test]
fn all_tests_of_the_state_hold_in_postgresql() {
    let Some(server) = postgres_server::PostgresServer::start() else {
        return postgres_server::not_there("all tests of the state in PostgreSQL");
    };
    let mut run = Command::new(std::env::current_exe().unwrap());
    run.args(["state::", "access::", "agents::job::", "agents::provider::keys", "--test-threads", "4"]);
    run.args(OF_FILES.iter().flat_map(|name| ["--skip", name]));
    let done = run.env(SERVER, server.url()).output().unwrap();
    let told = String::from_utf8_lossy(&done.stdout);
    let passed = told.matches("... ok").count();
    assert!(done.status.success() && passed > 80, "{passed} passed: {told}");
}

/// A store in a schema of its own, where there is a server.
fn store(name: &str) -> Option<(StateLocation, Store)> {
    let folder = tempfile::tempdir().unwrap();
    let location = in_place_of(&folder.path().join(name))?;
    let store = Store::open(&location).unwrap();
    Some((location, store))
}

#[test]
fn a_database_of_others_and_a_newer_one_are_refused() {
    let Some((location, store)) = store("newer") else { return };
    store.connection.execute("UPDATE parquote_state SET version = 99", params![]).unwrap();
    let newer = Store::open(&location).unwrap_err().to_string();
    assert!(newer.contains("version 99") && newer.contains("up to 8"), "{newer}");
    store.connection.batch("DROP TABLE parquote_state").unwrap();
    let foreign = Store::open(&location).unwrap_err().to_string();
    assert!(foreign.contains("tables of another program"), "{foreign}");
    let copy = store.back_up(Path::new("copy.db")).unwrap_err().to_string();
    assert!(copy.contains("pg_dump"), "{copy}");
}

#[test]
fn a_database_that_is_locked_says_so_and_one_writes_at_a_time() {
    let Some((location, mut store)) = store("locked") else { return };
    let mut other = Store::open(&location).unwrap();
    other.connection.batch("SET lock_timeout = '50ms'").unwrap();
    let held = store.write(|_| Ok(other.revoke_key(1, 0).unwrap_err().to_string())).unwrap();
    assert!(held.contains("locked by another program"), "{held}");
    assert!(!other.revoke_key(1, 0).unwrap());
}

#[test]
fn a_connection_that_ends_is_made_again_and_its_transaction_is_undone() {
    let Some((_, mut store)) = store("ended") else { return };
    let ended = store.write(|transaction| {
        transaction.execute("INSERT INTO servers (seen_at) VALUES (7)", params![])?;
        // The next statement finds that the connection is gone.
        let _ = transaction.batch("SELECT pg_terminate_backend(pg_backend_pid())");
        transaction.execute("INSERT INTO servers (seen_at) VALUES (8)", params![])
    });
    assert!(ended.is_err());
    let count = |store: &Store| {
        store.connection.query_row("SELECT count(*) FROM servers", params![], |row| row.get::<_, i64>(0))
    };
    assert_eq!(count(&store).or_else(|_| count(&store)).unwrap(), 0);
}
