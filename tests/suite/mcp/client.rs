//! A caller of the MCP endpoint in either revision, byte by byte: no client library makes good what the server does wrong.

use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::server::{Reply, SERVER};

/// The newest revision with a handshake.
pub(crate) const EARLIER: &str = "2025-11-25";
/// The one without.
pub(crate) const LATER: &str = "2026-07-28";
/// Both.
pub(crate) const BOTH: [&str; 2] = [EARLIER, LATER];

/// A message to a path of the endpoint, as a caller of this revision sends it.
pub(crate) fn send(revision: &str, path: &str, method: &str, mut params: Json) -> Reply {
    let name = params.get("name").or(params.get("uri")).and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut headers = vec![
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", revision),
    ];
    if revision == LATER {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": LATER,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "suite", "version": "1"},
        });
        headers.push(("mcp-method", method));
        if !name.is_empty() {
            headers.push(("mcp-name", &name));
        }
    }
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    SERVER.send(&Method::POST, path, &headers, &message.to_string())
}

/// The result of a message that succeeds.
pub(crate) fn result(revision: &str, path: &str, method: &str, params: Json) -> Json {
    let reply = send(revision, path, method, params);
    let mut json = reply.json();
    assert_eq!((reply.status, &json["id"]), (200, &json!(7)), "{method}: {json}");
    assert!(json["error"].is_null(), "{method}: {json}");
    json["result"].take()
}

/// The JSON-RPC error of a message that does not.
pub(crate) fn error(revision: &str, path: &str, method: &str, params: Json) -> (i64, String) {
    let json = send(revision, path, method, params).json();
    let message = json["error"]["message"].as_str().unwrap_or_else(|| panic!("{method}: {json}"));
    (json["error"]["code"].as_i64().unwrap(), message.to_owned())
}

/// The result of a call of a tool.
pub(crate) fn call(name: &str, arguments: &Json) -> Json {
    result(EARLIER, "/mcp", "tools/call", json!({"name": name, "arguments": arguments}))
}

/// The names of the tools that are listed at a path.
pub(crate) fn names(path: &str) -> Vec<String> {
    let list = result(EARLIER, path, "tools/list", json!({}));
    let tools = list["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// The text of a result.
pub(crate) fn text(result: &Json) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}
