//! `parquote mcp`: the real binary over standard input and output, line by line.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::demo_market::SHIPPED;

/// Runs the program; returns true if it succeeded, its messages, and its standard error.
fn speak(folder: &Path, arguments: &[&str], lines: &[Json]) -> (bool, Vec<Json>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_parquote"))
        .args(["--log", "info,rmcp=trace", "mcp", "--data", SHIPPED.data.to_str().unwrap()])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text = lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n");
    // A program that fails at its start does not read its input.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    let output = child.wait_with_output().unwrap();
    let messages = String::from_utf8(output.stdout).unwrap();
    let messages = messages.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (output.status.success(), messages, String::from_utf8(output.stderr).unwrap())
}

fn hello() -> Vec<Json> {
    let client = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "s", "version": "1"}});
    vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ]
}

fn ask(id: u64, method: &str, params: &Json) -> Json {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn answer(messages: &[Json], id: u64) -> &Json {
    messages.iter().find(|message| message["id"] == id).unwrap_or_else(|| panic!("no {id} in {messages:?}"))
}

#[test]
fn without_a_key_everything_is_open_and_nothing_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = hello();
    lines.push(ask(1, "tools/list", &json!({})));
    lines.push(ask(2, "tools/call", &json!({"name": "get_rs_changes", "arguments": {"limit": 2}})));
    lines.push(ask(3, "tools/call", &json!({"name": "get_rs_changes", "arguments": {"limit": 0}})));
    let chart = json!({"operation": "us/explore/chart", "arguments": {"symbol": "BAQEBO"}, "theme": "dark"});
    lines.push(ask(4, "tools/call", &json!({"name": "get_chart", "arguments": chart})));
    lines.push(ask(5, "resources/read", &json!({"uri": "ui://parquote/chart.html"})));
    let (ended, messages, said) = speak(folder.path(), &["--toolsets", "market"], &lines);
    assert!(ended, "{said}");
    assert_eq!(answer(&messages, 0)["result"]["serverInfo"]["name"], "parquote");
    let tools = answer(&messages, 1)["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "get_rs_changes"));
    assert!(!tools.iter().any(|tool| tool["name"] == "us_get_momentum"));
    let called = &answer(&messages, 2)["result"];
    assert_eq!(
        (&called["isError"], &called["_meta"]["parquote/usage"]["tier"]),
        (&json!(false), &json!("api_max"))
    );
    assert_eq!(answer(&messages, 3)["result"]["isError"], true);
    let drawn = &answer(&messages, 4)["result"];
    let start = if cfg!(feature = "png") { "# " } else { "<svg" };
    assert!(drawn["content"][0]["text"].as_str().unwrap().starts_with(start), "{drawn}");
    assert_eq!(drawn["content"][1]["mimeType"] == "image/png", cfg!(feature = "png"));
    assert!(drawn["structuredContent"].is_null());
    assert_eq!(answer(&messages, 5)["result"]["contents"][0]["mimeType"], "text/html;profile=mcp-app");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no state file is made");
}

#[test]
fn with_a_key_calls_are_admitted_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let keys = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_parquote"))
            .arg("keys")
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let key = keys(&["issue", "--tier", "free", "--owner", "A"]);
    let mut lines = hello();
    lines.push(ask(1, "tools/call", &json!({"name": "get_market_sectors"})));
    lines.push(ask(2, "tools/call", &json!({"name": "get_rs_changes"})));
    lines.push(ask(3, "tools/call", &json!({"name": "get_company_profile", "arguments": {"symbol": key}})));
    let (ended, messages, said) = speak(folder.path(), &["--key", &key, "--toolsets", "all"], &lines);
    assert!(ended, "{said}");
    let usage = |id| &answer(&messages, id)["result"]["_meta"]["parquote/usage"];
    assert_eq!(usage(1)["tier"], "free");
    let refused = &answer(&messages, 2)["result"];
    assert_eq!(refused["_meta"]["parquote/error"]["status"], 403);
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("api_pro"));
    // The text of the key is in no output, wherever it was sent.
    let digits = &key[3..];
    assert!(!said.contains(digits) && !Json::from(messages).to_string().contains(digits));
    assert!(
        keys(&["list"]).contains("2 of 50") || keys(&["list"]).contains("1 of 50"),
        "{}",
        keys(&["list"])
    );
    let (ended, messages, said) =
        speak(folder.path(), &["--key", "pq_00000000000000000000000000000000"], &hello());
    assert!(!ended && messages.is_empty() && said.contains("not known"), "{said}");
}

#[test]
fn a_view_that_there_is_not_stops_the_start_and_an_early_end_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let (ended, _, said) = speak(folder.path(), &["--toolsets", "cor"], &hello());
    assert!(!ended && said.contains("`cor`") && said.contains("core"), "{said}");
    assert!(speak(folder.path(), &[], &[]).0);
    let discover =
        speak(folder.path(), &["--discover"], &[hello(), vec![ask(1, "tools/list", &json!({}))]].concat()).1;
    assert_eq!(answer(&discover, 1)["result"]["tools"].as_array().unwrap().len(), 3);
}

#[test]
fn what_is_no_message_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = hello();
    lines.push(json!([1]));
    lines.push(ask(1, "ping", &json!({})));
    let (ended, messages, said) = speak(folder.path(), &[], &lines);
    assert!(ended, "{said}");
    assert_eq!(answer(&messages, 1)["result"], json!({}));
    assert!(messages.iter().any(|message| message["error"]["code"].as_i64().is_some_and(|code| code < 0)));
}
