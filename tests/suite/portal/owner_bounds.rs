//! Bounds of one owner, over all keys and apps; and of an app.

use parquote::operation::Tier;
use parquote::state::NewKey;
use serde_json::json;

use super::apps::{authorize_params, call, consent, exchange, redirect_param, refresh, register, tokens};
use super::fixture::{Browser, Fixture, NOON, Reply, key};

/// Calls a tool that changes the owner's provider keys.
fn remove_key(fixture: &Fixture, token: &str) -> Reply {
    let bearer = format!("Bearer {token}");
    let params = json!({"name": "remove_byo_key", "arguments": {"provider": "openai"}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    fixture.post_json("/mcp", &[("authorization", &bearer)], &message)
}

#[test]
fn an_app_reaches_keys_of_providers_only_by_a_box_that_is_off() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let mut browser = fixture.signed_in(&secret);
    let page = super::apps::show(&mut browser, &authorize_params(&client)).body;
    assert!(page.contains("name=\"account\"") && !page.contains("checked"), "{page}");
    let code = consent(&mut browser, &client, "free");
    let plain = exchange(&fixture, &client, &code);
    assert_eq!(plain.json()["scope"], "mcp");
    let refused = remove_key(&fixture, &tokens(&plain).0);
    assert!(refused.body.contains("insufficient_scope"), "{}", refused.body);
    let mut form = authorize_params(&client);
    form.extend([("tier", "free"), ("decision", "allow"), ("account", "yes")]);
    let code = redirect_param(&browser.post("/authorize", &form), "code").unwrap();
    let wide = exchange(&fixture, &client, &code);
    assert_eq!(wide.json()["scope"], "mcp mcp:account");
    let answered = remove_key(&fixture, &tokens(&wide).0);
    assert!(!answered.body.contains("insufficient_scope"), "{}", answered.body);
    // The same applies to a key that another key issued.
    let child = |more: &[(&str, &str)], browser: &mut Browser<'_>| {
        let mut form = vec![("tier", "free"), ("again", secret.reveal()), ("lifetime", "90")];
        form.extend_from_slice(more);
        browser.post("/portal/keys/issue", &form).shown_key()
    };
    let (narrow, wide) = (child(&[], &mut browser), child(&[("account", "yes")], &mut browser));
    let path = "account/byo-key/remove?provider=openai";
    assert_eq!(fixture.call(&narrow, path).status, 403);
    assert_ne!(fixture.call(&wide, path).status, 403);
    assert_ne!(fixture.call(secret.reveal(), path).status, 403);
}

#[test]
fn an_app_ends_with_the_key_that_let_it_in_whatever_that_key_is() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let row = NewKey { is_admin: true, expires_at: Some(NOON + 100), ..row };
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let code = consent(&mut fixture.signed_in(&secret), &client, "free");
    let (access, again) = tokens(&exchange(&fixture, &client, &code));
    assert_eq!(call(&fixture, &access).status, 200);
    fixture.at(NOON + 100);
    assert_eq!(call(&fixture, &access).status, 401);
    assert_eq!(refresh(&fixture, &client, &again).status, 400);
}

#[test]
fn a_refresh_that_is_asked_twice_within_seconds_ends_nothing() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let code = consent(&mut fixture.signed_in(&secret), &client, "free");
    let (_, first) = tokens(&exchange(&fixture, &client, &code));
    let (access, second) = tokens(&refresh(&fixture, &client, &first));
    fixture.at(NOON + 30);
    assert_eq!(refresh(&fixture, &client, &first).json()["error"], "invalid_grant");
    assert_eq!(call(&fixture, &access).status, 200);
    // After its successor was used, or after 30 seconds, a repetition counts as theft.
    let (access, _) = tokens(&refresh(&fixture, &client, &second));
    assert_eq!(refresh(&fixture, &client, &first).status, 400);
    assert_eq!(call(&fixture, &access).status, 401);
}

#[test]
fn apps_keys_and_rotations_of_an_owner_are_bounded_together() {
    let (secret, row) = key("Anu", Tier::Free);
    let fixture = Fixture::with_apps(&[&row], 1_000, &[]);
    let client = register(&fixture, "Chat");
    let mut browser = fixture.signed_in(&secret);
    for _ in 0..20 {
        let code = consent(&mut browser, &client, "free");
        tokens(&exchange(&fixture, &client, &code));
    }
    let code = consent(&mut browser, &client, "free");
    let refused = exchange(&fixture, &client, &code);
    assert!(refused.status >= 400 && refused.status < 500, "{} {}", refused.status, refused.body);
    assert_eq!(fixture.working().len(), 21);
    let mut issue = || {
        let form = [("tier", "free"), ("again", secret.reveal()), ("lifetime", "90")];
        browser.post("/portal/keys/issue", &form)
    };
    for _ in 1..100 {
        assert_eq!(issue().status, 200);
    }
    let full = issue();
    assert!(full.body.contains("100 valid keys"), "{} {}", full.status, full.body);
    // A rotation with a grace period adds a key, one without does not.
    let child = fixture.store.lock().unwrap().keys().unwrap().last().unwrap().id;
    let mut rotate = |id: i64, grace: &str| {
        browser.post(
            "/portal/keys/rotate",
            &[("id", &*id.to_string()), ("grace", grace), ("again", secret.reveal())],
        )
    };
    assert!(rotate(child, "7d").body.contains("100 valid keys"));
    for nth in 0..100 {
        let reply = rotate(child + nth, "0");
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
    let full = rotate(child + 100, "0");
    assert!(full.body.contains("`rotated a key` 100 times"), "{}", full.body);
}
