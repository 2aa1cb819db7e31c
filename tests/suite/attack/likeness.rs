//! Texts of a quarter of a million characters where a name is looked for: nothing is compared with them, and no message repeats
//! them.

use serde_json::json;

use super::victim::Victim;

#[test]
fn long_texts_hold_up_nobody() {
    let victim = Victim::start(&[]);
    let long = "RELIANCE".repeat(30_000);
    let many: serde_json::Map<String, serde_json::Value> =
        (0..15_000).map(|number| (format!("limi{number}"), json!(1))).collect();
    let call = |name: &str, arguments: serde_json::Value| json!({"name": name, "arguments": arguments});
    for (behind, method, params) in [
        ("", "tools/call", call("get_company_profile", json!({"symbol": long}))),
        ("", "tools/call", call("get_company_profile", json!({&long: "1"}))),
        ("", "tools/call", call("get_company_profile", json!(many))),
        ("", "tools/call", call("get_market_momentum", json!({"fields": long}))),
        ("", "tools/call", call("get_market_momentum", json!({"sector": long}))),
        ("", "tools/call", call(&long, json!({}))),
        ("", "prompts/get", json!({"name": long})),
        ("", "resources/read", json!({"uri": format!("parquote://tools/{long}")})),
        (
            "",
            "completion/complete",
            json!({
                "ref": {"type": "ref/prompt", "name": "stock_deep_dive"}, "argument": {"name": "symbol", "value": long}
            }),
        ),
        ("/discover", "tools/call", call("search_tools", json!({"query": "market day ".repeat(20_000)}))),
        ("/discover", "tools/call", call("describe_tool", json!({"name": long}))),
    ] {
        eprintln!("{behind} {method}");
        victim.withstands(&["/v1/market/sectors"], || victim.messages(3, behind, method, &params));
    }
}
