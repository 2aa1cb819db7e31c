//! Apps that an owner authorizes: from the server's metadata to a tool call, the next tokens and the end.

use parquote::access::{ACCESS_S, Secret};
use parquote::operation::Tier;
use reqwest::Method;
use serde_json::{Value as Json, json};
use url::Url;

use super::fixture::{Browser, Fixture, NOON, PUBLIC, Reply, key};

/// The redirect address of the tests.
pub(super) const BACK: &str = "http://127.0.0.1:6274/callback";
/// The verifier and its hash from RFC 7636, appendix B.
pub(super) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(super) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Registers an app and returns its client id.
pub(super) fn register(fixture: &Fixture, name: &str) -> String {
    let reply =
        fixture.post_json("/oauth/register", &[], &json!({"client_name": name, "redirect_uris": [BACK]}));
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.json()["client_id"].as_str().unwrap().to_owned()
}

/// Returns the usual authorization parameters of an app.
pub(super) fn authorize_params(client: &str) -> Vec<(&str, &str)> {
    vec![
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", BACK),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("state", "a \"<state>&"),
        ("resource", "https://quotes.example/mcp"),
        ("scope", "mcp"),
    ]
}

/// Requests the page that asks for consent; returns the reply.
pub(super) fn show(browser: &mut Browser<'_>, asked: &[(&str, &str)]) -> Reply {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    browser.get(&format!("/authorize?{}", query.extend_pairs(asked).finish()))
}

/// Returns the address to which a page leads, with the parameters for the app; `None` if it leads nowhere.
pub(super) fn onward(reply: &Reply) -> Option<(String, Vec<(String, String)>)> {
    assert!(reply.headers.get("location").is_none(), "a form is never redirected to an app");
    let url = Url::parse(reply.header("refresh").strip_prefix("0;url=")?).unwrap();
    let told = url.query_pairs().into_owned().collect();
    Some((url[..url::Position::AfterPath].to_owned(), told))
}

/// Returns a parameter for the app by its name.
pub(super) fn redirect_param(reply: &Reply, name: &str) -> Option<String> {
    onward(reply)?.1.into_iter().find(|(told, _)| told == name).map(|(_, value)| value)
}

/// Consents and returns the code.
pub(super) fn consent(browser: &mut Browser<'_>, client: &str, tier: &str) -> String {
    let mut form = authorize_params(client);
    form.extend([("tier", tier), ("decision", "allow")]);
    let reply = browser.post("/authorize", &form);
    redirect_param(&reply, "code").unwrap_or_else(|| panic!("no code: {} {}", reply.status, reply.body))
}

/// Exchanges a code.
pub(super) fn exchange(fixture: &Fixture, client: &str, code: &str) -> Reply {
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code),
        ("redirect_uri", BACK),
        ("code_verifier", VERIFIER),
        ("resource", "https://quotes.example/mcp"),
    ];
    fixture.send(Method::POST, "/oauth/token", &[], &form)
}

/// Exchanges a refresh token.
pub(super) fn refresh(fixture: &Fixture, client: &str, token: &str) -> Reply {
    let form = [("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", token)];
    fixture.send(Method::POST, "/oauth/token", &[], &form)
}

/// Returns the access token and the refresh token of a reply.
pub(super) fn tokens(reply: &Reply) -> (String, String) {
    assert_eq!(reply.status, 200, "{}", reply.body);
    let body = reply.json();
    let text = |name: &str| body[name].as_str().unwrap().to_owned();
    (text("access_token"), text("refresh_token"))
}

