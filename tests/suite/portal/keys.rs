//! Keys issued, rotated and revoked, and the rights needed.

use parquote::access::Secret;
use parquote::operation::Tier;
use parquote::state::NewKey;

use super::fixture::{Browser, Fixture, NOON, Reply, key};

const DAY: i64 = 86_400;

fn issue(browser: &mut Browser<'_>, again: &Secret, tier: &str, more: &[(&str, &str)]) -> Reply {
    let mut form = vec![("tier", tier), ("again", again.reveal())];
    form.extend_from_slice(more);
    if !more.iter().any(|(name, _)| *name == "lifetime") {
        form.push(("lifetime", "90"));
    }
    browser.post("/portal/keys/issue", &form)
}

#[test]
fn a_key_is_shown_once_works_for_90_days_and_shares_the_allowance() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    // The first choice of the form is the default.
    let form = browser.get("/portal").body;
    assert!(form.find("value=\"90\"").unwrap() < form.find("value=\"30\"").unwrap());
    let reply = issue(&mut browser, &secret, "api_pro", &[("label", "notebook")]);
    let child = reply.shown_key();
    assert_eq!(reply.header("cache-control"), "no-store");
    for path in ["/portal", "/portal/log", "/portal/sessions"] {
        let page = browser.get(path).body;
        assert!(!page.contains(&child), "{path}");
    }
    let stored = fixture.store.lock().unwrap().key(2).unwrap().unwrap();
    assert_eq!((stored.note.as_str(), stored.owner.as_str(), stored.parent), ("notebook", "Anu", Some(1)));
    assert_eq!(stored.expires_at, Some(NOON + 90 * DAY));
    // Calls of both keys count against one allowance of 1,000 a day.
    for left in [999, 998] {
        assert_eq!(fixture.call(&child, "market/sectors").left_today(), left);
    }
    assert_eq!(fixture.call(secret.reveal(), "market/sectors").left_today(), 997);
    assert_eq!(fixture.call(&child, "market/sectors").left_today(), 996);
    fixture.at(NOON + 90 * DAY);
    assert_eq!(fixture.call(&child, "market/sectors").status, 401);
    assert_eq!(fixture.call(secret.reveal(), "market/sectors").status, 200);
}

#[test]
fn many_keys_are_no_way_around_an_allowance() {
    let (secret, row) = key("Anu", Tier::Free);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    let keys: Vec<String> = (0..3).map(|_| issue(&mut browser, &secret, "free", &[]).shown_key()).collect();
    // 10 an hour for all keys together; refused calls count for none.
    let answered = (0..40).filter(|n| fixture.call(&keys[n % 3], "market/sectors").status == 200).count();
    assert_eq!(answered, 10);
    assert_eq!(fixture.call(secret.reveal(), "market/sectors").status, 429);
    fixture.at(NOON + 3_600);
    assert_eq!(fixture.call(&keys[0], "market/sectors").left_today(), 39);
}

#[test]
fn minting_asks_for_the_key_of_the_session_again() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let (other, second) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row, &second]);
    let mut browser = fixture.signed_in(&secret);
    for again in ["", "pq_", &format!("pq_{}", "1".repeat(32)), other.reveal()] {
        let issued =
            browser.post("/portal/keys/issue", &[("tier", "free"), ("lifetime", "90"), ("again", again)]);
        assert_eq!(issued.status, 401, "{again}");
        let rotated = browser.post("/portal/keys/rotate", &[("id", "1"), ("grace", "0"), ("again", again)]);
        assert_eq!(rotated.status, 401, "{again}");
        if again.is_empty() {
            let words = "the field for your API key is empty";
            for page in [issued.body, rotated.body, browser.post("/login", &[("key", " ")]).body] {
                assert!(page.contains(words) && !page.contains("as the header"), "{page}");
            }
        }
    }
    assert_eq!(fixture.working(), [1, 2]);
}

#[test]
fn an_owner_manages_its_own_up_to_its_tier() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let (_, higher) = key("Anu", Tier::ApiMax);
    let (_, admin) = key("Anu", Tier::Free);
    let admin = NewKey { is_admin: true, ..admin };
    let (_, stranger) = key("Bo", Tier::Free);
    let stranger = NewKey { note: "secret plan".to_owned(), ..stranger };
    let fixture = Fixture::with(&[&row, &higher, &admin, &stranger]);
    let mut browser = fixture.signed_in(&secret);
    let page = browser.get("/portal").body;
    assert!(!page.contains("secret plan") && !page.contains("name=\"owner\"") && !page.contains("api_max, "));
    for (tier, more, status) in [
        ("api_max", vec![], 403),
        ("free", vec![("admin", "yes")], 403),
        ("free", vec![("owner", "Bo")], 403),
        ("golden", vec![], 400),
        ("free", vec![("label", "note\u{202e}book")], 400),
        ("free", vec![("owner", "Anu\0")], 400),
        ("free", vec![("owner", " Anu ")], 200),
    ] {
        assert_eq!(issue(&mut browser, &secret, tier, &more).status, status, "{tier} {more:?}");
    }
    for (id, status) in [("2", 403), ("3", 403), ("4", 404), ("99", 404), ("", 404), ("1 OR 1=1", 404)] {
        let form = [("id", id), ("grace", "0"), ("again", secret.reveal())];
        assert_eq!(browser.post("/portal/keys/rotate", &form).status, status, "rotate {id}");
        assert_eq!(browser.post("/portal/keys/revoke", &[("id", id)]).status, status, "revoke {id}");
    }
    assert_eq!(fixture.working(), [1, 2, 3, 4, 5]);
    assert_eq!(browser.post("/portal/keys/revoke", &[("id", "5")]).status, 303);
    assert_eq!(fixture.working(), [1, 2, 3, 4]);
}

