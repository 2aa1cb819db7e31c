//! CORS: scripts of other sites may read the authorization endpoints and the tools, and no pages for people.

use parquote::operation::Tier;
use reqwest::Method;
use serde_json::json;

use super::apps::{authorize_params, call, consent, exchange, register, tokens};
use super::fixture::{Browser, Fixture, Reply, key};

/// A local page, such as an inspector; the MCP endpoint accepts its origin.
const NEAR: &str = "http://localhost:6274";
/// A page whose origin is not configured.
const FAR: &str = "https://inspector.example";
/// Metadata that an app reads before it is authorized.
const WELL_KNOWN: [&str; 4] = [
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
];
/// Endpoints of apps.
const FOR_APPS: [&str; 3] = ["/oauth/register", "/oauth/token", "/oauth/revoke"];

fn fixture() -> Fixture {
    let (_, row) = key("Anu", Tier::ApiPro);
    Fixture::with_apps(&[&row], 100, &[])
}

/// Sends a browser's preflight request.
fn preflight(fixture: &Fixture, path: &str, origin: &str, method: &str) -> Reply {
    let headers = [
        ("origin", origin),
        ("access-control-request-method", method),
        ("access-control-request-headers", "authorization,content-type,mcp-protocol-version,mcp-param-x"),
    ];
    fixture.send(Method::OPTIONS, path, &headers, &[])
}

fn reader(reply: &Reply) -> &str {
    reply.header("access-control-allow-origin")
}

#[test]
fn every_page_may_let_an_app_in() {
    let fixture = fixture();
    for path in WELL_KNOWN.into_iter().chain(FOR_APPS).chain(["/oauth/token/"]) {
        let told = preflight(&fixture, path, FAR, if FOR_APPS.contains(&path) { "POST" } else { "GET" });
        assert_eq!((told.status, reader(&told), told.body.as_str()), (204, "*", ""), "{path}");
        assert!(told.header("access-control-allow-headers").contains("mcp-protocol-version"), "{path}");
        assert!(told.header("access-control-allow-methods").contains("POST"), "{path}");
    }
    // Without an origin the reply is the same, so that caches may share it, and scripts may read that a document is missing.
    for path in WELL_KNOWN {
        for headers in [&[("origin", FAR)][..], &[]] {
            let reply = fixture.send(Method::GET, path, headers, &[]);
            assert_eq!(reader(&reply), "*", "{path}");
            assert_eq!(reply.status, if path.ends_with("configuration") { 404 } else { 200 }, "{path}");
        }
    }
    let wrong = [("grant_type", "password")];
    let token = fixture.send(Method::POST, "/oauth/token", &[("origin", FAR)], &wrong);
    assert_eq!((token.status, reader(&token)), (400, "*"));
    let ended = fixture.send(Method::POST, "/oauth/revoke", &[("origin", FAR)], &[("token", "unknown")]);
    assert_eq!((ended.status, reader(&ended)), (200, "*"));
    let malformed = fixture.post_json("/oauth/register", &[("origin", FAR)], &json!({}));
    assert_eq!((malformed.status, reader(&malformed)), (400, "*"));
}

