//! Runs the tests of this crate a second time on PostgreSQL. One test starts a server and runs this test binary again, in which a schema of
//! that server replaces each file.

use std::path::Path;
use std::process::Command;

use super::database::{ROUND_TRIPS, params};
use super::error::StateError;
use super::location::StateLocation;
use super::{CounterDelta, CountingServer, LeaseOutcome, LeaseRequest, NewKey, Store};

#[path = "../../../tests/support/postgres_server.rs"]
mod postgres_server;

/// Environment variable with the URL of that server.
const SERVER: &str = "PARQUOTE_TEST_POSTGRES";

/// Returns the location of the schema that replaces a file; `None` without a test server.
pub(super) fn schema_for_file(path: &Path) -> Option<StateLocation> {
    let url = std::env::var(SERVER).ok()?;
    let schema = format!("t{}", blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex().split_at(24).0);
    postgres_server::run_sql(&url, &format!("CREATE SCHEMA IF NOT EXISTS {schema}"));
    let and = if url.contains('?') { '&' } else { '?' };
    Some(format!("{url}{and}options=-c%20search_path%3D{schema}").parse().unwrap())
}

/// Tests of file behaviour, which are skipped on PostgreSQL.
const OF_FILES: [&str; 5] = [
    "all_tests_of_the_state",
    "a_connection_is_encrypted",
    "store::tests",
    "schema::tests",
    "nothing_of_a_removed_or_replaced_key",
];

#[test]
fn all_tests_of_the_state_hold_in_postgresql() {
    let Some(server) = postgres_server::PostgresServer::start() else {
        return postgres_server::not_there("all tests of the state in PostgreSQL");
    };
    let mut run = Command::new(std::env::current_exe().unwrap());
    run.args(["--test-threads", "4"]);
    run.args(OF_FILES.iter().flat_map(|name| ["--skip", name]));
    let done = run.env(SERVER, server.url()).output().unwrap();
    let output = String::from_utf8_lossy(&done.stdout);
    let passed = output.matches("... ok").count();
    assert!(done.status.success() && passed >= 26, "{passed} passed: {output}");
}

#[test]
fn a_connection_is_encrypted_with_a_server_that_proves_who_it_is_and_with_no_other() {
    let file = |name: &str| {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .join("tests/suite/keys/tls")
            .join(name)
            .display()
            .to_string()
    };
    // The self-signed certificate is for 127.0.0.1 and has no name.
    let [certificate, key] =
        ["renewed_cert.pem", "renewed_key.pem"].map(|name| std::fs::read(file(name)).unwrap());
    let Some(server) = postgres_server::PostgresServer::start_encrypted(&certificate, &key) else {
        return postgres_server::not_there("encrypted connections to PostgreSQL");
    };
    let open = |host: &str, how: &str| {
        let url = format!("{}?{how}", server.url()).replace("127.0.0.1", host);
        let store = Store::open(url.parse::<StateLocation>().unwrap())?;
        let sql = "SELECT CASE WHEN ssl THEN 1 ELSE 0 END FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        Ok(store.connection.query_row(sql, params![], |row| row.get::<_, bool>(0)).unwrap())
    };
    let trusts = |name: &str| format!("sslrootcert={}", file(name));
    for (how, is_encrypted) in [
        (trusts("renewed_cert.pem"), true),
        (format!("sslmode=require&{}", trusts("renewed_cert.pem")), true),
        (format!("sslmode=verify-full&{}", trusts("renewed_cert.pem")), true),
        ("sslmode=disable".to_owned(), false),
    ] {
        let opened: Result<bool, StateError> = open("127.0.0.1", &how);
        assert_eq!(opened.unwrap(), is_encrypted, "{how}");
    }
    assert!(!open("localhost", "sslmode=disable").unwrap());
    let refused = |host: &str, how: &str| open(host, how).unwrap_err().to_string();
    for (host, how) in [
        // The certificate is signed by no root of this machine, or by a root that is not the named one.
        ("127.0.0.1", "sslmode=require".to_owned()),
        ("127.0.0.1", trusts("cert.pem")),
        // The certificate is for another host name.
        ("localhost", trusts("renewed_cert.pem")),
    ] {
        let message = refused(host, &how);
        assert!(
            message.contains("not trusted") && message.contains("?sslrootcert=FILE"),
            "{host} {how}: {message}"
        );
    }
    for how in [trusts("key.pem"), trusts("nothing.pem")] {
        let message = refused("127.0.0.1", &how);
        assert!(
            message.contains("no PEM file of certificates") && message.contains("tls/"),
            "{how}: {message}"
        );
    }
    // `require` never falls back to a clear-text connection.
    let clear = postgres_server::PostgresServer::start().unwrap();
    let url = format!("{}?sslmode=require", clear.url());
    let message = Store::open(url.parse::<StateLocation>().unwrap()).unwrap_err().to_string();
    assert!(message.contains("disable where the server has no TLS"), "{message}");
}