#[test]
fn an_admin_key_manages_all() {
    let (secret, row) = key("Operator", Tier::ApiMax);
    let row = NewKey { is_admin: true, ..row };
    let (_, stranger) = key("Bo", Tier::ApiMax);
    let fixture = Fixture::with(&[&row, &stranger]);
    let mut browser = fixture.signed_in(&secret);
    assert!(browser.get("/portal").body.contains("Bo"));
    let more = [("owner", "Cleo"), ("lifetime", "none"), ("admin", "yes"), ("label", "second in command")];
    let issued = issue(&mut browser, &secret, "api_max", &more).shown_key();
    let stored = fixture.store.lock().unwrap().key(3).unwrap().unwrap();
    assert_eq!(
        (stored.owner.as_str(), stored.is_admin, stored.expires_at, stored.parent),
        ("Cleo", true, None, None)
    );
    assert_eq!(fixture.call(&issued, "market/sectors").left_today(), 4_999);
    assert_eq!(browser.post("/portal/keys/revoke", &[("id", "2")]).status, 303);
    assert_eq!(fixture.working(), [1, 3]);
    // Revoking the session's own key signs the user out.
    let reply = browser.post("/portal/keys/revoke", &[("id", "1")]);
    assert_eq!((reply.status, reply.header("location")), (303, "/login"));
    assert!(!browser.is_in());
}

#[test]
fn a_key_that_lives_by_another_sees_and_manages_itself_alone() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let row = NewKey { expires_at: Some(NOON + 10 * DAY), ..row };
    let fixture = Fixture::with(&[&row]);
    let mut parent = fixture.signed_in(&secret);
    let child: Secret = issue(&mut parent, &secret, "api_pro", &[]).shown_key().parse().unwrap();
    // The new key expires with the key that issued it.
    assert_eq!(fixture.store.lock().unwrap().key(2).unwrap().unwrap().expires_at, Some(NOON + 10 * DAY));
    let mut browser = fixture.signed_in(&child);
    assert_eq!(issue(&mut browser, &child, "free", &[]).status, 403);
    assert_eq!(browser.post("/portal/keys/revoke", &[("id", "1")]).status, 404);
    let lines = browser.get("/portal/sessions").body;
    assert_eq!(lines.matches("name=\"number\"").count(), 1);
    // Revoking the issuing key revokes it too.
    assert_eq!(parent.post("/portal/keys/revoke", &[("id", "1")]).status, 303);
    assert!(!browser.is_in() && fixture.working().is_empty());
    assert_eq!(fixture.call(child.reveal(), "market/sectors").status, 401);
}

#[test]
fn a_rotated_key_works_on_for_its_grace_from_one_allowance() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let row = NewKey { note: "batch".to_owned(), quota_hour: Some(7), ..row };
    let fixture = Fixture::with(&[&row]);
    assert_eq!(fixture.call(secret.reveal(), "market/sectors").left_today(), 999);
    let mut browser = fixture.signed_in(&secret);
    let form = [("id", "1"), ("grace", "1h"), ("again", secret.reveal())];
    let new = browser.post("/portal/keys/rotate", &form).shown_key();
    let stored = fixture.store.lock().unwrap().key(2).unwrap().unwrap();
    assert_eq!((stored.note.as_str(), stored.quota_hour, stored.parent), ("batch", Some(7), None));
    let answered = (0..20).filter(|n| {
        let key = if n % 2 == 0 { &*new } else { secret.reveal() };
        fixture.call(key, "market/sectors").status == 200
    });
    assert!(answered.count() <= 7, "two keys had two allowances");
    fixture.at(NOON + 3_600);
    assert_eq!(fixture.call(secret.reveal(), "market/sectors").status, 401);
    assert_eq!(fixture.call(&new, "market/sectors").status, 200);
    let again: Secret = new.parse().unwrap();
    let mut browser = fixture.signed_in(&again);
    let form = |grace| [("id", "2"), ("grace", grace), ("again", again.reveal())];
    assert_eq!(browser.post("/portal/keys/rotate", &form("100d")).status, 400);
    let last = browser.post("/portal/keys/rotate", &form("0")).shown_key();
    assert_eq!(fixture.call(&new, "market/sectors").status, 401);
    assert_eq!(fixture.call(&last, "market/sectors").status, 200);
}
