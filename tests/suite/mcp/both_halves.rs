//! Some clients show their model only the text of an answer, others only its structured content: both halves must have the same facts. A
//! fact is a leaf of the JSON: the path of a value, and the value.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::array::{Array as _, ArrayRef, AsArray, Date32Array, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use parquote::operation::Market;
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::client::{EARLIER, result};
use crate::catalogue_rules::{calls, pairs};
use crate::demo_market::{CATALOGUE, LITTLE, first_value, open, open_whole};
use crate::server::{SERVER, Server};
use crate::tables;

/// Returns the leaves of a document.
fn leaves(json: &Json, path: &str, found: &mut BTreeSet<String>) {
    match json {
        Json::Object(fields) => {
            fields.iter().for_each(|(name, value)| leaves(value, &format!("{path}.{name}"), found));
        }
        Json::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| leaves(item, &format!("{path}[{at}]"), found));
        }
        value => drop(found.insert(format!("{path} = {value}"))),
    }
}

/// Returns the leaves of the text half. Text that is not JSON is one fact, and a link must be the value of a field of the other half.
fn of_text(result: &Json, structured: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for block in result["content"].as_array().unwrap() {
        match (block["type"].as_str().unwrap(), block["text"].as_str()) {
            ("text", Some(text)) => match serde_json::from_str(text) {
                Ok(json) => leaves(&json, "", &mut found),
                Err(_) => drop(found.insert(text.to_owned())),
            },
            ("resource_link", _) => {
                let link = format!("= {}", block["uri"]);
                assert!(structured.iter().any(|leaf| leaf.ends_with(&link)), "{link} is in one half alone");
            }
            _ => drop(found.insert(block.to_string())),
        }
    }
    found
}

/// Checks that both halves of a successful answer have the same facts; returns the structured half.
fn both(what: &str, result: &Json) -> Json {
    assert_eq!(result["isError"], false, "{what}: {result}");
    let mut structured = BTreeSet::new();
    leaves(&result["structuredContent"], "", &mut structured);
    let text = of_text(result, &structured);
    let differ: Vec<&String> = text.symmetric_difference(&structured).collect();
    assert!(differ.is_empty() && structured.len() > 1, "{what}: {differ:?}");
    result["structuredContent"].clone()
}

/// Returns calls of the chat set as a model sends them, for one market.
fn chat_calls(market: &str, symbols: [&str; 2], name: &str) -> Vec<(&'static str, Json)> {
    let [one, _] = symbols;
    let mut calls = vec![
        ("find", json!({"q": name})),
        ("market_now", json!({"market": market})),
        ("market_now", json!({"market": market, "from": "2026-08-03", "period": "1m"})),
        ("changes", json!({"market": market})),
        ("changes", json!({"market": market, "since": "2026-10-01", "scan": "stage2"})),
        ("changes", json!({"symbols": symbols})),
        ("screen", json!({"market": market, "query": "ROE above 15"})),
        (
            "screen",
            json!({"market": market, "query": "stage 2, strongest RS first", "columns": ["roe"], "limit": 50, "max_chars": 2000}),
        ),
        ("companies", json!({"symbols": symbols})),
        ("companies", json!({"symbols": symbols, "sections": ["valuation", "growth", "scores"]})),
        ("levels", json!({"symbols": symbols})),
        ("levels", json!({"symbols": [one], "capital": 1_000_000, "risk_pct": 2})),
        ("history", json!({"symbols": [one]})),
        ("history", json!({"symbols": [one], "every": "session", "from": "2026-01-01", "max_chars": 2000})),
        ("history", json!({"symbols": symbols, "figures": ["quarters"]})),
        ("history", json!({"symbols": symbols, "figures": ["drawdown"]})),
        ("history", json!({"market": market})),
        ("events", json!({"market": market, "days": 90})),
        ("events", json!({"market": market, "kinds": ["insider"], "days": 400, "limit": 200})),
        ("holders", json!({"market": market})),
        ("search_texts", json!({"market": market, "q": "capacity"})),
        ("search_texts", json!({"symbols": [one], "q": "zebra"})),
        ("portfolio", json!({"symbols": symbols})),
        ("portfolio", json!({"symbols": symbols, "do": ["weights", "gates"]})),
        (
            "query",
            json!({"sql": format!("SELECT symbol, rs_rating FROM {market}.stocks ORDER BY symbol"), "limit": 7}),
        ),
        ("export", json!({"tool": "events", "arguments": {"market": market, "days": 30}})),
        ("status", json!({})),
        ("search", json!({"query": name})),
        ("fetch", json!({"id": market})),
        ("fetch", json!({"id": format!("{market}:{one}")})),
    ];
    if market == "india" {
        calls.push(("history", json!({"symbols": [one], "figures": ["pledge", "shareholding"]})));
    }
    calls
}

