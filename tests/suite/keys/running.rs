//! The real binary: first start, restart, changes at run time, output, TLS and the operators' address.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use parquote::operation::Tier;
use parquote::state::Store;
use serde_json::Value as Json;

use super::fixture::{UNKNOWN, new};
use super::program::{KeysFolder, Program, wait_for};
use crate::demo_market::SHIPPED;

/// Returns the key in a text.
fn key_in(text: &str) -> Option<String> {
    let at = text.find("pq_")?;
    Some(text[at..at + 35].to_owned())
}

/// `script` gives the program a terminal.
#[cfg(target_os = "linux")]
#[test]
fn the_first_start_on_a_terminal_shows_one_key_once_and_its_request_works() {
    if std::process::Command::new("script").arg("--version").output().is_err() {
        println!(
            "passed over: the program `script` is not installed, so that there is no terminal to start on"
        );
        return;
    }
    let place = KeysFolder::new();
    let server = place.serve_on_a_terminal("first");
    let said = server.said();
    let key = key_in(&said).unwrap();
    assert_eq!(said.matches("pq_").count(), 1, "{said}");
    let url = said.split('\'').find(|part| part.starts_with("http")).unwrap();
    let reply = server.fetch(url, &key);
    assert_eq!((reply.status, reply.json()["meta"]["tier"].as_str()), (200, Some("api_max")));
    server.stop();
    let again = place.serve("again", &[]);
    assert!(
        !again.said().contains("pq_") && again.said().contains("parquote keys issue"),
        "{}",
        again.said()
    );
    // A new hour may have begun.
    assert_eq!(again.get(&key, "market/sectors").left().map(|(day, _)| day), Some(4_998));
}

/// Output that is not a terminal counts as a log, which is stored and read by others.
#[test]
fn elsewhere_the_first_start_says_how_to_issue_a_key() {
    let place = KeysFolder::new();
    let server = place.serve("first", &[]);
    let said = server.said();
    let issue = "parquote keys issue --tier api_max --owner NAME";
    assert!(!said.contains("pq_") && said.contains(issue), "{said}");
    assert_eq!(Store::open(&place.path().join("state/parquote.db")).unwrap().keys().unwrap().len(), 0);
    // The printed command works while the server runs.
    assert_eq!(server.get(&place.issue(), "market/sectors").status, 200);
}

#[test]
fn no_key_stands_in_anything_that_is_written() {
    let place = KeysFolder::new();
    let server = place.serve("server", &["--log", "trace"]);
    let key = place.issue();
    let (_, issued, _) =
        place.run(&["keys", "issue", "--tier", "free", "--owner", "Ann", "--note", "a note"]);
    for key in [key.as_str(), &issued, UNKNOWN] {
        for path in [
            "market/sectors".to_owned(),
            format!("market/sectors?apiKey={key}"),
            format!("market/sectors?apikey={key}&api_key={key}"),
            format!("company/profile?symbol={key}"),
            format!("companies?sector=%70q_{}", &key[3..]),
            format!("{key}/{key}"),
        ] {
            server.get(key, &path);
        }
    }
    server.stop();
    place.run(&["keys", "list"]);
    let digits: Vec<&str> = [&key, &issued].iter().map(|key| &key[3..]).collect();
    for (file, bytes) in place.written() {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        assert_eq!(text.matches(digits[0]).count(), 0, "{file}");
        assert_eq!(text.matches(digits[1]).count(), 0, "{file}");
        assert!(!text.contains(UNKNOWN), "{file}");
        if file.ends_with("server.log") {
            assert!(text.lines().count() > 18, "{text}");
        }
    }
}

