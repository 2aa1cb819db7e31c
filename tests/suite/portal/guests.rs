//! Guests: people without a key see the explorer, change nothing, and share one allowance.

use parquote::http::{HttpSettings, SessionCookie};
use parquote::operation::Tier;
use parquote::state::{GUEST_HINT, GUESTS, NewKey, SavedItemKind};
use reqwest::Method;

use super::fixture::{Fixture, key};

/// Returns the key by which guests are counted.
fn guests() -> NewKey {
    let (_, row) = key(GUESTS, Tier::ApiMax);
    NewKey { hint: GUEST_HINT.to_owned(), quota_hour: Some(6), ..row }
}

#[test]
fn a_guest_sees_the_explorer_and_nothing_else() {
    let (secret, row) = key("Anu", Tier::ApiMax);
    let fixture = Fixture::with(&[&row, &guests()]);
    let mut guest = fixture.browser();
    let page = guest.get("/india");
    assert!(page.status == 200 && page.body.contains(">Sign in</a>") && !page.body.contains("Sign out"));
    assert!(guest.cookie.is_none());
    let lost = guest.get("/india/no/such");
    assert!(lost.status == 404 && lost.body.contains(">Sign in</a>") && !lost.body.contains("Sign out"));
    // Forms that change something are not shown, nor are stars.
    let company = guest.get("/india/company/BAXIPAPOWR");
    assert!(company.status == 200 && !company.body.contains("☆ Star"));
    assert!(!guest.get("/india/company/BAXIPAPOWR/chart").body.contains("Your drawings"));
    let lists = guest.get("/india/lists");
    assert!(lists.status == 200 && !lists.body.contains("Make the list"), "{}", lists.body);
    // If they are sent nevertheless, they change nothing.
    for (path, form) in [
        ("/india/lists?operation=lists%2Fset", [("name", "Mine"), ("symbols", "BAXIPAPOWR")]),
        ("/india/lists?operation=drawings%2Fadd", [("symbol", "BAXIPAPOWR"), ("price", "800")]),
        ("/india/lists?operation=notes%2Fset", [("symbol", "BAXIPAPOWR"), ("text", "Waits")]),
        ("/india/models", [("operation", "account/byo-key/save"), ("key", "sk-0000-0000")]),
        ("/india/committee", [("operation", "committee/start"), ("symbol", "BAXIPAPOWR")]),
    ] {
        assert_eq!(guest.post(path, &form).status, 401, "{path}");
    }
    assert!(
        fixture.store.lock().unwrap().saved_items(GUESTS, SavedItemKind::List, "india").unwrap().is_empty()
    );
    // Guests have no keys, tools or operations; the explorer is closed to an invalid key.
    assert_eq!(guest.get("/portal").status, 303);
    assert_eq!(fixture.send(Method::GET, "/v1/market/breadth", &[], &[]).status, 401);
    assert_eq!(fixture.send(Method::POST, "/mcp", &[], &[]).status, 401);
    let wrong = [("x-api-key", "pq_00000000000000000000000000000000")];
    assert_eq!(fixture.send(Method::GET, "/india", &wrong, &[]).status, 303);
    assert!(guest.get("/login").body.contains("Look around without a key"));
    // A user who signs in is not a guest.
    assert!(fixture.signed_in(&secret).get("/india").body.contains("Sign out"));
}

#[test]
fn a_back_test_of_a_guest_is_shown_and_not_counted() {
    let fixture = Fixture::with(&[&NewKey { quota_hour: Some(5_000), ..guests() }]);
    let page = fixture.browser().get("/india/backtest?every=weekly");
    assert!(page.status == 200 && page.body.contains("Equity and benchmark"), "{}", page.body);
    let counts = fixture.store.lock().unwrap().saved_items(GUESTS, SavedItemKind::Backtests, "india");
    assert!(counts.unwrap().is_empty());
}

#[test]
fn guests_share_an_allowance_of_their_own() {
    let (secret, row) = key("Anu", Tier::ApiMax);
    let fixture = Fixture::with(&[&row, &guests()]);
    for path in ["/india", "/us", "/india/leaders", "/us/leaders", "/india/screener", "/us/screener"] {
        assert_eq!(fixture.browser().get(path).status, 200, "{path}");
    }
    let over = fixture.browser().get("/india/sectors");
    assert!(over.status == 429 && over.body.contains("The allowance is used up"), "{}", over.body);
    assert_eq!(fixture.signed_in(&secret).get("/india/sectors").status, 200);
}

#[test]
fn guests_have_their_tier_no_files_and_pages_by_address() {
    let (secret, row) = key("Anu", Tier::ApiMax);
    let free = NewKey { tier: Tier::Free.word().to_owned(), quota_hour: Some(100), ..guests() };
    let trusted_proxies = ["127.0.0.0/8".parse::<ipnet::IpNet>().unwrap()].into();
    let settings = HttpSettings {
        guest_pages: 2,
        trusted_proxies,
        cookie: SessionCookie::Loopback,
        ..HttpSettings::default()
    };
    let fixture = Fixture::built(&[&row, &free], settings, 100);
    let from = |address: &str, path: &str| {
        fixture.send(Method::GET, path, &[("x-forwarded-for", address)], &[]).status
    };
    assert_eq!(from("192.0.2.1", "/india/screener.csv"), 403);
    assert_eq!(fixture.signed_in(&secret).get("/india/screener.csv").status, 200);
    // The page shows that a part needs a higher tier, as it does for a key.
    assert_eq!(from("192.0.2.1", "/india/screener"), 403);
    assert_eq!(["/india", "/us", "/india"].map(|path| from("192.0.2.1", path)), [200, 200, 429]);
    assert_eq!(from("192.0.2.2", "/india"), 200);
}

#[test]
fn without_a_key_of_guests_there_are_none() {
    let (_, row) = key("Anu", Tier::ApiMax);
    let fixture = Fixture::with(&[&row]);
    assert_eq!(fixture.browser().get("/india").header("location"), "/login?next=%2Findia");
    assert!(!fixture.browser().get("/login").body.contains("without a key"));
}
