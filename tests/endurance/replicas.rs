//! Quotas over four servers whose state is in PostgreSQL, while servers are killed and PostgreSQL crashes: never more calls than the
//! quota, and at most the killed servers' leases fewer.
//!
//! `PARQUOTE_KILLS` is the number of killed servers.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use parquote::state::{CountingServer, StateLocation, Store};
use reqwest::Client;

use crate::demo_market::{RUNTIME, SHIPPED};
use crate::postgres_server::{PostgresServer, not_there};
use crate::running_server::{RunningServer, issue_key, wait_for};

const QUOTAS: [usize; 3] = [10, 50, 1_000];
const SERVERS: usize = 4;
const CLIENTS: usize = 8;
/// The most that a server leases of a quota, and its clients' calls that a kill cut off.
const LOST_BY_ONE: [usize; 3] = [1 + CLIENTS, 3 + CLIENTS, 32 + CLIENTS];

fn command(folder: &Path, state: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
    command.current_dir(folder).stdin(Stdio::null()).env("PARQUOTE_STATE", state);
    command
}

fn serve(folder: &Path, state: &str, name: &str, more: &[&str]) -> RunningServer {
    let mut command = command(folder, state);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data", &SHIPPED.sets.to_string_lossy()]).args(more);
    RunningServer::start(command, folder.join(format!("{name}.out")), &folder.join(format!("{name}.log")))
}

/// Calls the servers in turn with one key until it is stopped; returns the number of answers.
async fn ask(client: &Client, urls: &Mutex<Vec<String>>, key: &str, nth: usize, ends: &AtomicBool) -> usize {
    let mut answered = 0;
    for call in nth.. {
        if ends.load(Ordering::Relaxed) {
            break;
        }
        let url = urls.lock().unwrap()[call % SERVERS].clone();
        let asked = client.get(format!("{url}/market/sectors")).header("x-api-key", key).send().await;
        let status = asked.map_or(0, |reply| reply.status().as_u16());
        assert!([0, 200, 429, 503].contains(&status), "{status}");
        if status == 200 {
            answered += 1;
        }
        tokio::time::sleep(Duration::from_millis(if status == 200 { 20 } else { 200 })).await;
    }
    answered
}

/// Returns the used and the leased calls of each quota.
fn counted(state: &str) -> Vec<(usize, usize)> {
    let store = Store::open(state.parse::<StateLocation>().unwrap()).unwrap();
    let changes = store.changes_since(None, CountingServer { id: 0, now: 0, last_read_change: 0 }).unwrap();
    let mut rows = changes.counters;
    rows.sort_by_key(|row| row.usage.key_id);
    rows.iter().map(|row| (row.usage.day_used as usize, row.day_held as usize)).collect()
}