#[test]
fn each_half_of_an_answer_says_the_same() {
    let mut tried = 0;
    for operation in calls() {
        let Some(name) = &operation.tool else { continue };
        for whole in [false, true] {
            let known = |name: &str| operation.param(name).is_some_and(|param| !param.rest_only);
            let arguments: serde_json::Map<String, Json> = pairs(operation, whole)
                .into_iter()
                .filter(|(name, _)| known(name))
                .map(|(name, value)| (name, value.into()))
                .collect();
            let params = json!({"name": name, "arguments": arguments});
            let answer = both(name, &result(EARLIER, "/mcp", "tools/call", params));
            assert_eq!(answer["as_of"], "2026-10-30", "{name}");
            tried += 1;
        }
    }
    let of_chat = [("india", ["POZOHIELEC", "DEXENIELEC"], "bank"), ("us", ["BAQEBO", "MUXILU"], "software")];
    let mut cut = 0;
    for (market, symbols, name) in of_chat {
        for (tool, arguments) in chat_calls(market, symbols, name) {
            let params = json!({"name": tool, "arguments": arguments});
            let what = format!("{tool} {arguments}");
            let answer = both(&what, &result(EARLIER, "/mcp/chat", "tools/call", params));
            cut += usize::from(answer["left_out"].is_array());
            let is_of_market = ["companies", "levels", "changes", "history"].contains(&tool);
            assert!(!is_of_market || answer["as_of"] == "2026-10-30", "{what}: {answer}");
            tried += 1;
        }
    }
    assert!(tried >= 150 && cut >= 4, "{tried} calls, {cut} of them cut");
}

/// Returns the result of a call on another server than the shared one.
fn on(server: &Server, path: &str, name: &str, arguments: &Json) -> Json {
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", EARLIER),
    ];
    let params = json!({"name": name, "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    server.send(&Method::POST, path, &headers, &message.to_string()).json()["result"].take()
}

/// A former ticker, stocks without a sector, and a company of the other market are said in both halves, in both sets.
#[test]
fn what_must_be_said_about_an_answer_is_in_both_halves() {
    let copy = LITTLE.copy();
    let whole = open_whole(copy.path());
    let value = |sql: &str| first_value(&whole, Market::India, sql).unwrap();
    let now = value("SELECT symbol FROM stocks ORDER BY symbol");
    let sector = value("SELECT sector FROM stocks WHERE sector IS NOT NULL ORDER BY symbol DESC");
    let all: usize = value("SELECT COUNT(*) FROM stocks").parse().unwrap();
    let text = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text.to_owned()])) };
    let former = [
        ("symbol", text(&now)),
        ("former_name", text("FORMERLY")),
        ("until", Arc::new(Date32Array::from(vec![20_000])) as ArrayRef),
    ];
    tables::write(
        &copy.path().join("india/former_names.parquet"),
        &RecordBatch::try_from_iter(former).unwrap(),
    );
    let mut none = 0;
    tables::change(&copy.path().join("india/stocks.parquet"), |rows| {
        tables::replaced(&rows, "sector", |sectors| {
            let sectors = cast(sectors, &DataType::Utf8).unwrap();
            let kept = |own: Option<&str>| own.filter(|own| *own != sector).map(str::to_owned);
            let sectors: StringArray = sectors.as_string::<i32>().iter().map(kept).collect();
            none = sectors.null_count();
            Arc::new(sectors)
        })
    });
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    let renamed = format!("FORMERLY is now {now}; the answer is that of {now}.");
    for (path, tool, arguments) in [
        ("/mcp", "get_company_profile", json!({"symbol": "FORMERLY"})),
        ("/mcp/chat", "companies", json!({"symbols": ["formerly"]})),
        ("/mcp/chat", "history", json!({"symbols": ["FORMERLY"], "figures": ["prices", "quarters"]})),
    ] {
        let answer = both(tool, &on(&server, path, tool, &arguments));
        assert_eq!(answer["notes"], json!([renamed]), "{tool}");
    }
    let left_out =
        format!("{none} of the {all} stocks of india have no sector here and are in no answer for one.");
    let answer = both("sector", &on(&server, "/mcp", "search_companies", &json!({"sector": sector})));
    assert_eq!(answer["notes"], json!([left_out]));
    let elsewhere = json!({"name": "search_companies", "arguments": {"q": "geqoli software"}});
    let answer = both("elsewhere", &result(EARLIER, "/mcp", "tools/call", elsewhere));
    assert_eq!(answer["notes"], json!(["No company of india is found; us has GEQOLI."]));
}

/// Rows that do not fit are named with the way to get them, in both halves, and rows as arrays are a choice of the whole connection.
#[test]
fn rows_as_arrays_are_chosen_in_the_address_and_cut_rows_are_named() {
    let arguments = json!({"scan_type": "all", "limit": 100});
    let ask = |path: &str, arguments: &Json| {
        let params = json!({"name": "us_market_trader_scan", "arguments": arguments});
        both(path, &result(EARLIER, path, "tools/call", params))
    };
    let rest = SERVER.get("us/market/trader-scan?scan_type=all&limit=100&format=columns").data();
    let columns = ask("/mcp?format=columns&max_chars=350000", &arguments);
    assert_eq!(columns["data"], rest);
    let objects = ask("/mcp?max_chars=350000", &arguments);
    let [short, long] = [&columns, &objects].map(|answer| answer.to_string().len());
    assert!(short * 5 < long * 4, "{short} of {long} characters");
    let mut as_objects = arguments.clone();
    as_objects["format"] = "json".into();
    assert_eq!(ask("/mcp?format=columns&max_chars=350000", &as_objects), objects);
    let cut = ask("/mcp?format=columns&max_chars=5000", &arguments);
    let kept = cut["data"]["stocks"]["rows"].as_array().or(cut["data"]["rows"].as_array()).unwrap().len();
    assert!(cut["truncated"] == true && cut["next"].as_str().unwrap().contains(&format!("`offset` {kept}")));
}
