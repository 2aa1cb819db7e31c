//! Locks in the menu of a key that does not reach all pages: a page has one if it refuses the key. Colours that a reader chooses.

use parquote::operation::Tier;
use parquote::state::NewKey;
use reqwest::Method;

use super::fixture::{Fixture, key};

#[test]
fn a_lock_is_where_a_page_refuses_the_key() {
    let (secret, row) = key("Anu", Tier::Free);
    let row = NewKey { quota_hour: Some(1_000), quota_day: Some(1_000), ..row };
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    let portal = browser.get("/portal").body;
    let listed: Vec<&str> =
        portal.split("class=\"reach\">").skip(1).flat_map(|list| list.split("<li>").skip(1)).collect();
    assert!(listed.len() > 40, "{}", listed.len());
    let mut locks = 0;
    for item in listed {
        let item = item.split("</li>").next().unwrap();
        let path = item.split('"').nth(1).unwrap();
        let is_locked = item.contains("class=\"lock\"");
        locks += usize::from(is_locked);
        let page = browser.get(path);
        // A page that waits for its form asks nothing yet.
        let is_refused = page.status == 403 || is_locked && page.body.contains("Nothing is requested yet.");
        assert_eq!(is_locked, is_refused, "{path}: {}", page.status);
    }
    assert!(locks > 10, "{locks}");
    let menu = browser.get("/india").body;
    assert!(menu.contains("<a href=\"/india/rs-changes\" title=\"needs a key of the tier api_pro\">RS changes<span class=\"lock\">"), "{menu}");
    let offered = browser.get("/india/suggest?q=rs").body;
    assert!(offered.contains("needs a key of the tier api_pro"), "{offered}");
}

#[test]
fn a_page_that_refuses_the_key_costs_nothing_and_says_so() {
    let (secret, row) = key("Anu", Tier::Free);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    let pages = ["/india/backtest", "/india/rotation/sector", "/us/backtest"].map(|path| browser.get(path));
    for page in &pages {
        assert_eq!(page.status, 403);
        assert!(page.body.contains("This page cost 0 of the allowance"), "{}", page.body);
        let [now, first] = [page, &pages[0]].map(|page| page.header("x-ratelimit-remaining-daily"));
        assert_eq!(now, first);
    }
}

#[test]
fn a_key_of_the_highest_tier_sees_no_lock() {
    let (secret, row) = key("Anu", Tier::ApiMax);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    for path in ["/india", "/us", "/portal"] {
        assert!(!browser.get(path).body.contains("class=\"lock\""), "{path}");
    }
}

#[test]
fn a_change_does_not_lead_to_a_page_that_is_locked() {
    let (secret, row) = key("Anu", Tier::Free);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    let form = "/india/lists?operation=lists%2Fset";
    let made = browser.post(form, &[("name", "Mine"), ("symbols", "BAXIPAPOWR")]);
    assert_eq!((made.status, made.header("location")), (303, "/india/lists"), "{}", made.body);
    let words = "Stocks in Mine now: 1. The page with it needs a key of the tier premium_web.";
    let page = browser.get("/india/lists").body;
    assert!(page.contains(words) && page.contains("<a href=\"/india/lists\">My lists</a>"), "{page}");
    // A star returns to the company, with the same sentence.
    let star = "/india/lists?operation=lists%2Fadd&back=%2Findia%2Fcompany%2FBAXIPAPOWR";
    let starred = browser.post(star, &[("symbols", "BAXIPAPOWR"), ("name", "Mine")]);
    assert_eq!(starred.header("location"), "/india/company/BAXIPAPOWR");
    let page = browser.get("/india/company/BAXIPAPOWR").body;
    assert!(page.contains(words) && !page.contains("Open the list"), "{page}");
}

#[test]
fn colours_are_chosen_by_a_form_and_hold_for_all_pages() {
    let (secret, row) = key("Anu", Tier::ApiMax);
    let fixture = Fixture::with(&[&row]);
    let get = |path: &str, headers: &[(&str, &str)]| {
        let headers: Vec<_> =
            [("x-api-key", secret.reveal())].into_iter().chain(headers.iter().copied()).collect();
        fixture.send(Method::GET, path, &headers, &[])
    };
    let own = [("sec-fetch-site", "same-origin")];
    let chosen =
        fixture.send(Method::POST, "/colours", &own, &[("scheme", "dark"), ("back", "/india/sectors")]);
    assert_eq!((chosen.status, chosen.header("location")), (303, "/india/sectors"));
    let line = chosen.header("set-cookie");
    assert!(line.starts_with("parquote-colours=dark; ") && line.contains("HttpOnly"), "{line}");
    let style = |page: &str| {
        page.split("rel=\"stylesheet\" href=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    for path in
        ["/india", "/india/no/such", "/india/screener?sector=%ff", "/login", "/v1/docs/market/sectors"]
    {
        let page = |cookie: &str| get(path, &[("cookie", cookie)]).body;
        let (auto, dark) = (page("a=b"), page("a=b; parquote-colours=dark"));
        assert!(dark.contains("<meta name=\"color-scheme\" content=\"dark\">"), "{path}");
        assert!(auto.contains("<meta name=\"color-scheme\" content=\"light dark\">"), "{path}");
        let [auto, dark] = [style(&auto), style(&dark)].map(|file| get(&file, &[]).body);
        assert!(auto.contains("prefers-color-scheme") && !dark.contains("prefers-color-scheme"), "{path}");
    }
    // The tag of a page names its colours.
    let first = get("/india", &[]);
    let with =
        |cookie: &str| get("/india", &[("if-none-match", first.header("etag")), ("cookie", cookie)]).status;
    assert_eq!((with("a=b"), with("parquote-colours=dark")), (304, 200));
    // Other words, other places and other sites.
    let wrong = fixture.send(Method::POST, "/colours", &own, &[("scheme", "blue")]);
    assert!(wrong.status == 400 && wrong.body.contains("auto, light, dark"), "{}", wrong.body);
    let away =
        fixture.send(Method::POST, "/colours", &own, &[("scheme", "auto"), ("back", "https://evil.example")]);
    assert_eq!((away.status, away.header("location")), (303, "/india"));
    // A refusal has the colours too.
    let coloured = [own[0], ("cookie", "parquote-colours=light")];
    let wrong = fixture.send(Method::POST, "/colours", &coloured, &[("scheme", "blue")]);
    assert!(wrong.body.contains("<meta name=\"color-scheme\" content=\"light\">"), "{}", wrong.body);
    let forged = [("sec-fetch-site", "cross-site")];
    assert_eq!(fixture.send(Method::POST, "/colours", &forged, &[("scheme", "dark")]).status, 403);
    assert_eq!(fixture.send(Method::GET, "/colours", &[], &[]).status, 405);
}
