//! Codes and tokens of apps that are sent twice, concurrently, too late or by another app.

use parquote::operation::Tier;
use reqwest::Method;
use serde_json::json;

use super::apps::{BACK, VERIFIER, call, consent, exchange, refresh, register, tokens};
use super::fixture::{Fixture, NOON, key};

#[test]
fn a_code_is_for_one_app_one_address_one_minute() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let (client, other) = (register(&fixture, "Chat"), register(&fixture, "Other"));
    let mut browser = fixture.signed_in(&secret);
    let code = consent(&mut browser, &client, "free");
    assert_eq!(exchange(&fixture, &other, &code).json()["error"], "invalid_grant");
    let code = consent(&mut browser, &client, "free");
    for (name, value) in [
        ("redirect_uri", "http://127.0.0.1:1/callback"),
        ("redirect_uri", ""),
        ("resource", "https://evil.example/mcp"),
    ] {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("client_id", client.as_str()),
            ("code", &code),
            ("redirect_uri", BACK),
            ("code_verifier", VERIFIER),
        ];
        form.retain(|(known, _)| *known != name);
        form.push((name, value));
        assert_eq!(fixture.send(Method::POST, "/oauth/token", &[], &form).status, 400, "{name}={value}");
    }
    let late = consent(&mut browser, &client, "free");
    fixture.at(NOON + 60);
    assert_eq!(exchange(&fixture, &client, &late).status, 400);
    assert_eq!(fixture.working(), [1]);
}

#[test]
fn a_code_that_comes_twice_ends_what_it_gave() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let mut browser = fixture.signed_in(&secret);
    let code = consent(&mut browser, &client, "free");
    let (access, renewal) = tokens(&exchange(&fixture, &client, &code));
    assert_eq!(call(&fixture, &access).status, 200);
    assert_eq!(exchange(&fixture, &client, &code).json()["error"], "invalid_grant");
    assert_eq!(call(&fixture, &access).status, 401);
    assert_eq!(refresh(&fixture, &client, &renewal).status, 400);
    assert_eq!(fixture.working(), [1]);
}

#[test]
fn a_refresh_token_that_comes_twice_ends_all_of_them() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let (client, other) = (register(&fixture, "Chat"), register(&fixture, "Other"));
    let mut browser = fixture.signed_in(&secret);
    let code = consent(&mut browser, &client, "free");
    let (first, stolen) = tokens(&exchange(&fixture, &client, &code));
    // Another app cannot use the refresh token, and an access token cannot be refreshed.
    assert_eq!(refresh(&fixture, &other, &stolen).status, 400);
    assert_eq!(refresh(&fixture, &client, &first).status, 400);
    let (second, renewed) = tokens(&refresh(&fixture, &client, &stolen));
    assert_eq!((call(&fixture, &first).status, call(&fixture, &second).status), (401, 200));
    // Within 30 seconds it would count as a retry of the app.
    fixture.at(NOON + 31);
    assert_eq!(refresh(&fixture, &client, &stolen).json()["error"], "invalid_grant");
    assert_eq!(call(&fixture, &second).status, 401);
    assert_eq!(refresh(&fixture, &client, &renewed).status, 400);
}

#[test]
fn a_field_that_stands_twice_is_not_chosen_from_either() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let (client, other) = (register(&fixture, "Chat"), register(&fixture, "Other"));
    let code = consent(&mut fixture.signed_in(&secret), &client, "free");
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", client.as_str()),
        ("code", code.as_str()),
        ("redirect_uri", BACK),
        ("code_verifier", VERIFIER),
    ];
    for twice in [
        ("grant_type", "refresh_token"),
        ("client_id", other.as_str()),
        ("code", "x"),
        ("redirect_uri", "https://evil.example"),
        ("code_verifier", VERIFIER),
    ] {
        for pairs in [[&form[..], &[twice]].concat(), [&[twice], &form[..]].concat()] {
            let reply = fixture.send(Method::POST, "/oauth/token", &[], &pairs);
            assert_eq!((reply.status, &reply.json()["error"]), (400, &json!("invalid_request")), "{twice:?}");
        }
    }
    // A refused request does not spend the code.
    let (access, renewal) = tokens(&exchange(&fixture, &client, &code));
    for pairs in [
        &[("client_id", client.as_str())][..],
        &[("token", renewal.as_str()), ("token", "x")],
        &[("token", "")],
    ] {
        let reply = fixture.send(Method::POST, "/oauth/revoke", &[], pairs);
        assert_eq!((reply.status, &reply.json()["error"]), (400, &json!("invalid_request")), "{pairs:?}");
    }
    assert_eq!(call(&fixture, &access).status, 200);
}

#[test]
fn a_code_that_comes_many_times_at_once_is_good_for_nobody() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let code = consent(&mut fixture.signed_in(&secret), &client, "free");
    let replies: Vec<_> = std::thread::scope(|scope| {
        let exchanges: Vec<_> = (0..6).map(|_| scope.spawn(|| exchange(&fixture, &client, &code))).collect();
        exchanges.into_iter().map(|exchanged| exchanged.join().unwrap()).collect()
    });
    let given: Vec<_> = replies.iter().filter(|reply| reply.status == 200).collect();
    assert!(given.len() <= 1, "{} exchanges of one code", given.len());
    for reply in given {
        let (access, renewal) = tokens(reply);
        assert_eq!(call(&fixture, &access).status, 401);
        assert_eq!(refresh(&fixture, &client, &renewal).status, 400);
    }
    assert_eq!(fixture.working(), [1]);
}

#[test]
fn an_app_that_stays_away_is_let_in_no_more() {
    const DAY: i64 = 86_400;
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let code = consent(&mut fixture.signed_in(&secret), &client, "free");
    let (_, renewal) = tokens(&exchange(&fixture, &client, &code));
    // The app refreshes every 29 days, until the 90 days of its consent are over.
    let mut renewed = renewal;
    for day in [29, 58, 87] {
        fixture.at(NOON + day * DAY);
        let (access, next) = tokens(&refresh(&fixture, &client, &renewed));
        assert_eq!(call(&fixture, &access).status, 200, "day {day}");
        renewed = next;
    }
    fixture.at(NOON + 90 * DAY);
    assert_eq!(refresh(&fixture, &client, &renewed).json()["error"], "invalid_grant");
    // Another app refreshes only after 30 days.
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let code = consent(&mut fixture.signed_in(&secret), &client, "free");
    let (_, late) = tokens(&exchange(&fixture, &client, &code));
    fixture.at(NOON + 30 * DAY);
    assert_eq!(refresh(&fixture, &client, &late).json()["error"], "invalid_grant");
}
