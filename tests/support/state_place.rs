//! Runs the tests of a crate that writes to the state once more with the state in PostgreSQL: one test starts a server and runs the test
//! binary again, with a schema of that server in place of each file.

use std::path::Path;
use std::process::Command;

use parquote_state::StateLocation;

#[path = "postgres_server.rs"]
#[expect(dead_code, reason = "encrypted connections are tested with the state itself")]
mod postgres_server;

/// The environment variable with the server's URL; set only in the second run.
const SERVER: &str = "PARQUOTE_TEST_POSTGRES";

/// Returns the state location for a test that names this file: the file itself, or a PostgreSQL schema named by its hash.
pub(crate) fn state_at(path: &Path) -> StateLocation {
    let Ok(url) = std::env::var(SERVER) else { return path.into() };
    let schema = format!("t{}", blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex().split_at(24).0);
    postgres_server::run_sql(&url, &format!("CREATE SCHEMA IF NOT EXISTS {schema}"));
    let and = if url.contains('?') { '&' } else { '?' };
    format!("{url}{and}options=-c%20search_path%3D{schema}").parse().unwrap()
}

/// Runs the tests with these names against PostgreSQL, except those about files; at least `at_least` must pass.
pub(crate) fn hold_in_postgresql(names: &[&str], of_files: &[&str], at_least: usize) {
    let built = parquote_state::HAS_POSTGRES;
    let Some(server) = built.then(postgres_server::PostgresServer::start).flatten() else {
        return postgres_server::not_there("the tests of the state in PostgreSQL");
    };
    let mut run = Command::new(std::env::current_exe().unwrap());
    run.args(names).args(["--test-threads", "4", "--skip", "hold_in_postgresql"]);
    run.args(of_files.iter().flat_map(|name| ["--skip", name]));
    let done = run.env(SERVER, server.url()).output().unwrap();
    let told = String::from_utf8_lossy(&done.stdout);
    let passed = told.matches("... ok").count();
    assert!(done.status.success() && passed >= at_least, "{passed} passed: {told}");
}
