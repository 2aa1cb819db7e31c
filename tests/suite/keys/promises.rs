//! What is promised of quotas, each on the real binary: a count is exact however many ask at once, over a restart, over a kill, and
//! where two servers share one state file.

use parquote::state::Store;
use reqwest::Client;

use super::program::{KeysFolder, Program, wait_for};
use crate::demo_market::RUNTIME;

/// A route that costs nothing, as the key's tier does not reach it, and says what is left of the day.
const FREE_OF_CHARGE: &str = "market/rs-changes";

/// A free key: fifty a day, and as many in one hour, so that the turn of an hour within a test changes nothing.
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

/// How many of so many calls at once are answered; all others are told that nothing is left.
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

/// What the state file has of all calls of the key.
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
    // At once, before the next write is due.
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
    // What was counted more than a second ago is in the file.
    wait_for("the write", || written(&place) == 30);
    server.kill();
    let server = place.serve("second", &[]);
    // What it had leased is lost to the key, and nothing is counted less: a quarter of what was left at most.
    let left = left(&server, &key);
    assert!((15..=20).contains(&left), "{left}");
    assert_eq!(answered(&[&server], &key, 30) as i64, left);
}

#[test]
fn by_two_servers() {
    let place = KeysFolder::new();
    let key = key(&place);
    let servers = [place.serve("one", &[]), place.serve("other", &[])];
    // 2 * 10 of 50, at both at once; then each knows of the other's.
    let both: Vec<&Program> = servers.iter().collect();
    assert_eq!(answered(&both, &key, 10), 20);
    for server in &servers {
        wait_for("the other's count", || left(server, &key) == 30);
    }
    assert_eq!((answered(&both[..1], &key, 25), written(&place) <= 45), (25, true));
    for server in &servers {
        wait_for("the other's count", || left(server, &key) == 5);
    }
    // The first may have asked for a call ahead just now; it gives that back within seconds.
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
    // A server knows at once what another has leased, and within a second what it spent of that.
    wait_for("the write", || written(&place) == 50);
    let [one, other] = servers;
    one.stop();
    // One that ends has written its count and taken nothing back of the other's.
    assert_eq!((left(&other, &key), written(&place)), (0, 50));
    other.stop();
    assert_eq!(written(&place), 50);
}
