//! One quota over several servers on one state file: bursts at all of them, and one server killed in a burst.
//!
//! `PARQUOTE_KILLS` is the number of kills.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use parquote::state::Store;
use reqwest::Client;

use crate::demo_market::{RUNTIME, SHIPPED};
use crate::running_server::{RunningServer, issue_key, wait_for};

/// The most that a server leases of a quota of a hundred: a quarter of it.
const HELD: usize = 25;

/// A folder with a state file, in which servers run.
struct QuotaFolder {
    folder: tempfile::TempDir,
    client: Client,
}

impl QuotaFolder {
    fn new() -> Self {
        let client = Client::builder().no_proxy().build().unwrap();
        Self { folder: tempfile::tempdir().unwrap(), client }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Issues a key of a hundred calls a day, and as many an hour, so that a new hour changes nothing.
    fn key(&self) -> String {
        issue_key(self.command(), "Ann", &["--day", "100", "--hour", "100"])
    }

    fn serve(&self, name: &str) -> (RunningServer, String) {
        let mut command = self.command();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data", &SHIPPED.sets.to_string_lossy()]);
        let path = |ending| self.folder.path().join(format!("{name}.{ending}"));
        let mut server = RunningServer::start(command, path("out"), &path("log"));
        let url = server.url();
        (server, url)
    }

    /// Sends `calls` requests to each of these servers; returns the number of answers and calls `each` for every one.
    fn burst(&self, urls: &[&str], key: &str, calls: usize, each: impl Fn() + Sync) -> usize {
        let call = async |url: &str| {
            let request = self.client.get(format!("{url}/market/sectors")).header("x-api-key", key);
            // A killed server does not answer.
            let Ok(reply) = request.send().await else { return false };
            let status = reply.status().as_u16();
            assert!([200, 429].contains(&status), "{status}");
            if status == 200 {
                each();
            }
            status == 200
        };
        let calls = (0..calls).flat_map(|_| urls.iter().map(|url| call(url)));
        RUNTIME
            .block_on(futures::future::join_all(calls))
            .into_iter()
            .filter(|is_answered| *is_answered)
            .count()
    }

    /// Returns the day's calls in the file: used, and leased by any server.
    fn counted(&self) -> (i64, i64) {
        let store = Store::open(&self.folder.path().join("state/parquote.db")).unwrap();
        let server = parquote::state::CountingServer { id: 0, now: 0, last_read_change: 0 };
        let changes = store.changes_since(None, server).unwrap();
        changes.counters.first().map_or((0, 0), |row| (row.usage.day_used, row.day_held))
    }
}

#[test]
fn two_servers_never_let_in_more_than_a_quota() {
    let place = QuotaFolder::new();
    let key = place.key();
    let (one, other) = (place.serve("one"), place.serve("other"));
    let urls = [one.1.as_str(), other.1.as_str()];
    let answered = place.burst(&urls, &key, 200, || ());
    assert!((100 - 2 * HELD..=100).contains(&answered), "{answered}");
    // Unused leases are returned, and then the quota can be used up completely.
    wait_for("the leases", || place.counted() == (answered as i64, 0));
    assert_eq!(answered + place.burst(&urls[..1], &key, 50, || ()), 100);
    assert_eq!(place.burst(&urls, &key, 20, || ()), 0);
    one.0.stop();
    other.0.stop();
    assert_eq!(place.counted(), (100, 0));
}

#[test]
fn a_server_that_is_killed_loses_what_it_held_and_nothing_is_let_in_twice() {
    let kills = std::env::var("PARQUOTE_KILLS").map_or(1, |kills| kills.parse().unwrap());
    for _ in 0..kills {
        let place = QuotaFolder::new();
        let key = place.key();
        let (one, other) = (place.serve("one"), place.serve("other"));
        let urls = [one.1.as_str(), other.1.as_str()];
        let (answers, victim) = (AtomicUsize::new(0), std::sync::Mutex::new(Some(one.0)));
        let answered = place.burst(&urls, &key, 40, || {
            if answers.fetch_add(1, Ordering::Relaxed) == 20 {
                victim.lock().unwrap().take().unwrap().kill();
            }
        });
        let again = place.serve("again");
        let mut total = answered;
        wait_for("the end", || {
            total += place.burst(&[urls[1], again.1.as_str()], &key, 20, || ());
            let (used, held) = place.counted();
            // Any remaining lease belongs to the killed server.
            used + held == 100 && place.burst(&[urls[1], again.1.as_str()], &key, 5, || ()) == 0
        });
        // Replies that the kill cut off were counted, but are not among the answers.
        let (used, held) = place.counted();
        assert!(total <= 100 && used + held == 100 && held as usize <= HELD + 40, "{total} {used} {held}");
        other.0.stop();
        again.0.stop();
    }
}
