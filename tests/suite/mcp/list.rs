//! The list of tools. A file per tool records what models see of it, so that a review shows each change, because it changes
//! their behaviour. `UPDATE_TOOLS=1 cargo test --test suite mcp::list` writes the files again.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquote::engine::{Engine, QueryLimits, Snapshot};
use parquote::operation::{Effect, Operation, ParamType};
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::client::{BOTH, EARLIER, LATER, error, names, result, send};
use crate::demo_market::{CATALOGUE, LITTLE, open};
use crate::server::{SERVER, Server};

/// The only tool that the contract does not have: it covers several operations.
pub(super) const CHART: &str = "get_chart";

fn all() -> Vec<Json> {
    result(EARLIER, "/mcp?toolsets=all", "tools/list", json!({}))["tools"].as_array().unwrap().clone()
}

/// Returns the tools of operations, which are those of the contract.
fn tools() -> Vec<Json> {
    all().into_iter().filter(|tool| tool["name"] != CHART).collect()
}

fn of_operations(path: &str) -> Vec<String> {
    names(path).into_iter().filter(|name| name != CHART).collect()
}

fn operation_of(tool: &str) -> &'static Operation {
    let mut operations = SERVER.service().catalogue().operations().iter();
    operations.find(|operation| operation.tool.as_deref() == Some(tool)).unwrap()
}

#[test]
fn each_tool_is_as_its_file_has_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools");
    let write = std::env::var_os("UPDATE_TOOLS").is_some();
    let mut wrong = Vec::new();
    let mut expected = BTreeSet::new();
    for tool in all() {
        let file = folder.join(format!("{}.json", tool["name"].as_str().unwrap()));
        let text = serde_json::to_string_pretty(&tool).unwrap() + "\n";
        if write {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &text).unwrap();
        } else if (tool["name"] != CHART || cfg!(feature = "png"))
            && fs::read_to_string(&file).unwrap_or_default() != text
        {
            wrong.push(file.display().to_string());
        }
        expected.insert(file);
    }
    let found: BTreeSet<PathBuf> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    for file in found.difference(&expected) {
        if write {
            fs::remove_file(file).unwrap();
        } else {
            wrong.push(format!("{} (no such tool)", file.display()));
        }
    }
    let hint = "UPDATE_TOOLS=1 cargo test --test suite mcp::list writes them again";
    assert!(wrong.is_empty(), "{} files differ; {hint}:\n  {}", wrong.len(), wrong.join("\n  "));
}

/// Returns the answer of another server than the shared one.
fn sent(server: &Server, path: &str, method: &str, params: &Json) -> Json {
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string();
    let accept = ("accept", "application/json, text/event-stream");
    let headers = [("content-type", "application/json"), accept, ("mcp-protocol-version", EARLIER)];
    server.send(&Method::POST, path, &headers, &message).json()
}

/// Before tables are loaded, messages that need none are answered, and a call returns when to retry.
#[test]
fn the_list_needs_no_data_and_a_call_is_told_when_there_is_some() {
    let engine = Engine::new(Arc::clone(&CATALOGUE), &QueryLimits::default());
    let server = Server::start(&CATALOGUE, Snapshot::from_markets(&engine, []));
    let hello = json!({
        "protocolVersion": EARLIER, "capabilities": {}, "clientInfo": {"name": "suite", "version": "1"}
    });
    let welcomed = sent(&server, "/mcp", "initialize", &hello);
    assert_eq!(welcomed["result"]["serverInfo"]["name"], "parquote", "{welcomed}");
    let listed = sent(&server, "/mcp", "tools/list", &json!({}));
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), names("/mcp").len());
    let called = sent(&server, "/mcp", "tools/call", &json!({"name": "get_market_breadth", "arguments": {}}));
    let detail = &called["result"]["_meta"]["parquote/error"];
    assert_eq!((&detail["retry"], &detail["retry_after_s"]), (&json!(true), &json!(2)), "{called}");
    assert!(detail["message"].as_str().unwrap().starts_with("no data is served yet"), "{called}");
}

