//! Messages of the Model Context Protocol to a real server: every one is answered, none with a fault of the server.

use reqwest::Method;
use serde_json::json;

use super::harness::run;
use crate::server::SERVER;

#[test]
fn messages_of_tools() {
    let call = |name: &str, arguments: serde_json::Value| json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "fuzz", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {"cursor": "10"}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": "parquote://catalogue"}}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "prompts/get", "params": {"name": "x", "arguments": {"symbol": "TCS"}}}),
        json!({"jsonrpc": "2.0", "id": 4, "method": "completion/complete", "params": {"ref": {"type": "ref/prompt", "name": "x"},
            "argument": {"name": "symbol", "value": "T"}}}),
        call("get_company_profile", json!({"symbol": "TCS"})),
        call("find_tools", json!({"query": "relative strength"})),
        call("screen_stocks", json!({"market": "india", "limit": 5, "fields": ["symbol", "roe"]})),
    ];
    let seeds: Vec<Vec<u8>> = messages.iter().map(|it| it.to_string().into_bytes()).collect();
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    run("messages", &seeds, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let reply = SERVER.send(&Method::POST, "/mcp", &headers, &text);
        assert!(reply.status < 500, "{}: {}", reply.status, String::from_utf8_lossy(&reply.body));
        let body = String::from_utf8_lossy(&reply.body);
        assert!(!body.contains("-32603"), "{body}");
    });
}