/// Calls a tool with an access token.
pub(super) fn call(fixture: &Fixture, token: &str) -> Reply {
    let bearer = format!("Bearer {token}");
    let params = json!({"name": "get_market_sectors", "arguments": {}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    fixture.post_json("/mcp", &[("authorization", &bearer)], &message)
}

#[test]
fn the_server_says_where_tokens_are_asked_for() {
    let (_, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let refused = fixture.post_json("/mcp", &[], &message);
    assert_eq!(refused.status, 401);
    let resource = "https://quotes.example/.well-known/oauth-protected-resource/mcp";
    assert!(refused.header("www-authenticate").contains(&format!("resource_metadata=\"{resource}\"")));
    // Operations below /v1 do not accept tokens, and do not mention them.
    assert_eq!(fixture.call("", "market/sectors").header("www-authenticate"), "Bearer realm=\"parquote\"");
    let get = |path: &str| {
        let reply = fixture.send(Method::GET, path, &[], &[]);
        assert_eq!(reply.status, 200, "{path}");
        reply.json()
    };
    let about = get("/.well-known/oauth-protected-resource/mcp");
    assert_eq!(about, get("/.well-known/oauth-protected-resource"));
    assert_eq!(
        (&about["resource"], &about["authorization_servers"]),
        (&json!(format!("{PUBLIC}/mcp")), &json!([PUBLIC]))
    );
    let server = get("/.well-known/oauth-authorization-server");
    assert_eq!(server["issuer"], PUBLIC);
    assert_eq!(server["code_challenge_methods_supported"], json!(["S256"]));
    for (name, path) in [
        ("authorization_endpoint", "/authorize"),
        ("token_endpoint", "/oauth/token"),
        ("registration_endpoint", "/oauth/register"),
        ("revocation_endpoint", "/oauth/revoke"),
    ] {
        assert_eq!(server[name], format!("{PUBLIC}{path}"));
    }
    for name in ["client_id_metadata_document_supported", "authorization_response_iss_parameter_supported"] {
        assert_eq!(server[name], true, "{name}");
    }
}

#[test]
fn without_a_public_address_there_is_none_of_it() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    for path in ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"] {
        let reply = fixture.send(Method::GET, path, &[], &[]);
        assert_eq!((reply.status, reply.json()["error"].as_bool()), (404, Some(true)), "{path}");
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(
        fixture.post_json("/mcp", &[], &message).header("www-authenticate"),
        "Bearer realm=\"parquote\""
    );
    assert_eq!(fixture.post_json("/oauth/register", &[], &json!({"redirect_uris": [BACK]})).status, 401);
    assert_eq!(fixture.signed_in(&secret).get("/authorize").status, 404);
}

#[test]
fn an_app_is_let_in_calls_goes_on_and_is_ended() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    // A user who is not signed in does that first, and returns to the page.
    let mut browser = fixture.browser();
    let led = show(&mut browser, &authorize_params(&client));
    assert_eq!(led.status, 303);
    let next = Url::parse(&format!("http://x{}", led.header("location"))).unwrap();
    let next = next.query_pairs().next().unwrap().1.into_owned();
    let entered = browser.post("/login", &[("key", secret.reveal()), ("next", &next)]);
    let page = browser.get(entered.header("location"));
    for part in
        ["<b>Chat</b>", "<b>127.0.0.1</b>", "1000 calls a day", "nobody vouches", "api_pro, 1000 calls a day"]
    {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    assert!(!page.body.contains("api_max"));
    let code = consent(&mut browser, &client, "premium_web");
    let reply = exchange(&fixture, &client, &code);
    assert_eq!(reply.header("cache-control"), "no-store");
    assert_eq!(
        (&reply.json()["token_type"], &reply.json()["expires_in"]),
        (&json!("Bearer"), &json!(ACCESS_S))
    );
    let (access, renewal) = tokens(&reply);
    let called = call(&fixture, &access);
    assert_eq!(
        (called.status, called.json()["result"]["isError"].as_bool().unwrap_or(false)),
        (200, false),
        "{}",
        called.body
    );
    // The app has a separate key, within the owner's allowance.
    assert_eq!(called.left_today(), 499);
    assert_eq!(fixture.call(secret.reveal(), "market/sectors").left_today(), 998);
    let listed = browser.get("/portal").body;
    assert!(
        listed.contains("<td>Chat</td>")
            && !listed.contains("Rotate key 2")
            && listed.contains("Revoke key 2")
    );
    fixture.at(NOON + ACCESS_S);
    assert_eq!(call(&fixture, &access).status, 401);
    let (second, renewed) = tokens(&refresh(&fixture, &client, &renewal));
    assert_eq!(call(&fixture, &second).status, 200);
    assert!(second != access && renewed != renewal);
    let end = [("token", renewed.as_str()), ("client_id", &client)];
    assert_eq!(fixture.send(Method::POST, "/oauth/revoke", &[], &end).status, 200);
    assert_eq!(call(&fixture, &second).status, 401);
    assert_eq!(refresh(&fixture, &client, &renewed).json()["error"], "invalid_grant");
    assert_eq!(fixture.send(Method::POST, "/oauth/revoke", &[], &[("token", "unknown")]).status, 200);
}

#[test]
fn an_app_may_publish_what_it_is() {
    let id = "https://chat.example/oauth/client.json";
    let document =
        json!({"client_id": id, "client_name": "Chat", "redirect_uris": [BACK, "https://chat.example/cb"]});
    let liar = json!({"client_id": id, "client_name": "Chat", "redirect_uris": [BACK]});
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture =
        Fixture::with_apps(&[&row], 100, &[(id, document), ("https://evil.example/client.json", liar)]);
    let mut browser = fixture.signed_in(&secret);
    let page = show(&mut browser, &authorize_params(id));
    assert!(page.status == 200 && page.body.contains("vouched for by <b>chat.example</b>"), "{}", page.body);
    let code = consent(&mut browser, id, "api_pro");
    let (access, _) = tokens(&exchange(&fixture, id, &code));
    assert_eq!(call(&fixture, &access).status, 200);
    assert!(browser.get("/portal").body.contains("Chat (chat.example)"));
    for unknown in [
        "https://evil.example/client.json",
        "https://nobody.example/client.json",
        "http://chat.example/c",
        "",
    ] {
        let page = show(&mut browser, &authorize_params(unknown));
        assert!(page.status == 400 && onward(&page).is_none(), "{unknown}");
    }
}

#[test]
fn who_revokes_the_key_ends_the_app() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let mut browser = fixture.signed_in(&secret);
    let grant = |browser: &mut Browser<'_>| {
        let code = consent(browser, &client, "api_pro");
        tokens(&exchange(&fixture, &client, &code))
    };
    let (first, renewal) = grant(&mut browser);
    assert_eq!(browser.post("/portal/keys/revoke", &[("id", "2")]).status, 303);
    assert_eq!(call(&fixture, &first).status, 401);
    assert_eq!(refresh(&fixture, &client, &renewal).status, 400);
    // A rotated key passes its apps on; a revoked one ends them.
    let (second, _) = grant(&mut browser);
    let form = [("id", "1"), ("grace", "0"), ("again", secret.reveal())];
    let new: Secret = browser.post("/portal/keys/rotate", &form).shown_key().parse().unwrap();
    assert_eq!(call(&fixture, &second).status, 200);
    assert_eq!(fixture.signed_in(&new).post("/portal/keys/revoke", &[("id", "4")]).status, 303);
    assert_eq!(call(&fixture, &second).status, 401);
    assert!(fixture.working().is_empty());
}

