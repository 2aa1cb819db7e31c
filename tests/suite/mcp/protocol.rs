//! Invalid messages and requests: each is answered with the protocol's status and code for it, as JSON, and with helpful
//! words.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::client::{BOTH, EARLIER, LATER, error, result, send};
use crate::server::{Reply, SERVER};

const JSON: (&str, &str) = ("content-type", "application/json");

fn post(headers: &[(&str, &str)], body: &str) -> Reply {
    let headers: Vec<(&str, &str)> = [JSON].into_iter().chain(headers.iter().copied()).collect();
    SERVER.send(&Method::POST, "/mcp", &headers, body)
}

fn message(method: &str, params: &Json) -> String {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string()
}

/// Each row: the message, and the expected code and id.
#[test]
fn what_is_no_message_is_refused_as_such() {
    for (body, code, id) in [
        ("{", -32700, Json::Null),
        ("nothing", -32700, Json::Null),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping""#, -32700, Json::Null),
        ("[]", -32600, Json::Null),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, Json::Null),
        ("5", -32600, Json::Null),
        (r#""ping""#, -32600, Json::Null),
        (r#"{"id":1,"method":"ping"}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":"a"}"#, -32600, json!("a")),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, Json::Null),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, Json::Null),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600, Json::Null),
    ] {
        let reply = post(&[], body);
        assert_eq!((reply.status, reply.header("content-type")), (400, "application/json"), "{body}");
        let json = reply.json();
        assert_eq!((&json["error"]["code"], &json["id"]), (&json!(code), &id), "{body}: {json}");
        assert_eq!(json["jsonrpc"], "2.0");
    }
}

#[test]
fn parameters_that_do_not_fit_are_named() {
    for (method, params, part) in [
        ("tools/call", json!({}), "`name`"),
        ("tools/call", json!({"name": 5}), "`name`"),
        ("tools/call", json!({"name": "get_market_sectors", "arguments": [1]}), "`arguments`"),
        ("tools/call", json!({"name": "get_market_sectors", "arguments": "x"}), "`arguments`"),
        ("prompts/get", json!({}), "`name`"),
        ("resources/read", json!({"uri": 1}), "`uri`"),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "morning_brief"}}),
            "`argument`",
        ),
        (
            "completion/complete",
            json!({"ref": {"type": "x"}, "argument": {"name": "a", "value": ""}}),
            "completion/complete",
        ),
        ("initialize", json!({"capabilities": {}}), "`protocolVersion`"),
    ] {
        let reply = post(&[], &message(method, &params));
        let json = reply.json();
        assert_eq!(
            (reply.status, &json["error"]["code"]),
            (200, &json!(-32602)),
            "{method} {params}: {json}"
        );
        assert!(json["error"]["message"].as_str().unwrap().contains(part), "{method} {params}: {json}");
    }
    let bare = post(&[], r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#).json();
    assert_eq!(bare["error"]["code"], -32602, "{bare}");
    let list = post(&[], r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#).json();
    assert_eq!(list["error"]["code"], -32602, "{list}");
}

#[test]
fn methods_that_there_are_not_are_not_found() {
    for method in
        ["nothing", "logging/setLevel", "resources/subscribe", "tasks/list", "roots/list", "tools/cal"]
    {
        let params = if method.starts_with("resources") {
            json!({"uri": "parquote://manual"})
        } else {
            json!({"level": "info"})
        };
        let (earlier, later) =
            (send(EARLIER, "/mcp", method, params.clone()), send(LATER, "/mcp", method, params));
        assert_eq!((earlier.status, later.status), (200, 404), "{method}");
        for reply in [earlier, later] {
            assert_eq!(reply.json()["error"]["code"], -32601, "{method}: {}", reply.json());
        }
    }
    // Methods that the later revision removed.
    for (method, params) in [("ping", json!({})), ("initialize", json!({}))] {
        assert_eq!(error(LATER, "/mcp", method, params).0, -32601, "{method}");
    }
    assert_eq!(result(EARLIER, "/mcp", "ping", json!({})), json!({}));
}

#[test]
fn a_handshake_agrees_on_a_revision() {
    for (asked, agreed) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("2026-07-28", "2025-11-25"),
        ("2000-01-01", "2025-11-25"),
    ] {
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "s", "version": "1"}});
        let reply = post(&[], &message("initialize", &params)).json();
        assert_eq!(reply["result"]["protocolVersion"], agreed, "{asked}: {reply}");
        let instructions = reply["result"]["instructions"].as_str().unwrap();
        assert!(instructions.len() < 2_000 && instructions.contains("are quoted data"), "{instructions}");
        let mut offered: Vec<&String> = reply["result"]["capabilities"].as_object().unwrap().keys().collect();
        offered.sort();
        assert_eq!(offered, ["completions", "extensions", "prompts", "resources", "tools"]);
    }
    let found = result(LATER, "/mcp", "server/discover", json!({}));
    assert_eq!(found["supportedVersions"].as_array().unwrap().last().unwrap(), LATER);
    assert!(found["instructions"].is_string() && found["cacheScope"] == "public");
    let told = post(&[], r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!((told.status, told.body.len()), (202, 0));
}

