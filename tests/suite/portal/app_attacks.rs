//! Attacks on the authorization of apps: foreign addresses, codes, proofs and tokens.

use parquote::operation::Tier;
use reqwest::Method;
use serde_json::json;

use super::apps::{
    BACK, CHALLENGE, VERIFIER, authorize_params, consent, exchange, onward, redirect_param, register, show,
    tokens,
};
use super::fixture::{Fixture, PUBLIC, key};

/// Returns the authorization parameters with one changed, or removed if its value is empty.
fn with<'a>(client: &'a str, name: &'a str, value: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut pairs = authorize_params(client);
    pairs.retain(|(known, _)| *known != name);
    if !value.is_empty() {
        pairs.push((name, value));
    }
    pairs
}

#[test]
fn nothing_is_sent_to_an_address_that_the_app_did_not_name() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let mut browser = fixture.signed_in(&secret);
    for uri in [
        "",
        "https://evil.example/callback",
        "http://127.0.0.1:6274/callback/../evil",
        "http://127.0.0.1:6274/callback?x=1",
        "http://127.0.0.1:6274/callback#x",
        "http://127.0.0.1.evil.example:6274/callback",
        "http://127.0.0.1:6274@evil.example/callback",
        "http://localhost:6274/callback",
        "https://127.0.0.1:6274/callback",
        "javascript:alert(1)",
        "//evil.example",
    ] {
        let mut form = with(&client, "redirect_uri", uri);
        // Errors are not sent there either.
        let wrong: Vec<_> = form.iter().copied().filter(|(name, _)| *name != "response_type").collect();
        form.extend([("tier", "free"), ("decision", "allow")]);
        for reply in
            [show(&mut browser, &form), show(&mut browser, &wrong), browser.post("/authorize", &form)]
        {
            assert!(reply.status == 400 && onward(&reply).is_none(), "{uri}: {}", reply.body);
        }
    }
    // On a loopback address the app may choose the port.
    assert_eq!(
        show(&mut browser, &with(&client, "redirect_uri", "http://127.0.0.1:50123/callback")).status,
        200
    );
}

#[test]
fn a_client_id_is_not_made_up_and_not_changed() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let other = register(&fixture, "Evil");
    let mut browser = fixture.signed_in(&secret);
    let (words, signature) = client.split_once('.').unwrap();
    let forged = format!("{}.{signature}", other.split_once('.').unwrap().0);
    for id in [
        "",
        "pqc_",
        "pqc_.",
        words,
        &forged,
        &client[..client.len() - 1],
        &format!("{client}A"),
        &"a".repeat(4_000),
    ] {
        let page = show(&mut browser, &authorize_params(id));
        assert!(page.status >= 400 && onward(&page).is_none(), "{id}");
    }
    // Another server's signature is not valid here.
    let elsewhere = Fixture::with_apps(&[&row], 100, &[]);
    assert_eq!(show(&mut browser, &authorize_params(&register(&elsewhere, "Chat"))).status, 400);
}

#[test]
fn a_proof_cannot_be_left_out_or_made_weaker() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let mut browser = fixture.signed_in(&secret);
    for (name, value) in [
        ("code_challenge", ""),
        ("code_challenge", "x"),
        ("code_challenge_method", ""),
        ("code_challenge_method", "plain"),
        ("code_challenge_method", "s256"),
    ] {
        let mut form = with(&client, name, value);
        form.extend([("tier", "free"), ("decision", "allow")]);
        for reply in [show(&mut browser, &form), browser.post("/authorize", &form)] {
            // Without a proof the app is not trusted: its error is not sent to it.
            assert!(reply.status == 400 && reply.body.contains("invalid_request"), "{name}={value}");
            assert!(onward(&reply).is_none(), "{name}={value}");
        }
    }
    for verifier in ["", CHALLENGE, &VERIFIER[1..], &VERIFIER.to_lowercase(), "plain"] {
        let code = consent(&mut browser, &client, "free");
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", client.as_str()),
            ("code", &code),
            ("redirect_uri", BACK),
            ("code_verifier", verifier),
        ];
        let reply = fixture.send(Method::POST, "/oauth/token", &[], &form);
        assert_eq!((reply.status, &reply.json()["error"]), (400, &json!("invalid_grant")), "{verifier}");
        // A code that was sent with a wrong proof is spent.
        assert_eq!(exchange(&fixture, &client, &code).status, 400, "{verifier}");
    }
    assert_eq!(fixture.working(), [1]);
}

