//! Files of a server that change or fail while it runs: its certificate, and its state file.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use reqwest::{Certificate, Client};
use rusqlite::Connection;

use super::program::{KeysFolder, wait_for};
use crate::demo_market::RUNTIME;

fn tls(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/keys/tls").join(name)
}

/// Replaces a file atomically, as programs that renew certificates do.
fn replace_file(from: &str, to: &Path) {
    let beside = to.with_extension("new");
    std::fs::copy(tls(from), &beside).unwrap();
    std::fs::rename(beside, to).unwrap();
}

/// Returns true if a client that trusts only this certificate gets an answer over a new connection.
fn is_met(url: &str, certificate: &str) -> bool {
    let certificate = Certificate::from_pem(&std::fs::read(tls(certificate)).unwrap()).unwrap();
    let client =
        Client::builder().no_proxy().tls_built_in_root_certs(false).add_root_certificate(certificate);
    let client = client.build().unwrap();
    RUNTIME.block_on(async { client.get(format!("{url}/status")).send().await.is_ok() })
}

#[test]
fn a_certificate_that_is_renewed_is_taken_up_and_one_that_is_broken_is_not() {
    let place = KeysFolder::new();
    let (certificate, key) = (place.path().join("cert.pem"), place.path().join("key.pem"));
    replace_file("cert.pem", &certificate);
    replace_file("key.pem", &key);
    let (certificate_flag, key_flag) = (certificate.to_string_lossy(), key.to_string_lossy());
    let server = place.serve("server", &["--tls-cert", &certificate_flag, "--tls-key", &key_flag]);
    let log = || std::fs::read_to_string(place.path().join("server.log")).unwrap();
    assert_eq!((is_met(server.url(), "cert.pem"), is_met(server.url(), "renewed_cert.pem")), (true, false));
    // A certificate without its key: the previous pair stays in use, and the log says so.
    replace_file("renewed_cert.pem", &certificate);
    wait_for("the words about it", || log().contains("the certificate that was read before stays in use"));
    assert_eq!((is_met(server.url(), "cert.pem"), is_met(server.url(), "renewed_cert.pem")), (true, false));
    replace_file("renewed_key.pem", &key);
    wait_for("the renewed certificate", || is_met(server.url(), "renewed_cert.pem"));
    assert!(!is_met(server.url(), "cert.pem"));
}

/// Another program that locks the file has the effect of a full disk: reads go on, and no write succeeds.
#[test]
fn a_state_file_that_cannot_be_written_is_seen_and_tried_again() {
    let place = KeysFolder::new();
    let key = place.issue();
    // This port was free a moment ago.
    let admin = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let server = place.serve("server", &["--admin", &admin]);
    let standing = || server.fetch(&format!("http://{admin}/readyz"), "").json();
    assert_eq!(standing()["state_file"]["usable"], true);
    let holder = Connection::open(place.path().join("state/parquote.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(server.get(&key, "market/sectors").status, 200);
    wait_for("the failure", || standing()["state_file"]["usable"] == false);
    // The server still answers and counts, and is ready.
    let before = server.get(&key, "market/sectors").left().unwrap();
    assert_eq!(standing()["ready"], true);
    // The log reports the failure once, even after several attempts.
    let failures = || standing()["state_file"]["failures"].as_u64().unwrap();
    wait_for("the second try", || failures() >= 2);
    assert_eq!(server.get(&key, "market/sectors").left().unwrap().0, before.0 - 1);
    let log = std::fs::read_to_string(place.path().join("server.log")).unwrap();
    assert_eq!(log.matches("counts are held in memory until then").count(), 1, "{log}");
    assert!(failures() <= 8);
    holder.execute_batch("ROLLBACK").unwrap();
    drop(holder);
    wait_for("the next try", || standing()["state_file"]["usable"] == true);
    server.stop();
    let store = parquote::state::Store::open(&place.path().join("state/parquote.db")).unwrap();
    assert_eq!(store.counters().unwrap()[0].total, 3);
}

/// As if an administrator restores a backup without stopping the server.
#[cfg(unix)]
#[test]
fn a_state_file_that_is_moved_away_is_seen_and_its_successor_is_taken_up() {
    let place = KeysFolder::new();
    let key = place.issue();
    let (copied, _, words) = place.run(&["state", "backup", "copy.db"]);
    assert!(copied, "{words}");
    let later = place.issue();
    let admin = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let server = place.serve("server", &["--admin", &admin]);
    let standing = || server.fetch(&format!("http://{admin}/readyz"), "").json()["state_file"].clone();
    let status = |key: &str| server.get(key, "market/sectors").status;
    assert_eq!((status(&key), status(&later)), (200, 200));
    let state = |ending: &str| place.path().join(format!("state/parquote.db{ending}"));
    let away = |ending: &str| place.path().join(format!("away.db{ending}"));
    std::fs::rename(state(""), away("")).unwrap();
    let reason = || standing()["reason"].as_str().unwrap_or_default().to_owned();
    wait_for("the words", || reason().contains("was moved away or replaced"));
    assert_eq!((standing()["usable"].as_bool(), status(&key), status(&later)), (Some(false), 200, 200));
    // The new file next to the old write-ahead log would mix both.
    std::fs::rename(place.path().join("copy.db"), state("")).unwrap();
    wait_for("the words", || reason().contains("parquote.db-wal belongs to the previous file"));
    for ending in ["-wal", "-shm"] {
        std::fs::rename(state(ending), away(ending)).unwrap();
    }
    wait_for("the new file", || standing()["usable"] == true);
    assert_eq!((status(&key), status(&later)), (200, 401));
    // The server sees changes of the command line again.
    let (revoked, _, words) = place.run(&["keys", "revoke", "1"]);
    assert!(revoked, "{words}");
    wait_for("the end of the key", || status(&key) == 401);
    server.stop();
    let log = std::fs::read_to_string(place.path().join("server.log")).unwrap();
    assert_eq!(
        log.matches("the state file was replaced: the file that is there now is used").count(),
        1,
        "{log}"
    );
    assert_eq!(parquote::state::Store::open(&away("")).unwrap().keys().unwrap().len(), 2);
}