/// Opens a store in a separate schema; `None` without a test server.
fn store(name: &str) -> Option<(StateLocation, Store)> {
    let folder = tempfile::tempdir().unwrap();
    let location = schema_for_file(&folder.path().join(name))?;
    let store = Store::open(&location).unwrap();
    Some((location, store))
}

#[test]
fn an_empty_database_stays_empty_until_a_state_is_made_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let Some(location) = schema_for_file(&folder.path().join("empty")) else { return };
    // The first attempt would leave tables to the second.
    for _ in 0..2 {
        let absent = Store::open_existing(&location).unwrap_err().to_string();
        assert!(absent.contains("there is no state in the database"), "{absent}");
    }
    Store::open(&location).unwrap();
    Store::open_existing(&location).unwrap();
}

#[test]
fn databases_of_others_and_of_other_versions_are_refused() {
    let Some((location, store)) = store("newer") else { return };
    store.connection.execute("UPDATE parquote_schema SET version = 99", params![]).unwrap();
    let newer = Store::open(&location).unwrap_err().to_string();
    assert!(newer.contains("version 99") && newer.contains("knows version 1"), "{newer}");
    store.connection.batch("ALTER TABLE parquote_schema RENAME TO parquote_state").unwrap();
    let development = Store::open(&location).unwrap_err().to_string();
    assert!(development.contains("development version"), "{development}");
    store.connection.batch("DROP TABLE parquote_state").unwrap();
    let foreign = Store::open(&location).unwrap_err().to_string();
    assert!(foreign.contains("tables of another program"), "{foreign}");
    let copy = store.back_up(Path::new("copy.db")).unwrap_err().to_string();
    assert!(copy.contains("pg_dump"), "{copy}");
}

#[test]
fn a_lease_asks_the_database_twice() {
    let Some((_, mut store)) = store("asked") else { return };
    let key_id = store.insert_key(&NewKey::of_test(1)).unwrap();
    let server = CountingServer { id: store.enter_server(0).unwrap(), now: 0, last_read_change: i64::MAX };
    let used =
        CounterDelta { key_id, day: 1, day_used: 1, hour: 24, hour_used: 1, total: 1, last_used_at: 0 };
    let ask = LeaseRequest {
        used,
        held_calls: 0,
        needed_calls: 1,
        wants_more: true,
        quota_day: 50,
        quota_hour: 10,
    };
    let mut round_trips = || {
        let before = ROUND_TRIPS.get();
        assert!(matches!(store.settle(server, &[ask], &[]).unwrap(), LeaseOutcome::Done { .. }));
        ROUND_TRIPS.get() - before
    };
    // The first call also prepares statements.
    round_trips();
    eprintln!("round trips of a lease: {}", round_trips());
    assert_eq!(round_trips(), 2);
}

#[test]
fn a_database_that_is_locked_says_so_and_one_writes_at_a_time() {
    let Some((location, mut store)) = store("locked") else { return };
    let mut other = Store::open(&location).unwrap();
    other.connection.batch("SET lock_timeout = '50ms'").unwrap();
    let held = store.write(|transaction| {
        // The first statement takes the lock.
        transaction.execute("DELETE FROM servers", params![])?;
        Ok(other.revoke_key(1, 0).unwrap_err().to_string())
    });
    let held = held.unwrap();
    assert!(held.contains("locked by another program"), "{held}");
    assert!(!other.revoke_key(1, 0).unwrap());
}

#[test]
fn a_connection_that_ends_is_made_again_and_its_transaction_is_undone() {
    let Some((_, mut store)) = store("ended") else { return };
    let ended = store.write(|transaction| {
        transaction.execute("INSERT INTO servers (seen_at) VALUES (7)", params![])?;
        // The next statement fails on the closed connection.
        let _ = transaction.batch("SELECT pg_terminate_backend(pg_backend_pid())");
        transaction.execute("INSERT INTO servers (seen_at) VALUES (8)", params![])
    });
    assert!(ended.is_err());
    let count = |store: &Store| {
        store.connection.query_row("SELECT count(*) FROM servers", params![], |row| row.get::<_, i64>(0))
    };
    assert_eq!(count(&store).or_else(|_| count(&store)).unwrap(), 0);
}
