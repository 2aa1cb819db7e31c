//! Guarantees of quotas, each on the real binary: a count is exact under concurrent calls, over a restart, over a kill, and
//! with two servers on one state file.

use parquote::state::Store;
use reqwest::Client;

use super::program::{KeysFolder, Program, wait_for};
use crate::demo_market::RUNTIME;

/// A route that is free of charge, because the key's tier is too low, and that shows the day's remaining allowance.
const FREE_OF_CHARGE: &str = "market/rs-changes";

/// Issues a free key: fifty calls a day, and as many an hour, so that a new hour within a test changes nothing.
fn key(place: &KeysFolder) -> String {
    let (issued, key, words) =
        place.run(&["keys", "issue", "--tier", "free", "--owner", "Ann", "--day", "50", "--hour", "50"]);
    assert!(issued, "{words}");
    key
}

fn left(server: &Program, key: &str) -> i64 {
    let reply = server.get(key, FREE_OF_CHARGE);
    assert_eq!(reply.status, 403);
    reply.left().unwrap().0
}

/// Sends `calls` concurrent requests to each server; returns the number of answers. All others must be refused with 429.
fn answered(servers: &[&Program], key: &str, calls: usize) -> usize {
    let client = Client::builder().no_proxy().build().unwrap();
    let call = |server: &Program| {
        client.get(format!("{}/market/sectors", server.url())).header("x-api-key", key).send()
    };
    let calls = (0..calls).flat_map(|_| servers.iter().map(|server| call(server)));
    let statuses: Vec<u16> = RUNTIME
        .block_on(futures::future::join_all(calls))
        .into_iter()
        .map(|reply| reply.unwrap().status().as_u16())
        .collect();
    assert!(statuses.iter().all(|status| [200, 429].contains(status)), "{statuses:?}");
    statuses.iter().filter(|status| **status == 200).count()
}

/// Returns the total calls of the key in the state file.
fn written(place: &KeysFolder) -> i64 {
    let store = Store::open(&place.path().join("state/parquote.db")).unwrap();
    store.counters().unwrap().first().map_or(0, |row| row.total)
}

#[test]
fn at_once() {
    let place = KeysFolder::new();
    let key = key(&place);
    let server = place.serve("server", &[]);
    assert_eq!(answered(&[&server], &key, 200), 50);
    assert_eq!((left(&server, &key), answered(&[&server], &key, 20)), (0, 0));
}

#[test]
fn over_a_restart() {
    let place = KeysFolder::new();
    let key = key(&place);
    let server = place.serve("first", &[]);
    assert_eq!(answered(&[&server], &key, 30), 30);
    // Written at once, before the next write is due.
    server.stop();
    assert_eq!(written(&place), 30);
    let server = place.serve("second", &[]);
    assert_eq!((left(&server, &key), answered(&[&server], &key, 30)), (20, 20));
}

#[test]
fn over_a_kill() {
    let place = KeysFolder::new();
    let key = key(&place);
    let server = place.serve("first", &[]);
    assert_eq!(answered(&[&server], &key, 30), 30);
    // Counts are written within a second.
    wait_for("the write", || written(&place) == 30);
    server.kill();
    let server = place.serve("second", &[]);
    // The leased calls, at most a quarter of the rest, are lost to the key; no counted call is lost.
    let left = left(&server, &key);
    assert!((15..=20).contains(&left), "{left}");
    assert_eq!(answered(&[&server], &key, 30) as i64, left);
}

#[test]
fn by_two_servers() {
    let place = KeysFolder::new();
    let key = key(&place);
    let servers = [place.serve("one", &[]), place.serve("other", &[])];
    // 2 * 10 of 50, at both servers concurrently; then each knows the other's count.
    let both: Vec<&Program> = servers.iter().collect();
    assert_eq!(answered(&both, &key, 10), 20);
    for server in &servers {
        wait_for("the other's count", || left(server, &key) == 30);
    }
    assert_eq!((answered(&both[..1], &key, 25), written(&place) <= 45), (25, true));
    for server in &servers {
        wait_for("the other's count", || left(server, &key) == 5);
    }
    // The first server may have just leased a call; it returns that within seconds.
    let mut given = 0;
    wait_for("all that is left", || {
        given += answered(&both[1..], &key, 20);
        given >= 5
    });
    assert_eq!(given, 5);
    for server in &servers {
        wait_for("the other's count", || left(server, &key) == 0);
        assert_eq!(answered(&[server], &key, 5), 0);
    }
    // A server knows another's leases at once, and their use within a second.
    wait_for("the write", || written(&place) == 50);
    let [one, other] = servers;
    one.stop();
    // A stopped server has written its count and has not reverted the other's.
    assert_eq!((left(&other, &key), written(&place)), (0, 50));
    other.stop();
    assert_eq!(written(&place), 50);
}