#[test]
fn a_token_calls_tools_and_nothing_else() {
    let (secret, row) = key("Anu", Tier::ApiMax);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let mut browser = fixture.signed_in(&secret);
    let code = consent(&mut browser, &client, "api_max");
    let (access, renewal) = tokens(&exchange(&fixture, &client, &code));
    let bearer = format!("Bearer {access}");
    for path in ["/v1/market/sectors", "/v1/account/usage"] {
        assert_eq!(fixture.send(Method::GET, path, &[("authorization", &bearer)], &[]).status, 401, "{path}");
    }
    for path in ["/portal", "/authorize"] {
        assert_eq!(fixture.send(Method::GET, path, &[("authorization", &bearer)], &[]).status, 303, "{path}");
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let ask = |path: &str, headers: &[(&str, &str)]| fixture.post_json(path, headers, &message).status;
    assert_eq!(ask("/mcp", &[("authorization", &bearer)]), 200);
    assert_eq!(ask("/mcp/discover", &[("authorization", &bearer)]), 200);
    assert_eq!(ask(&format!("/mcp?apiKey={access}"), &[]), 401);
    assert_eq!(ask(&format!("/mcp?access_token={access}"), &[]), 401);
    assert_eq!(ask("/mcp", &[("x-api-key", &access)]), 401);
    assert_eq!(ask("/mcp", &[("authorization", &format!("Bearer {renewal}"))]), 401);
    assert_eq!(ask("/mcp", &[("cookie", &browser.cookie.clone().unwrap())]), 401);
    let wrong = format!("Bearer {}", "0".repeat(64));
    assert_eq!(ask("/mcp", &[("authorization", &wrong)]), 401);
    // The tokens of an app do not sign in to the portal.
    assert_eq!(fixture.browser().post("/login", &[("key", &access)]).status, 401);
    assert_eq!(fixture.browser().post("/login", &[("code", &renewal)]).status, 401);
}

#[test]
fn the_app_learns_who_answers_and_gets_its_state_back_as_it_was() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let mut browser = fixture.signed_in(&secret);
    let mut allowed = authorize_params(&client);
    allowed.extend([("tier", "free"), ("decision", "allow")]);
    let mut denied = authorize_params(&client);
    denied.push(("decision", "deny"));
    for (form, error) in [(allowed, None), (denied, Some("access_denied"))] {
        let reply = browser.post("/authorize", &form);
        let (to, _) = onward(&reply).unwrap();
        assert_eq!(to, BACK);
        assert_eq!(redirect_param(&reply, "iss").as_deref(), Some(PUBLIC));
        assert_eq!(redirect_param(&reply, "state").as_deref(), Some("a \"<state>&"));
        assert_eq!(redirect_param(&reply, "error").as_deref(), error);
        assert!(reply.header("content-security-policy").contains("form-action 'self'"));
    }
    for (name, value, error) in [
        ("response_type", "token", "unsupported_response_type"),
        ("resource", "https://evil.example/mcp", "invalid_target"),
        ("scope", "mcp admin", "invalid_scope"),
    ] {
        let reply = show(&mut browser, &with(&client, name, value));
        assert!(reply.status == 400 && reply.body.contains(error), "{}", reply.body);
        assert!(onward(&reply).is_none() && reply.headers.get("refresh").is_none());
    }
}

#[test]
fn a_parameter_that_stands_twice_is_not_chosen_from() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let mut browser = fixture.signed_in(&secret);
    for name in ["client_id", "redirect_uri", "code_challenge", "state"] {
        let mut pairs = authorize_params(&client);
        pairs.push((name, "x"));
        let page = show(&mut browser, &pairs);
        assert!(page.status == 400 && onward(&page).is_none(), "{name}");
    }
}

#[test]
fn a_link_consents_to_nothing() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let mut browser = fixture.signed_in(&secret);
    let mut pairs = authorize_params(&client);
    pairs.extend([("tier", "api_pro"), ("decision", "allow")]);
    let page = show(&mut browser, &pairs);
    assert_eq!((page.status, onward(&page)), (200, None));
    // The form on the page does not include the decision from the link either.
    assert!(page.body.contains("Let it in"));
    assert!(
        !page.body.contains("type=\"hidden\" name=\"decision\"")
            && !page.body.contains("type=\"hidden\" name=\"tier\"")
    );
    // No other site may show the page in a frame, which protects against clickjacking.
    assert!(page.header("content-security-policy").contains("frame-ancestors 'none'"));
    assert_eq!(fixture.working(), [1]);
}

#[test]
fn no_other_site_consents() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let browser = fixture.signed_in(&secret);
    let cookie = browser.cookie.clone().unwrap();
    let mut form = authorize_params(&client);
    form.extend([("tier", "api_pro"), ("decision", "allow")]);
    for site in [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example"), ("x-none", "")] {
        let reply = fixture.send(Method::POST, "/authorize", &[("cookie", &cookie), site], &form);
        assert!(reply.status == 403 && onward(&reply).is_none(), "{site:?}");
    }
    // A key in a header calls operations; it cannot consent.
    let by_key = [("x-api-key", secret.reveal()), ("sec-fetch-site", "same-origin")];
    assert_eq!(fixture.send(Method::POST, "/authorize", &by_key, &form).status, 403);
    assert_eq!(fixture.working(), [1]);
}

#[test]
fn consent_reaches_no_further_than_the_key() {
    let (secret, row) = key("Anu", Tier::PremiumWeb);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let mut browser = fixture.signed_in(&secret);
    for (tier, status) in [("api_max", 403), ("golden", 400), ("", 400)] {
        let mut form = authorize_params(&client);
        form.extend([("tier", tier), ("decision", "allow")]);
        let reply = browser.post("/authorize", &form);
        assert!(reply.status == status && onward(&reply).is_none(), "{tier}");
    }
}

#[test]
fn names_of_apps_are_text() {
    const EVIL: &str = "</b><script>alert(1)</script><img src=x>";
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, EVIL);
    let mut browser = fixture.signed_in(&secret);
    let consented = show(&mut browser, &authorize_params(&client)).body;
    let code = consent(&mut browser, &client, "free");
    tokens(&exchange(&fixture, &client, &code));
    for body in [consented, browser.get("/portal").body, browser.get("/portal/log").body] {
        assert!(
            body.contains("&lt;script&gt;") && !body.contains("<script>") && !body.contains("<img"),
            "{body}"
        );
    }
}

#[test]
fn guesses_of_codes_are_held_up() {
    let (_, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 3, &[]);
    let client = register(&fixture, "Chat");
    let guess = |n: usize| exchange(&fixture, &client, &format!("{n:064x}")).status;
    assert_eq!([0, 1, 2, 3].map(guess), [400, 400, 400, 429]);
}