/// The log's thread formats lines some time after the reply.
#[test]
fn each_request_has_its_line_with_the_time_of_its_reply() {
    let place = KeysFolder::new();
    let server = place.serve("server", &["--log", "info", "--log-format", "json"]);
    let key = place.issue();
    let asked = ["market/sectors", "market/sectors?limit=x", "nothing"].map(|path| {
        let began = Utc::now();
        let reply = server.get(&key, path);
        (reply.headers["x-request-id"].to_str().unwrap().to_owned(), reply.status, began..=Utc::now())
    });
    server.stop();
    let log = std::fs::read_to_string(place.path().join("server.log")).unwrap();
    let lines: Vec<Json> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let lines: Vec<&Json> = lines.iter().filter(|line| line["fields"]["message"] == "request").collect();
    assert_eq!(lines.len(), asked.len(), "{log}");
    for (line, (id, status, during)) in lines.iter().zip(&asked) {
        let fields = &line["fields"];
        assert_eq!(
            (fields["id"].as_str(), fields["status"].as_u64()),
            (Some(&**id), Some(u64::from(*status)))
        );
        assert_eq!((&fields["method"], &line["target"]), (&"GET".into(), &"parquote_http::log".into()));
        let at: DateTime<Utc> = line["timestamp"].as_str().unwrap().parse().unwrap();
        // A line has its time in microseconds.
        assert!((*during.start() - TimeDelta::microseconds(1)..=*during.end()).contains(&at), "{line}");
    }
}

#[test]
fn counts_survive_a_kill() {
    let place = KeysFolder::new();
    let server = place.serve("first", &[]);
    let key = place.issue();
    for _ in 0..20 {
        assert_eq!(server.get(&key, "market/sectors").status, 200);
    }
    let state = place.path().join("state/parquote.db");
    wait_for("the write", || {
        Store::open(&state).unwrap().counters().unwrap().first().is_some_and(|row| row.total == 20)
    });
    let before = server.get(&key, "market/sectors").left().unwrap();
    server.kill();
    let server = place.serve("second", &[]);
    let (day, hour) = server.get(&key, "market/sectors").left().unwrap();
    // Leased calls may be lost, but no count is. (A new hour may begin meanwhile.)
    assert!((before.0 - 33..=before.0 - 1).contains(&day), "{before:?} {day}");
    assert!(hour <= before.1 || hour >= 998, "{before:?} {hour}");
    for _ in 0..5 {
        server.get(&key, "market/sectors");
    }
    // A stopped server loses nothing.
    server.stop();
    let total = Store::open(&state).unwrap().counters().unwrap()[0].total;
    assert!((26..=27).contains(&total), "{total}");
}

