//! A client of the MCP endpoint in both revisions, byte by byte: no library hides the server's mistakes.

use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::server::{Reply, SERVER};

/// The newest revision with a handshake.
pub(crate) const EARLIER: &str = "2025-11-25";
/// The newest revision without one.
pub(crate) const LATER: &str = "2026-07-28";
/// Both.
pub(crate) const BOTH: [&str; 2] = [EARLIER, LATER];

/// Sends a message to a path of the endpoint, as a client of this revision does.
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

/// Returns the result of a successful message.
pub(crate) fn result(revision: &str, path: &str, method: &str, params: Json) -> Json {
    let reply = send(revision, path, method, params);
    let mut json = reply.json();
    assert_eq!((reply.status, &json["id"]), (200, &json!(7)), "{method}: {json}");
    assert!(json["error"].is_null(), "{method}: {json}");
    json["result"].take()
}

/// Returns the JSON-RPC error of a failed message.
pub(crate) fn error(revision: &str, path: &str, method: &str, params: Json) -> (i64, String) {
    let json = send(revision, path, method, params).json();
    let message = json["error"]["message"].as_str().unwrap_or_else(|| panic!("{method}: {json}"));
    (json["error"]["code"].as_i64().unwrap(), message.to_owned())
}

/// Returns the result of a tool call.
pub(crate) fn call(name: &str, arguments: &Json) -> Json {
    result(EARLIER, "/mcp", "tools/call", json!({"name": name, "arguments": arguments}))
}

/// Returns the names of the tools listed at a path.
pub(crate) fn names(path: &str) -> Vec<String> {
    let list = result(EARLIER, path, "tools/list", json!({}));
    let tools = list["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// Returns the text of a result.
pub(crate) fn text(result: &Json) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}