#[test]
fn no_kill_and_no_crash_lets_in_more_than_a_quota() {
    let Some(postgres) = PostgresServer::start() else {
        return not_there("quotas over four servers with their state in PostgreSQL");
    };
    let kills = std::env::var("PARQUOTE_KILLS").map_or(3, |kills| kills.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let state = postgres.url();
    let keys = QUOTAS.map(|quota| {
        let quota = quota.to_string();
        issue_key(command(folder.path(), &state), "Ann", &["--day", &quota, "--hour", &quota])
    });
    let mut servers: Vec<RunningServer> =
        (0..SERVERS).map(|nth| serve(folder.path(), &state, &nth.to_string(), &[])).collect();
    let urls = Arc::new(Mutex::new(servers.iter_mut().map(RunningServer::url).collect::<Vec<_>>()));
    let client = Client::builder().no_proxy().build().unwrap();
    let (ends, answered) = (Arc::new(AtomicBool::new(false)), Arc::new([0; 3].map(AtomicUsize::new)));
    let asking: Vec<_> = (0..QUOTAS.len() * CLIENTS)
        .map(|nth| {
            let (client, urls, key) = (client.clone(), Arc::clone(&urls), keys[nth % 3].clone());
            let (ends, answered) = (Arc::clone(&ends), Arc::clone(&answered));
            RUNTIME.spawn(async move {
                let count = ask(&client, &urls, &key, nth, &ends).await;
                answered[nth % 3].fetch_add(count, Ordering::Relaxed);
            })
        })
        .collect();
    let pause = || std::thread::sleep(Duration::from_millis(700));
    for kill in 0..kills {
        pause();
        let nth = kill % SERVERS;
        servers.remove(nth).kill();
        let mut server = serve(folder.path(), &state, &format!("after-{kill}"), &[]);
        urls.lock().unwrap()[nth] = server.url();
        servers.insert(nth, server);
        if kill == 0 {
            pause();
            postgres.stop();
            pause();
            postgres.resume();
        }
    }
    // The rest of each quota is used up; leases of killed servers are not returned.
    let mut last = Vec::new();
    wait_for("the end of the quotas", || {
        let now = counted(&state);
        let is_used = now.iter().zip(QUOTAS).all(|((used, held), quota)| used + held == quota);
        let is_over = now.len() == QUOTAS.len() && is_used && now == last;
        last = now;
        std::thread::sleep(Duration::from_secs(1));
        is_over
    });
    ends.store(true, Ordering::Relaxed);
    RUNTIME.block_on(futures::future::join_all(asking)).into_iter().for_each(|done| done.unwrap());
    let events = kills + SERVERS;
    for (nth, quota) in QUOTAS.into_iter().enumerate() {
        let answered = answered[nth].load(Ordering::Relaxed);
        let (used, held) = last[nth];
        eprintln!("quota {quota}: {answered} answered, {used} used, {held} held by servers that are gone");
        assert!(answered <= quota && used + held == quota, "{quota}: {answered} {used} {held}");
        assert!(answered + events * LOST_BY_ONE[nth] >= quota, "{quota}: {answered} {used} {held}");
    }
    servers.into_iter().for_each(RunningServer::stop);
}

#[test]
fn without_postgresql_leases_are_spent_and_a_start_says_what_is_missing() {
    let Some(postgres) = PostgresServer::start() else {
        return not_there("a server whose PostgreSQL is away");
    };
    let folder = tempfile::tempdir().unwrap();
    let state = postgres.url().replace("postgres@", "postgres:never-shown@");
    let issue = |more: &[&str]| issue_key(command(folder.path(), &state), "Ann", more);
    let (key, second) = (issue(&["--day", "1000", "--hour", "1000"]), issue(&[]));
    let ways = [("one", &[][..]), ("other", &["--without-state", "serve"])];
    let servers = ways.map(|(name, more)| {
        let mut server = serve(folder.path(), &state, name, more);
        let url = server.url();
        (server, url)
    });
    let client = Client::builder().no_proxy().build().unwrap();
    let ask = |nth: usize, key: &str| {
        let asked = client.get(format!("{}/market/sectors", servers[nth].1)).header("x-api-key", key);
        let reply = RUNTIME.block_on(asked.send()).unwrap();
        (reply.status().as_u16(), reply.headers().contains_key("retry-after"))
    };
    // A key revoked on the command line stops working on both servers.
    assert_eq!(ask(0, &second).0, 200);
    let began = std::time::Instant::now();
    let revoked = command(folder.path(), &state).args(["keys", "revoke", "2"]).output().unwrap();
    assert!(revoked.status.success());
    wait_for("the revocation", || ask(0, &second).0 == 401 && ask(1, &second).0 == 401);
    eprintln!("revoked after {:?}, the command included", began.elapsed());
    assert_eq!(ask(0, &key).0, 200);
    postgres.stop();
    let mut served = 0;
    wait_for("the end of the lease", || {
        let (status, has_time) = ask(0, &key);
        assert!(status == 200 || (status == 503 && has_time), "{status}");
        served += usize::from(status == 200);
        status == 503
    });
    // The leased calls: at most 32.
    assert!((1..=32).contains(&served), "{served}");
    // The other server is configured to serve without its state, beyond any lease.
    let served = (0..40).filter(|_| ask(1, &key).0 == 200).count();
    assert_eq!(served, 40);
    let refused = command(folder.path(), &state).args(["keys", "list"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("postgres://postgres@127.0.0.1:"), "{said}");
    postgres.resume();
    wait_for("the state", || ask(0, &key).0 == 200);
    for name in ["one", "other"] {
        let log = std::fs::read_to_string(folder.path().join(format!("{name}.log"))).unwrap();
        assert!(!(log + &said).contains("never-shown"));
    }
    for (server, _) in servers {
        server.stop();
    }
}