#[test]
fn changes_hold_in_a_running_server_within_a_second() {
    let place = KeysFolder::new();
    place.issue();
    let server = place.serve("server", &[]);
    let status = |key: &str| server.get(key, "market/sectors").status;
    let (issued, key, words) =
        place.run(&["keys", "issue", "--tier", "free", "--owner", "Ann", "--day", "7", "--unmetered"]);
    assert!(!issued && key.is_empty() && words.contains("--unmetered"), "{words}");
    for (owner, note) in [("Ann\u{202e}", ""), ("A\nnn", ""), (" ", ""), ("Ann", "a\u{200b}note")] {
        let (issued, key, words) =
            place.run(&["keys", "issue", "--tier", "free", "--owner", owner, "--note", note]);
        assert!(
            !issued && key.is_empty() && words.contains("visible characters"),
            "{owner:?} {note:?}: {words}"
        );
    }
    let (_, key, words) = place.run(&["keys", "issue", "--tier", "free", "--owner", "Ann", "--day", "7"]);
    assert!(words.contains("free") && words.contains("Ann") && !words.contains("pq_"), "{words}");
    assert_eq!(server.get(&key, "market/sectors").left(), Some((6, 9)));
    // The used calls count for the new key; the old one is invalid.
    let (_, rotated, _) = place.run(&["keys", "rotate", "2"]);
    assert_eq!(status(&key), 401);
    wait_for("the write", || place.run(&["keys", "list"]).1.contains("1 of 7"));
    let (_, kept, words) = place.run(&["keys", "rotate", "3", "--keep", "2s"]);
    assert!(words.contains("works until"), "{words}");
    assert_eq!((status(&rotated), status(&kept)), (200, 200));
    wait_for("the expiry", || status(&rotated) == 401);
    // Written directly into the file, as another program would.
    let mut store = Store::open(&place.path().join("state/parquote.db")).unwrap();
    let (secret, new) = new(Tier::ApiMax);
    let id = store.insert_key(&new).unwrap();
    let began = Instant::now();
    wait_for("the key", || status(secret.reveal()) == 200);
    store.revoke_key(id, 1).unwrap();
    wait_for("its end", || status(secret.reveal()) == 401);
    // The server checks every second; the rest is for a busy machine.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let (revoked, _, words) = place.run(&["keys", "revoke", "5"]);
    assert!(!revoked && words.contains("before"), "{words}");
    let (revoked, _, words) = place.run(&["keys", "revoke", "50"]);
    assert!(!revoked && words.contains("no key 50"), "{words}");
    let (_, listed, _) = place.run(&["keys", "list", "--json"]);
    assert_eq!(listed.lines().count(), 5);
    assert!(listed.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
}

#[test]
fn an_address_that_others_reach_needs_a_key_first() {
    let place = KeysFolder::new();
    let data = SHIPPED.sets.to_string_lossy();
    let arguments = ["serve", "--listen", "0.0.0.0:0", "--data", &data, "--state", "my.db"];
    let (done, said, words) = place.run(&arguments);
    assert!(!done && said.is_empty() && words.contains("parquote keys --state 'my.db' issue"), "{words}");
    let (_, key, _) = place.run(&["keys", "--state", "my.db", "issue", "--tier", "api_max", "--owner", "A"]);
    let server = place.serve("server", &["--listen", "0.0.0.0:0", "--state", "my.db"]);
    assert!(!server.said().contains("pq_"));
    drop(key);
}

#[test]
fn a_state_file_that_cannot_be_used_stops_the_start() {
    let place = KeysFolder::new();
    std::fs::write(place.path().join("notes.txt"), "no database, but long enough to be looked at as one")
        .unwrap();
    let (done, _, words) = place.run(&["serve", "--state", "notes.txt"]);
    assert!(!done && words.contains("notes.txt is not a state file"), "{words}");
    let (done, _, words) = place.run(&["keys", "--state", "/proc/nothing/here.db", "list"]);
    assert!(!done && words.contains("cannot be created"), "{words}");
}

#[test]
fn connections_are_encrypted_with_two_flags() {
    let place = KeysFolder::new();
    let folder = format!("{}/tests/suite/keys/tls", env!("CARGO_MANIFEST_DIR"));
    let (certificate, key) = (format!("{folder}/cert.pem"), format!("{folder}/key.pem"));
    let server = place.serve("server", &["--tls-cert", &certificate, "--tls-key", &key]);
    let said = server.said();
    assert!(said.contains("https://127.0.0.1"), "{said}");
    assert_eq!(server.get(&place.issue(), "market/sectors").status, 200);
    assert_eq!(strict_transport(&server, "quotes.example"), "max-age=31536000");
    drop(server);
    let (done, _, words) = place.run(&["serve", "--tls-cert", &certificate]);
    assert!(!done && words.contains("--tls-key"), "{words}");
    let (done, _, words) = place.run(&["serve", "--tls-cert", &key, "--tls-key", &key]);
    assert!(!done && words.contains("no certificate"), "{words}");
}

/// Returns the HSTS header under a host name.
fn strict_transport(server: &Program, host: &str) -> String {
    let reply = server.status_under(host);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let told = reply.headers.get("strict-transport-security");
    told.map(|told| told.to_str().unwrap().to_owned()).unwrap_or_default()
}

#[test]
fn under_a_public_address_browsers_come_over_https_alone() {
    let place = KeysFolder::new();
    let server = place.serve("public", &["--public-url", "https://quotes.example", "--admin", "0.0.0.0:0"]);
    // An operators' address that is open to the network causes a warning.
    let log = || std::fs::read_to_string(place.path().join("public.log")).unwrap();
    wait_for("the warning", || log().contains("--admin is open to the network"));
    assert_eq!(strict_transport(&server, "quotes.example"), "max-age=31536000");
    assert_eq!(strict_transport(&server, "127.0.0.1:8080"), "");
    drop(server);
    for more in [&["--public-url", "http://localhost:8080"][..], &[]] {
        let server = place.serve("plain", more);
        for host in ["quotes.example", "localhost:8080"] {
            assert_eq!(strict_transport(&server, host), "", "{more:?} {host}");
        }
    }
}