/// A tool without data is listed only on request; a call of it is refused permanently.
#[test]
fn tools_without_data_are_left_out_of_the_list() {
    const TOOL: &str = "get_pledge_history";
    let copy = LITTLE.copy();
    std::fs::remove_file(copy.path().join("india/pledges.parquet")).unwrap();
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    let send = |path: &str, method: &str, params: Json| sent(&server, path, method, &params);
    let listed = |path: &str| {
        let list = send(path, "tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let has = |path: &str| listed(path).iter().any(|name| name == TOOL);
    assert!(!has("/mcp") && has("/mcp?all=true") && has(&format!("/mcp?tools={TOOL}")));
    assert_eq!(listed("/mcp?all=true"), names("/mcp"));
    assert_eq!(listed("/mcp").len() + 1, names("/mcp").len(), "all others are there");
    let unclear = send("/mcp?all=yes", "tools/list", json!({}));
    assert!(unclear["error"]["message"].as_str().unwrap().contains("neither true nor false"), "{unclear}");
    let symbol = server.get("companies?limit=1").data()[0]["symbol"].clone();
    let called = send("/mcp", "tools/call", json!({"name": TOOL, "arguments": {"symbol": symbol}}));
    let detail = &called["result"]["_meta"]["parquote/error"];
    assert_eq!((&detail["status"], &detail["retry"]), (&json!(404), &json!(false)), "{called}");
    assert!(detail["retry_after_s"].is_null() && detail["message"].as_str().unwrap().contains("pledges.csv"));
}

#[test]
fn the_list_is_that_of_the_catalogue_in_one_page_whatever_the_revision() {
    let expected: BTreeSet<&str> =
        SERVER.service().catalogue().operations().iter().filter_map(|o| o.tool.as_deref()).collect();
    for revision in BOTH {
        let list = result(revision, "/mcp?toolsets=all", "tools/list", json!({}));
        let mut listed: Vec<&str> =
            list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(listed.pop(), Some(CHART), "what is ours stands behind what is the contract's");
        assert_eq!(listed.len(), expected.len());
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), expected);
        assert!(list["nextCursor"].is_null());
        assert_eq!(list["tools"], Json::from(all()), "the order is the same each time");
    }
    assert_eq!(names("/mcp"), names("/mcp/"));
    // Without a selection it is what the contract has.
    let contract: Json = serde_json::from_str(include_str!("../../contract/operations.json")).unwrap();
    let operations = contract["operations"].as_array().unwrap().iter();
    let of_contract: BTreeSet<&str> = operations.filter_map(|operation| operation["tool"].as_str()).collect();
    let listed = names("/mcp");
    assert_eq!((listed.len(), listed.iter().map(String::as_str).collect::<BTreeSet<_>>()), (88, of_contract));
    assert_eq!(error(EARLIER, "/mcp", "tools/list", json!({"cursor": "x"})).0, -32602);
}

#[test]
fn every_tool_says_what_a_client_needs() {
    for tool in tools() {
        let name = tool["name"].as_str().unwrap();
        let operation = operation_of(name);
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!((1..=52).contains(&name.len()) && name.chars().all(is_name), "{name}");
        assert!(!tool["title"].as_str().unwrap().ends_with('.'), "{name}");
        let description = tool["description"].as_str().unwrap();
        assert!((20..=500).contains(&description.len()), "{name}: {} characters", description.len());
        let hints = &tool["annotations"];
        let reads = operation.effect == Effect::Reads;
        assert_eq!(hints["readOnlyHint"], json!(reads), "{name}");
        // The hint only applies to tools that change something, and defaults to false.
        assert!(hints["idempotentHint"].is_null(), "{name}");
        assert_eq!(hints["destructiveHint"], json!(operation.effect == Effect::Removes), "{name}");
        assert_eq!(hints["openWorldHint"], json!(operation.run.is_some()), "{name}");
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{name}");
            jsonschema::meta::validate(&tool[schema])
                .unwrap_or_else(|error| panic!("{name}, {schema}: {error}"));
            for choice in ["anyOf", "oneOf", "allOf", "$ref"] {
                assert!(tool[schema][choice].is_null(), "{name}: {choice} at the top of {schema}");
            }
        }
    }
}

