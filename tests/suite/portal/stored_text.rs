//! Names that are markup: pages show user-written text as text.

use parquote::operation::Tier;
use parquote::state::NewKey;

use super::fixture::{Fixture, key};

const EVIL: &str = r#"</td><script>alert(1)</script><img src=x onerror="alert(2)">'"#;

#[test]
fn labels_owners_and_browsers_are_text_on_every_page() {
    let (secret, row) = key(EVIL, Tier::ApiMax);
    let row = NewKey { note: EVIL.to_owned(), is_admin: true, ..row };
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.browser();
    browser.agent = EVIL;
    assert_eq!(browser.post("/login", &[("key", secret.reveal())]).status, 303);
    let form =
        [("label", EVIL), ("owner", EVIL), ("tier", "free"), ("lifetime", "90"), ("again", secret.reveal())];
    let issued = browser.post("/portal/keys/issue", &form);
    assert_eq!(issued.status, 200, "{}", issued.body);
    let pages = ["/login", "/portal", "/portal/sessions", "/portal/log", "/portal/usage"];
    for body in pages.map(|path| browser.get(path).body).into_iter().chain([issued.body]) {
        assert!(body.contains("&lt;script&gt;alert(1)"), "{body}");
        assert!(!body.contains("<script>alert") && !body.contains("<img"), "{body}");
        assert_eq!(body.matches("<script").count(), 1, "{body}");
    }
}

#[test]
fn what_was_typed_wrong_comes_back_as_text_or_not_at_all() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    let again = ("again", secret.reveal());
    for form in [
        vec![again, ("tier", EVIL), ("lifetime", "90")],
        vec![again, ("tier", "free"), ("lifetime", EVIL)],
        vec![again, ("tier", "free"), ("lifetime", "90"), ("label", "two\nlines")],
        vec![again, ("tier", "free"), ("lifetime", "90"), ("label", &"x".repeat(81))],
    ] {
        let reply = browser.post("/portal/keys/issue", &form);
        assert_eq!(reply.status, 400, "{form:?}");
        assert!(!reply.body.contains("<script>") && reply.body.contains("role=\"alert\""), "{}", reply.body);
    }
    assert_eq!(fixture.working(), [1]);
    assert!(!browser.get(&format!("/login?next={EVIL}")).body.contains("<script>alert"));
}
