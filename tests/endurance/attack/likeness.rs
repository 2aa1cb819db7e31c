//! Texts of a quarter of a million characters in place of a name: they are compared with nothing, and no message repeats
//! them.

use serde_json::{Value as Json, json};

use super::flood::Requests;
use super::target::{Target, client};

/// Memory of three messages and their replies, several times as text, as JSON and as arguments.
const MESSAGES_MIB: u64 = 64;

#[test]
fn long_texts_hold_up_nobody() {
    let target = Target::start(&[]);
    let long = "RELIANCE".repeat(30_000);
    let many: serde_json::Map<String, Json> =
        (0..15_000).map(|number| (format!("limi{number}"), json!(1))).collect();
    let call = |name: &str, arguments: Json| json!({"name": name, "arguments": arguments});
    let typed = json!({
        "ref": {"type": "ref/prompt", "name": "stock_deep_dive"}, "argument": {"name": "symbol", "value": long}
    });
    for (behind, method, params) in [
        ("", "tools/call", call("get_company_profile", json!({"symbol": long}))),
        ("", "tools/call", call("get_company_profile", json!({&long: "1"}))),
        ("", "tools/call", call("get_company_profile", json!(many))),
        ("", "tools/call", call("get_market_momentum", json!({"fields": long}))),
        ("", "tools/call", call("get_market_momentum", json!({"sector": long}))),
        ("", "tools/call", call(&long, json!({}))),
        ("", "prompts/get", json!({"name": long})),
        ("", "resources/read", json!({"uri": format!("parquote://tools/{long}")})),
        ("", "resources/read", json!({"uri": "sk-0123456789ab ".repeat(14_000)})),
        ("", "completion/complete", typed),
        ("/discover", "tools/call", call("search_tools", json!({"query": "market day ".repeat(20_000)}))),
        ("/discover", "tools/call", call("describe_tool", json!({"name": long}))),
    ] {
        eprintln!("{behind} {method}");
        target.withstands(MESSAGES_MIB, || messages(&target, behind, method, &params));
    }
}

/// Sends the same message to the tools, by three callers of one key.
fn messages(target: &Target, behind: &str, method: &str, params: &Json) -> Requests {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    assert!(message.len() < 256 * 1024, "what is too long is not even read");
    let (client, url, key) = (client(false), target.url(&format!("/mcp{behind}")), target.hostile.clone());
    Requests::repeat(3, move || {
        let request = client.post(&url).header("x-api-key", &key).header("content-type", "application/json");
        request.header("accept", "application/json, text/event-stream").body(message.clone())
    })
}
