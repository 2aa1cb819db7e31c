//! Limits on requests and on wrong keys.

use parquote::access::Secret;
use parquote::http::HttpSettings;
use parquote::operation::Tier;
use reqwest::Method;

use super::fixture::{Fixture, NOON, UNKNOWN, new};

fn fixture(wrong_keys: u32, settings: HttpSettings) -> (Fixture, Secret) {
    let (secret, key) = new(Tier::ApiMax);
    (Fixture::with(&[&key], wrong_keys, settings), secret)
}

#[test]
fn wrong_keys_are_slowed_down_and_right_ones_are_not() {
    let (fixture, key) = fixture(5, HttpSettings::default());
    let wrong = || fixture.ask(Method::GET, "market/sectors", &[("x-api-key", UNKNOWN)]);
    fixture.at(NOON + 20);
    for _ in 0..5 {
        assert_eq!(wrong().status, 401);
    }
    let reply = wrong();
    assert_eq!((reply.status, reply.header("retry-after"), reply.left()), (429, Some(40), Some((0, 0))));
    assert!(reply.message().contains("wrong API keys"));
    assert_eq!(fixture.get(&key, "market/sectors").status, 200);
    // A missing key does not count as a wrong one, and operations without keys still answer.
    assert_eq!(fixture.ask(Method::GET, "market/sectors", &[]).status, 401);
    assert_eq!(fixture.ask(Method::GET, "status", &[("x-api-key", UNKNOWN)]).status, 200);
    fixture.at(NOON + 60);
    assert_eq!(wrong().status, 401);
}

/// Replies without a required key show a key's remaining allowance, so wrong keys could be probed there.
#[test]
fn wrong_keys_count_where_no_key_is_needed_too() {
    let (fixture, _) = fixture(2, HttpSettings::default());
    let wrong = |path: &str| fixture.ask(Method::GET, path, &[("x-api-key", UNKNOWN)]).status;
    let statuses = ["status", "status", "market/sectors"].map(wrong);
    assert_eq!(statuses, [200, 200, 429]);
}

#[test]
fn beyond_the_bound_on_requests_under_way_there_is_a_clear_503() {
    let (fixture, key) = fixture(5, HttpSettings { concurrent_requests: 0, ..HttpSettings::default() });
    let reply = fixture.get(&key, "market/sectors");
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some(1)));
    assert!(reply.message().contains("as many requests as it takes"));
    // The request is not counted, but the remaining allowance is shown.
    assert_eq!(reply.left(), Some((5_000, 1_000)));
}

#[test]
fn oversized_requests_are_refused_in_the_envelope() {
    let (fixture, key) = fixture(5, HttpSettings::default());
    let long = "x".repeat(9_000);
    let reply = fixture.get(&key, &format!("companies?q={long}"));
    assert_eq!((reply.status, reply.left()), (414, Some((5_000, 1_000))));
    let headers = [("x-api-key", key.reveal()), ("x-a", &long), ("x-b", &long)];
    let reply = fixture.ask(Method::GET, "companies", &headers);
    assert_eq!((reply.status, reply.message().contains("16384 bytes")), (431, true));
    let headers = [("x-api-key", key.reveal()), ("content-length", "70000")];
    let reply = fixture.ask(Method::GET, "companies", &headers);
    assert_eq!((reply.status, reply.message().contains("65536 bytes")), (413, true));
}

#[test]
fn a_key_in_the_wrong_place_is_not_repeated() {
    let (fixture, key) = fixture(100, HttpSettings::default());
    let text = key.reveal();
    for path in [
        format!("company/profile?symbol={text}"),
        format!("companies?sector={text}"),
        format!("companies?limit={text}"),
        format!("companies?{text}=1"),
        format!("companies?apikey={text}"),
        text.to_owned(),
        format!("company/profile?symbol=%70q_{}", &text[3..]),
    ] {
        let reply = fixture.get(&key, &path);
        assert!((400..500).contains(&reply.status), "{path}");
        assert!(!reply.body.to_lowercase().contains(&text[3..]), "{path}: {}", reply.body);
    }
    let reply = fixture.ask(Method::GET, "status", &[("x-request-id", text)]);
    assert_ne!(reply.headers["x-request-id"], text);
}