#[test]
fn arguments_are_the_parameters_without_those_of_rest_alone() {
    for tool in tools() {
        let name = tool["name"].as_str().unwrap();
        let operation = operation_of(name);
        let listed: BTreeSet<&str> =
            tool["inputSchema"]["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let own = operation.params.iter().filter(|param| !param.rest_only).map(|param| param.name.as_str());
        let mut expected: BTreeSet<&str> = own.collect();
        let of_all = listed.difference(&expected).copied().collect::<BTreeSet<&str>>();
        assert!(
            of_all.is_subset(&BTreeSet::from(["detail", "format", "fields", "offset", "snapshot"])),
            "{name}: {of_all:?}"
        );
        expected.extend(of_all);
        assert_eq!(listed, expected, "{name}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        let required: Vec<&str> = operation
            .params
            .iter()
            .filter(|param| param.is_required() && !param.rest_only)
            .map(|param| param.name.as_str())
            .collect();
        let said: Vec<&str> = tool["inputSchema"]["required"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|n| n.as_str().unwrap())
            .collect();
        assert_eq!(said, required, "{name}");
    }
}

/// Models pay for the list before their first call: 99 tools take at most 92.5 KB as sent, of which models see most. A new tool or
/// parameter may add its worth, within these bounds. Tools that the contract does not have are bounded separately.
#[test]
fn the_list_stays_within_its_budget() {
    const WHOLE: usize = 92_500;
    const A_TOOL: usize = 2_400;
    const OURS: usize = 1_900;
    let size = |json: &Json| json.to_string().len();
    let list = tools();
    let whole = size(&json!(list));
    let mut sizes: Vec<(usize, &str)> =
        list.iter().map(|tool| (size(tool), tool["name"].as_str().unwrap())).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    println!("{} tools: {whole} bytes; the ten largest: {:?}", sizes.len(), &sizes[..10]);
    assert_eq!((list.len(), all().len()), (99, 100));
    assert!(whole <= WHOLE, "the list has {whole} bytes");
    assert!(sizes[0].0 <= A_TOOL, "{:?}", sizes[0]);
    let ours: usize = all().iter().filter(|tool| tool["name"] == CHART).map(size).sum();
    assert!((1..=OURS).contains(&ours), "{ours} bytes");
}

/// Several values are one string with commas, as over REST; a list of strings is accepted too.
#[test]
fn several_values_are_one_text_or_a_list() {
    let mut found = 0;
    for tool in tools() {
        let operation = operation_of(tool["name"].as_str().unwrap());
        for param in operation.params.iter().filter(|param| param.ty == ParamType::List && !param.rest_only) {
            let schema = &tool["inputSchema"]["properties"][&param.name];
            assert_eq!(schema["type"], "string", "{}: {}", operation.name, param.name);
            assert!(param.words.contains("comma"), "{}: {}", operation.name, param.words);
            found += 1;
        }
    }
    assert!(found >= 4, "{found} lists");
    let call = |codes: Json| {
        let arguments = json!({"symbol": "BAQEBO", "codes": codes, "fields": "ratio_code,ratio_value"});
        let call = json!({"name": "us_get_ratios", "arguments": arguments});
        result(EARLIER, "/mcp", "tools/call", call)["structuredContent"]["data"].clone()
    };
    let text = call(json!("roe,pe"));
    assert_eq!(text.as_array().unwrap().len(), 2, "{text}");
    assert_eq!(call(json!(["roe", "pe"])), text);
}

#[test]
fn a_part_of_the_list_is_chosen_in_the_url_or_in_headers() {
    let all = of_operations("/mcp?toolsets=all");
    let of = |toolset: &str| -> Vec<String> {
        let group = |tool: &String| operation_of(tool).group.to_lowercase().starts_with(toolset);
        all.iter().filter(|tool| group(tool)).cloned().collect()
    };
    assert_eq!(names("/mcp?toolsets=core"), of("core"));
    assert_eq!(names("/mcp?toolsets=us"), of("us"));
    assert_eq!(names("/mcp?toolsets=core,us").len(), of("core").len() + of("us").len());
    assert_eq!(of_operations("/mcp?toolsets=all"), all);
    assert_eq!(names("/mcp?toolsets=us&tools=get_momentum").len(), of("us").len() + 1);
    assert_eq!(names("/mcp?tools=get_momentum,us_get_momentum"), ["get_momentum", "us_get_momentum"]);
    assert_eq!(of_operations("/mcp?exclude_tools=get_momentum").len(), 87);
    assert_eq!(of_operations("/mcp?other=1&apiKey=x"), names("/mcp"));
    let headers = [
        ("content-type", "application/json"),
        ("x-mcp-toolsets", "core"),
        ("x-mcp-tools", "us_get_momentum"),
        ("x-mcp-exclude-tools", "get_momentum"),
    ];
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let listed = SERVER.send(&Method::POST, "/mcp", &headers, list).json();
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), of("core").len());
    // Hidden tools can still be called.
    let call = json!({"name": "get_market_sectors", "arguments": {}});
    assert_eq!(result(EARLIER, "/mcp?toolsets=us", "tools/call", call)["isError"], false);
}

#[test]
fn a_name_that_there_is_not_is_refused_with_those_there_are() {
    let start =
        json!({"protocolVersion": EARLIER, "capabilities": {}, "clientInfo": {"name": "s", "version": "1"}});
    for (query, parts) in [
        ("toolsets=cor", &["`cor`", "core", "us", "india", "all"][..]),
        ("tools=get_momentun", &["`get_momentun`", "did you mean `get_momentum`", "us_get_momentum"]),
        ("exclude_tools=x", &["`x`", "get_momentum"]),
        ("max_chars=5", &["`max_chars`", "350000"]),
        ("format=csv", &["`format`", "json", "columns"]),
    ] {
        let path = format!("/mcp?{query}");
        for (revision, method, params) in [
            (EARLIER, "tools/list", json!({})),
            (EARLIER, "initialize", start.clone()),
            (LATER, "tools/list", json!({})),
            (LATER, "server/discover", json!({})),
        ] {
            let (code, message) = error(revision, &path, method, params);
            assert_eq!(code, -32602, "{query} {method}");
            assert!(parts.iter().all(|part| message.contains(part)), "{query} {method}: {message}");
        }
    }
}

#[test]
fn who_may_keep_a_list_depends_on_whether_it_is_whole() {
    let list = |path: &str| result(LATER, path, "tools/list", json!({}));
    let (whole, part) = (list("/mcp"), list("/mcp?toolsets=us"));
    assert_eq!((&whole["cacheScope"], &part["cacheScope"]), (&json!("public"), &json!("private")));
    assert!(whole["ttlMs"].as_u64().unwrap() > 0);
    assert_eq!(whole["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "parquote");
    let earlier = send(EARLIER, "/mcp", "tools/list", json!({})).json();
    assert!(earlier["result"]["ttlMs"].is_null() && earlier["result"]["resultType"].is_null());
}