#[test]
fn registration_takes_what_can_be_let_in_and_stores_nothing() {
    let (_, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let ask = |body: Json| {
        let reply = fixture.post_json("/oauth/register", &[], &body);
        (reply.status, reply.json()["error"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(
        ask(json!({"redirect_uris": [BACK], "token_endpoint_auth_method": "none", "scope": "mcp"})).0,
        201
    );
    for (body, word) in [
        (json!({}), "invalid_redirect_uri"),
        (json!({"redirect_uris": ["javascript:alert(1)"]}), "invalid_redirect_uri"),
        (json!({"redirect_uris": ["http://app.example/cb"]}), "invalid_redirect_uri"),
        (json!({"redirect_uris": [BACK, BACK, BACK, BACK, BACK, BACK]}), "invalid_redirect_uri"),
        (json!({"redirect_uris": [BACK], "grant_types": ["implicit"]}), "invalid_client_metadata"),
        (json!(["x"]), "invalid_client_metadata"),
        (json!({"redirect_uris": [BACK], "client_name": "x".repeat(20_000)}), "invalid_client_metadata"),
    ] {
        assert_eq!(ask(body.clone()), (400, word.to_owned()), "{body}");
    }
    // Only the authentication method `none` is supported, and the reply says so.
    let secret = json!({"redirect_uris": [BACK], "token_endpoint_auth_method": "client_secret_basic"});
    let told = fixture.post_json("/oauth/register", &[], &secret).json();
    assert!(told["token_endpoint_auth_method"] == "none" && told.get("client_secret").is_none(), "{told}");
    for n in 0..20 {
        register(&fixture, &format!("App {n}"));
    }
    assert_eq!(fixture.working(), [1]);
    assert!(fixture.store.lock().unwrap().activity(None, 9).unwrap().is_empty());
}

/// Each address of the tools is a resource of this server; a longer one, or that of another server, is not.
#[test]
fn every_address_of_the_tools_is_a_resource() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Chat");
    let mut browser = fixture.browser();
    browser.post("/login", &[("key", secret.reveal())]);
    for (resource, is_ours) in [
        ("", true),
        ("https://quotes.example/mcp", true),
        ("https://quotes.example/mcp/chat", true),
        ("https://quotes.example/mcp/discover/", true),
        ("https://quotes.example/mcpx", false),
        ("https://quotes.example/mcp/other", false),
        ("https://evil.example/mcp/chat", false),
    ] {
        let mut asked = authorize_params(&client);
        asked.retain(|(name, _)| *name != "resource");
        asked.push(("resource", resource));
        let reply = show(&mut browser, &asked);
        let is_refused = reply.body.contains("invalid_target");
        assert_eq!(
            (reply.status == 200 && reply.body.contains("<b>Chat</b>"), is_refused),
            (is_ours, !is_ours),
            "{resource}"
        );
    }
}