#[test]
fn any_accept_is_answered_in_json() {
    let list = message("tools/list", &json!({}));
    for accept in ["*/*", "application/json", "text/html", "text/event-stream", ""] {
        let reply = post(&[("accept", accept)], &list);
        assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"), "{accept}");
    }
    assert_eq!(post(&[], &list).status, 200);
}

#[test]
fn requests_that_do_not_fit_are_refused_in_json() {
    let list = message("tools/list", &json!({}));
    let cases = [
        (SERVER.send(&Method::GET, "/mcp", &[("accept", "text/event-stream")], ""), 405),
        (SERVER.send(&Method::DELETE, "/mcp", &[], ""), 405),
        (SERVER.send(&Method::POST, "/mcp", &[("content-type", "text/plain")], &list), 415),
        (SERVER.send(&Method::POST, "/mcp", &[], &list), 415),
        (post(&[("mcp-protocol-version", "1999-01-01")], &list), 400),
        (post(&[], &format!("{{\"a\":\"{}\"}}", "x".repeat(300_000))), 413),
        (post(&[("host", "evil.example.com")], &list), 403),
        (post(&[("origin", "https://evil.example.com")], &list), 403),
        (post(&[("origin", "null")], &list), 403),
        (post(&[("origin", "http://localhost.evil.example.com")], &list), 403),
    ];
    for (at, (reply, status)) in cases.iter().enumerate() {
        assert_eq!((reply.status, reply.header("content-type")), (*status, "application/json"), "case {at}");
        assert!(
            reply.json()["message"].is_string() || reply.json()["error"]["message"].is_string(),
            "case {at}"
        );
    }
    assert_eq!(cases[0].0.header("allow"), "POST");
    for good in [
        ("host", "localhost:8080"),
        ("host", "[::1]:9"),
        ("origin", "http://localhost:5173"),
        ("origin", "http://127.0.0.1"),
    ] {
        assert_eq!(post(&[good], &list).status, 200, "{good:?}");
    }
}

#[test]
fn headers_of_the_later_revision_say_what_the_message_says() {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": LATER, "io.modelcontextprotocol/clientCapabilities": {}});
    let call = message("tools/call", &json!({"name": "get_market_sectors", "_meta": meta}));
    let version = ("mcp-protocol-version", LATER);
    let ask = |headers: &[(&str, &str)]| post(headers, &call);
    assert_eq!(ask(&[version, ("mcp-method", "tools/call"), ("mcp-name", "get_market_sectors")]).status, 200);
    for headers in [
        &[version][..],
        &[version, ("mcp-method", "tools/list"), ("mcp-name", "get_market_sectors")],
        &[version, ("mcp-method", "tools/call"), ("mcp-name", "get_momentum")],
        &[
            ("mcp-protocol-version", EARLIER),
            ("mcp-method", "tools/call"),
            ("mcp-name", "get_market_sectors"),
        ],
    ] {
        let reply = ask(headers);
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (400, &json!(-32020)), "{headers:?}");
    }
    let unknown = json!({"io.modelcontextprotocol/protocolVersion": "2099-01-01", "io.modelcontextprotocol/clientCapabilities": {}});
    let headers = [("mcp-protocol-version", "2099-01-01"), ("mcp-method", "tools/list")];
    let reply = post(&headers, &message("tools/list", &json!({"_meta": unknown})));
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (400, &json!(-32022)));
}

#[test]
fn nothing_is_remembered_between_requests() {
    for revision in BOTH {
        let reply = send(revision, "/mcp", "tools/call", json!({"name": "get_market_sectors"}));
        assert!(reply.headers.get("mcp-session-id").is_none());
        assert_eq!(reply.status, 200, "a call needs no handshake before it");
    }
}

#[test]
fn what_is_looked_for_under_well_known_is_a_json_404() {
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/mcp/.well-known/openid-configuration",
    ] {
        let reply = SERVER.send(&Method::GET, path, &[], "");
        assert_eq!((reply.status, reply.header("content-type")), (404, "application/json"), "{path}");
        assert_eq!(reply.json()["status"], 404);
    }
}
