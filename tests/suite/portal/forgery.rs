//! Cross-site request forgery: requests with the browser's cookie that do not come from a page of this server.

use parquote::operation::Tier;
use parquote::state::SavedItemKind;
use reqwest::Method;

use super::fixture::{Fixture, key};

/// All paths that change something.
const CHANGES: [&str; 7] = [
    "/login",
    "/logout",
    "/portal/keys/issue",
    "/portal/keys/rotate",
    "/portal/keys/revoke",
    "/portal/sessions/end",
    "/india/lists?operation=lists%2Fset",
];

#[test]
fn no_other_site_makes_a_browser_change_anything() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    let cookie = browser.cookie.clone().unwrap();
    let own = format!("http://{}", fixture.host());
    let foreign: [&[(&str, &str)]; 9] = [
        &[("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")],
        &[("sec-fetch-site", "cross-site"), ("origin", &own)],
        &[("sec-fetch-site", "same-site"), ("origin", &own)],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("origin", "http://127.0.0.1")],
        &[("origin", "http://127.0.0.1:1")],
        &[("referer", &own)],
        &[],
    ];
    let form = [
        ("key", secret.reveal()),
        ("again", secret.reveal()),
        ("id", "1"),
        ("number", "1"),
        ("grace", "0"),
        ("tier", "free"),
        ("lifetime", "90"),
        ("name", "Forged"),
    ];
    for path in CHANGES {
        for headers in foreign {
            let mut headers = headers.to_vec();
            headers.push(("cookie", &cookie));
            let reply = fixture.send(Method::POST, path, &headers, &form);
            assert_eq!(reply.status, 403, "{path} {headers:?}");
            assert!(reply.headers.get("set-cookie").is_none(), "{path}");
        }
    }
    assert_eq!(fixture.working(), [1]);
    assert_eq!(fixture.store.lock().unwrap().web_sessions(None, 9).unwrap().len(), 1);
    assert!(browser.is_in());
    assert!(
        fixture.store.lock().unwrap().saved_items("Anu", SavedItemKind::List, "india").unwrap().is_empty()
    );
}

#[test]
fn an_old_browser_that_says_only_its_origin_is_served() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    let own = format!("http://{}", fixture.host());
    let reply = fixture.send(Method::POST, "/login", &[("origin", &own)], &[("key", secret.reveal())]);
    assert_eq!(reply.status, 303);
}

#[test]
fn nothing_changes_by_a_link() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    // The page of lists answers GET with any query.
    let is_change = |path: &&&str| **path != "/login" && !path.starts_with("/india");
    for path in CHANGES.iter().filter(is_change) {
        for method in [Method::GET, Method::HEAD, Method::PUT, Method::DELETE] {
            let cookie = browser.cookie.clone().unwrap();
            let headers = [("cookie", cookie.as_str()), ("sec-fetch-site", "same-origin")];
            let path = format!("{path}?id=1&number=1&again={}", secret.reveal());
            assert_eq!(fixture.send(method, &path, &headers, &[]).status, 405, "{path}");
        }
    }
    for change in ["lists/set&name=Forged", "lists%2Fset&name=Forged&symbols=BAXIPAPOWR"] {
        assert_eq!(browser.get(&format!("/india/lists?operation={change}")).status, 200);
    }
    assert!(
        fixture.store.lock().unwrap().saved_items("Anu", SavedItemKind::List, "india").unwrap().is_empty()
    );
    assert!(browser.is_in());
    assert_eq!(fixture.working(), [1]);
}

#[test]
fn a_form_is_a_form_and_short() {
    let (_, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    let long = "a".repeat(40_000);
    let reply = fixture.browser().post("/login", &[("key", &long)]);
    assert_eq!(reply.status, 400);
    assert!(reply.body.contains("32 KiB") && !reply.body.contains(&long));
}