#[test]
fn the_tools_are_read_by_pages_that_they_answer_to() {
    let fixture = fixture();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    for path in ["/mcp", "/mcp/", "/mcp/discover"] {
        for method in ["POST", "GET", "DELETE"] {
            let told = preflight(&fixture, path, NEAR, method);
            assert_eq!((told.status, reader(&told)), (204, NEAR), "{path}");
            assert!(told.header("access-control-allow-methods").contains(method), "{path} {method}");
        }
        assert!(
            preflight(&fixture, path, NEAR, "POST")
                .header("access-control-allow-headers")
                .contains("mcp-param-x")
        );
        let far = preflight(&fixture, path, FAR, "POST");
        assert_eq!((far.status, reader(&far)), (401, ""), "{path}");
        // A script must be able to read the reason of a refusal, or it cannot start the authorization.
        let refused = fixture.post_json(path, &[("origin", NEAR)], &list);
        assert_eq!((refused.status, reader(&refused)), (401, NEAR), "{path}");
        assert!(refused.header("www-authenticate").contains("resource_metadata"));
        let exposed = refused.header("access-control-expose-headers");
        for name in
            ["www-authenticate", "mcp-session-id", "mcp-protocol-version", "x-ratelimit-remaining-daily"]
        {
            assert!(exposed.split(", ").any(|exposed| exposed == name), "{name}: {exposed}");
        }
        assert_eq!(reader(&fixture.post_json(path, &[("origin", FAR)], &list)), "", "{path}");
    }
    let varies = fixture.post_json("/mcp", &[], &list);
    assert!(varies.headers.get_all("vary").iter().any(|value| value == "origin"));
    assert_eq!(reader(&varies), "");
}

#[test]
fn a_page_calls_a_tool_by_a_token() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Page");
    let code = consent(&mut fixture.signed_in(&secret), &client, "api_pro");
    let (access, _) = tokens(&exchange(&fixture, &client, &code));
    assert_eq!(call(&fixture, &access).status, 200);
    let bearer = format!("Bearer {access}");
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let listed = fixture.post_json("/mcp", &[("authorization", &bearer), ("origin", NEAR)], &list);
    assert_eq!((listed.status, reader(&listed)), (200, NEAR));
    let far = fixture.post_json("/mcp", &[("authorization", &bearer), ("origin", FAR)], &list);
    assert_eq!((far.status, reader(&far)), (403, ""));
}

#[test]
fn no_page_reads_what_a_person_sees_or_what_lies_below_v1() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_apps(&[&row], 100, &[]);
    let client = register(&fixture, "Page");
    let mut browser: Browser<'_> = fixture.signed_in(&secret);
    let cookie = browser.cookie.clone().unwrap();
    let query =
        url::form_urlencoded::Serializer::new(String::new()).extend_pairs(authorize_params(&client)).finish();
    let authorize = format!("/authorize?{query}");
    for path in [
        authorize.as_str(),
        "/authorize",
        "/login",
        "/portal",
        "/portal/.well-known/x",
        "/india",
        "/v1/market/sectors",
        "/v1/status",
        "/v1/openapi.json",
        "/v1/docs",
        "/nothing",
    ] {
        for origin in [NEAR, FAR, "null", "https://quotes.example"] {
            let told = preflight(&fixture, path, origin, "GET");
            assert!(reader(&told).is_empty() && told.status >= 300, "{path} {origin}: {}", told.status);
            let headers = [("origin", origin), ("cookie", &cookie), ("x-api-key", secret.reveal())];
            for method in [Method::GET, Method::POST] {
                let reply = fixture.send(method, path, &headers, &[]);
                let any = reply.headers.keys().find(|name| name.as_str().starts_with("access-control-"));
                assert_eq!(any, None, "{path} {origin}");
            }
        }
    }
    assert_eq!(browser.get(&authorize).status, 200);
    // No reply allows cookies.
    for path in ["/mcp", "/oauth/token", "/.well-known/oauth-authorization-server"] {
        for method in ["GET", "POST"] {
            let told = preflight(&fixture, path, NEAR, method);
            assert_eq!((told.status, told.header("access-control-allow-credentials")), (204, ""), "{path}");
        }
    }
}

#[test]
fn without_apps_the_paths_for_them_are_read_by_nobody() {
    let (_, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    for path in FOR_APPS {
        let told = preflight(&fixture, path, FAR, "POST");
        assert_eq!((told.status, reader(&told)), (401, ""), "{path}");
    }
    let lost = fixture.send(Method::GET, WELL_KNOWN[0], &[("origin", FAR)], &[]);
    assert_eq!((lost.status, reader(&lost)), (404, "*"));
}
