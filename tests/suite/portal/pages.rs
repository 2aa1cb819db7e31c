//! Pages of the explorer behind the sign-in: users who are not signed in are sent there and back; a page costs what its operations cost.

use parquote::operation::Tier;
use parquote::state::NewKey;
use reqwest::Method;

use super::fixture::{Browser, Fixture, Reply, key};

/// Requests a page; returns it with the remaining allowance of the day and of the hour.
fn show(browser: &mut Browser<'_>, path: &str) -> (Reply, (i64, i64)) {
    let reply = browser.get(path);
    let left = |name: &str| reply.header(name).parse().unwrap_or_default();
    let left = (left("x-ratelimit-remaining-daily"), left("x-ratelimit-remaining-hourly"));
    (reply, left)
}

#[test]
fn who_is_not_signed_in_is_sent_to_the_sign_in_page_and_back() {
    let (secret, row) = key("Anu", Tier::ApiMax);
    let fixture = Fixture::with(&[&row]);
    let way = "/india/screener?min_roe=15&sector=Power";
    let reply = fixture.browser().get(way);
    let sign_in = "/login?next=%2Findia%2Fscreener%3Fmin_roe%3D15%26sector%3DPower";
    assert_eq!((reply.status, reply.header("location")), (303, sign_in));
    assert_eq!(fixture.browser().get("/india/screener.csv").status, 303);
    let reply = fixture.browser().post("/login", &[("key", secret.reveal()), ("next", way)]);
    assert_eq!((reply.status, reply.header("location")), (303, way));
    let mut browser = fixture.signed_in(&secret);
    assert_eq!(browser.get(way).status, 200);
}

#[test]
fn a_page_costs_one_request_and_304_nothing() {
    let (secret, row) = key("Anu", Tier::ApiMax);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    let (first, left) = show(&mut browser, "/india/sectors");
    assert_eq!((first.status, left), (200, (4_999, 999)));
    let cookie = browser.cookie.clone().unwrap();
    let headers = [("cookie", cookie.as_str()), ("if-none-match", first.header("etag"))];
    let again = fixture.send(Method::GET, "/india/sectors", &headers, &[]);
    assert_eq!((again.status, again.left_today()), (304, 4_999));
    // Profile, chart, momentum and scorecard of a page count as one call.
    let (company, left) = show(&mut browser, "/india/company/BAXIPAPOWR");
    assert_eq!((company.status, left), (200, (4_998, 998)));
    // The committee's quick scan is free of charge.
    let (scan, left) = show(&mut browser, "/india/committee/scan?symbols=BAXIPAPOWR");
    assert_eq!((scan.status, left), (200, (4_998, 998)));
    // A page with an empty form makes no call.
    assert_eq!(show(&mut browser, "/india/compare").1, (4_998, 998));
    // The chart, and a profile each.
    let (two, left) = show(&mut browser, "/india/compare?symbols=BAXIPAPOWR%2CGEXALUBANK");
    assert_eq!((two.status, left), (200, (4_997, 997)));
    let (file, left) = show(&mut browser, "/india/sectors.csv");
    assert_eq!((file.status, left), (200, (4_996, 996)));
}

#[test]
fn what_a_tier_does_not_reach_is_said_and_not_charged() {
    let (secret, row) = key("Anu", Tier::Free);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    let (page, left) = show(&mut browser, "/india/rs-changes");
    assert_eq!((page.status, left), (403, (50, 10)));
    assert!(page.body.contains("needs the tier api_pro"), "{}", page.body);
    // The largest companies are on the list of free keys; parts of the page that need a higher tier say so.
    let (company, left) = show(&mut browser, "/india/company/GEXALUBANK");
    assert_eq!((company.status, left), (200, (49, 9)));
    assert!(company.body.contains(" of this page are not shown for this key."));
    assert!(company.body.contains("needs the tier api_max"));
}

#[test]
fn a_page_over_the_allowance_is_429_with_the_words() {
    let (secret, row) = key("Anu", Tier::Free);
    let row = NewKey { quota_hour: Some(1), ..row };
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    assert_eq!(browser.get("/india/sectors").status, 200);
    let page = browser.get("/india/sectors");
    assert_eq!(page.status, 429);
    assert!(!page.header("retry-after").is_empty() && page.body.contains("<h1>"), "{}", page.body);
}

#[test]
fn a_form_that_changes_something_comes_from_a_page_of_this_server() {
    let (secret, row) = key("Anu", Tier::ApiMax);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    let form = [("operation", "committee/start"), ("symbol", "BAXIPAPOWR")];
    let cookie = browser.cookie.clone().unwrap();
    let forged = [("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site")];
    assert_eq!(fixture.send(Method::POST, "/india/committee", &forged, &form).status, 403);
    // Without stored runs the operation refuses, and the page shows that with the same status.
    let asked = browser.post("/india/committee", &form);
    assert_eq!(asked.status, 503, "{}", asked.body);
    assert!(asked.body.contains("needs the state file") && asked.body.contains("<h1>"));
    let other = browser.post("/india/committee", &[("operation", "presets/start")]);
    assert_eq!(other.status, 400);
    assert!(other.body.contains("no such form"));
    assert_eq!(browser.post("/india/screener", &[("a", "1")]).status, 405);
}
