//! Usage, sessions and the log on the portal, and who may see them.

use parquote::operation::Tier;
use parquote::state::NewKey;
use serde_json::json;

use super::fixture::{Fixture, NOON, key};

#[test]
fn usage_is_told_by_day_and_operation_to_its_owner_alone() {
    let (anus, first) = key("Anu", Tier::Free);
    let (second_of_anu, second) = key("Anu", Tier::ApiMax);
    let (bos, third) = key("Bo", Tier::Free);
    let child = NewKey { parent: Some(2), ..key("Anu", Tier::Free).1 };
    let (childs, fourth) = (key("Anu", Tier::Free).0, child);
    let fourth = NewKey { hash: childs.hash(), hint: childs.hint().to_owned(), ..fourth };
    let mut fixture = Fixture::with(&[&first, &second, &third, &fourth]);
    for _ in 0..2 {
        assert_eq!(fixture.call(anus.reveal(), "market/sectors").status, 200);
    }
    // A wrong argument is an answer that counts; a tier that is too low is a refusal.
    assert_eq!(fixture.call(anus.reveal(), "company/profile").status, 400);
    assert_eq!(fixture.call(anus.reveal(), "market/rs-changes").status, 403);
    assert_eq!(fixture.call(second_of_anu.reveal(), "market/sectors").status, 200);
    assert_eq!(fixture.call(bos.reveal(), "market/sectors").status, 200);
    assert_eq!(fixture.call(childs.reveal(), "market/sectors").status, 200);
    let cookie = fixture.signed_in(&second_of_anu).cookie;
    fixture.written();
    let told = |key: &str| fixture.call(key, "account/usage?days=7").json()["data"].clone();
    let line = |operation: &str, key: i64, answered: i64, refused: i64| json!({"date": "2026-10-30", "operation": operation, "key": key, "answered": answered, "refused": refused});
    let of_anu = json!([
        line("company/profile", 1, 1, 0),
        line("market/rs-changes", 1, 0, 1),
        line("market/sectors", 1, 2, 0),
        line("market/sectors", 2, 1, 0),
        line("market/sectors", 4, 1, 0),
    ]);
    for key in [anus.reveal(), second_of_anu.reveal()] {
        assert_eq!(told(key), json!({"usage": of_anu, "count": 5}));
    }
    assert_eq!(told(bos.reveal())["usage"], json!([line("market/sectors", 3, 1, 0)]));
    assert_eq!(told(childs.reveal())["usage"], json!([line("market/sectors", 4, 1, 0)]));
    let mut browser = fixture.browser();
    browser.cookie = cookie;
    let page = browser.get("/portal/usage?days=7").body;
    let cells = "<td>market/sectors</td><td class=\"n\">4</td><td class=\"n\">0</td>";
    assert!(page.contains(cells) && page.contains("<svg"), "{page}");
    fixture.at(NOON + 86_400);
    assert_eq!(fixture.call(bos.reveal(), "account/usage?days=1").json()["data"]["count"], 0);
}

#[test]
fn sessions_are_listed_and_ended_by_their_owner_alone() {
    let (anus, first) = key("Anu", Tier::ApiPro);
    let (bos, second) = key("Bo", Tier::ApiPro);
    let fixture = Fixture::with(&[&first, &second]);
    let (mut here, mut elsewhere, mut strangers) =
        (fixture.signed_in(&anus), fixture.signed_in(&anus), fixture.signed_in(&bos));
    let page = here.get("/portal/sessions").body;
    assert_eq!((page.matches("name=\"number\"").count(), page.matches("(this one)").count()), (2, 1));
    for number in ["1", "2", "99", ""] {
        assert_eq!(strangers.post("/portal/sessions/end", &[("number", number)]).status, 404, "{number}");
    }
    assert!(here.is_in() && elsewhere.is_in());
    assert_eq!(here.post("/portal/sessions/end", &[("number", "2")]).status, 303);
    assert!(!elsewhere.is_in() && here.is_in());
    let reply = here.post("/portal/sessions/end", &[("number", "1")]);
    assert_eq!((reply.status, reply.header("location")), (303, "/login"));
    assert!(strangers.is_in());
}

#[test]
fn the_log_tells_what_was_done_and_no_secret() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let (bos, stranger) = key("Bo", Tier::ApiPro);
    let fixture = Fixture::with(&[&row, &stranger]);
    let mut browser = fixture.signed_in(&secret);
    let form = [("tier", "free"), ("lifetime", "30"), ("label", "for tests"), ("again", secret.reveal())];
    let issued = browser.post("/portal/keys/issue", &form).shown_key();
    assert_eq!(browser.post("/portal/keys/revoke", &[("id", "3")]).status, 303);
    let log = browser.get("/portal/log").body;
    let places = ["revoked a key", "issued a key", "signed in"].map(|what| log.find(what).unwrap());
    assert!(places.is_sorted() && log.contains("free: for tests"), "{log}");
    let token = browser.cookie.clone().unwrap();
    for text in [&issued, secret.reveal(), token.split('=').nth(1).unwrap()] {
        assert!(!log.contains(text));
    }
    let others = fixture.signed_in(&bos).get("/portal/log").body;
    assert!(others.contains("signed in") && !others.contains("for tests"));
}

#[test]
fn an_admin_sees_what_all_did() {
    let (secret, row) = key("Operator", Tier::Free);
    let (bos, stranger) = key("Bo", Tier::ApiPro);
    let fixture = Fixture::with(&[&NewKey { is_admin: true, ..row }, &stranger]);
    fixture.signed_in(&bos);
    let mut browser = fixture.signed_in(&secret);
    for path in ["/portal", "/portal/sessions", "/portal/log"] {
        assert!(browser.get(path).body.contains("<td>Bo</td>"), "{path}");
    }
    assert_eq!(browser.post("/portal/sessions/end", &[("number", "1")]).status, 303);
}
