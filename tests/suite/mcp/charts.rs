//! The tool that draws: its listing, its refusals, and the page for hosts with MCP Apps.

use parquote::operation::Operation;
use serde_json::{Value as Json, json};

use super::client::{BOTH, EARLIER, LATER, call, error, names, result, text};
use super::list::CHART;
use crate::server::SERVER;

const PAGE: &str = "ui://parquote/chart.html";
const PAGE_TYPE: &str = "text/html;profile=mcp-app";
/// The end of a query for the format that the tool has by default.
const DEFAULT: &str = if cfg!(feature = "png") { "=png" } else { "=svg" };
const EXTENSION: &str = "io.modelcontextprotocol/ui";

/// Returns the operations that can be drawn.
pub(super) fn drawn() -> impl Iterator<Item = &'static Operation> {
    let operations = SERVER.service().catalogue().operations().iter();
    operations.filter(|operation| operation.has_picture()).map(|operation| &**operation)
}

fn tool() -> Json {
    let list = result(EARLIER, "/mcp?toolsets=all", "tools/list", json!({}));
    list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == CHART).unwrap().clone()
}

#[test]
fn it_is_listed_with_its_page_and_promises_no_structure() {
    for revision in BOTH {
        let list = result(revision, "/mcp?toolsets=all", "tools/list", json!({}));
        let tools = list["tools"].as_array().unwrap();
        let with_page: Vec<&Json> = tools.iter().filter(|tool| !tool["_meta"].is_null()).collect();
        assert_eq!(with_page.len(), 1, "data calls open no page");
        assert_eq!(with_page[0], &tool());
    }
    let tool = tool();
    assert_eq!(tool["_meta"], json!({"ui": {"resourceUri": PAGE}, "ui/resourceUri": PAGE}));
    assert!(tool["outputSchema"].is_null(), "{tool}");
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    let listed: Vec<&str> = tool["inputSchema"]["properties"]["operation"]["enum"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    assert_eq!(listed, drawn().map(|operation| operation.name.as_str()).collect::<Vec<_>>());
}

#[test]
fn a_part_of_the_list_has_it_where_it_is_asked_for() {
    let listed = |path: &str| names(path).iter().any(|name| name == CHART);
    for (path, is_there) in [
        ("/mcp", false),
        ("/mcp?toolsets=all", true),
        ("/mcp?toolsets=charts", true),
        ("/mcp?toolsets=core&tools=get_chart", true),
        ("/mcp?toolsets=core", false),
        ("/mcp?exclude_tools=get_chart", false),
    ] {
        assert_eq!(listed(path), is_there, "{path}");
    }
    assert_eq!(names("/mcp?toolsets=charts"), [CHART]);
    let near = error(EARLIER, "/mcp", "tools/call", json!({"name": "get_chrt"})).1;
    assert!(near.contains("`get_chart`"), "{near}");
}

#[test]
fn what_is_wrong_is_refused_in_the_words_of_the_operation() {
    for (arguments, path) in [
        (
            json!({"operation": "explore/chart", "arguments": {"symbol": "NOSUCH"}}),
            "explore/chart?symbol=NOSUCH&format=png",
        ),
        (json!({"operation": "explore/chart"}), "explore/chart?format=png"),
        (
            json!({"operation": "explore/chart", "arguments": {"symbol": "BAXIPAPOWR", "range": "9y"}}),
            "explore/chart?symbol=BAXIPAPOWR&range=9y&format=png",
        ),
        (json!({"operation": "market/rrg", "arguments": {"asof": "1m"}}), "market/rrg?asof=1m&format=png"),
        (
            json!({"operation": "market/rrg", "arguments": {"fields": "sector"}}),
            "market/rrg?fields=sector&format=png",
        ),
        (
            json!({"operation": "screener", "arguments": {"explain": "BAXIPAPOWR"}}),
            "screener?explain=BAXIPAPOWR&format=png",
        ),
        (
            json!({"operation": "market/rrg", "arguments": {"snapshot": "99999"}}),
            "market/rrg?snapshot=99999&format=png",
        ),
    ] {
        let (answer, rest) = (call(CHART, &arguments), SERVER.get(&path.replace("=png", DEFAULT)));
        let detail = &answer["_meta"]["parquote/error"];
        assert_eq!(answer["isError"], true, "{arguments}");
        // REST names the path that finds a symbol, a tool names the tool.
        let said = rest.message().replace("`/companies`", "`search_companies`");
        assert_eq!(
            (&detail["status"], &detail["message"]),
            (&json!(rest.status), &json!(said)),
            "{arguments}"
        );
    }
    let answer = call(CHART, &json!({"operation": "companies", "symbol": "A", "theme": "blue"}));
    for part in ["companies has no picture", "market/rrg", "belong under `arguments`", "light, dark"] {
        assert!(text(&answer).contains(part), "{part}: {}", text(&answer));
    }
    let count = answer["_meta"]["parquote/error"]["violations"].as_array().unwrap().len();
    assert_eq!(count, 3);
}

#[test]
fn the_three_tools_find_describe_and_call_it() {
    let ask = |name: &str, arguments: Json| {
        result(LATER, "/mcp/discover", "tools/call", json!({"name": name, "arguments": arguments}))
    };
    let found = ask("search_tools", json!({"query": "chart"}));
    assert_eq!(found["structuredContent"]["tools"][0]["name"], CHART, "{found}");
    let described = ask("describe_tool", json!({"name": CHART}));
    let operations = described["structuredContent"]["operations"].as_array().unwrap();
    assert_eq!(operations.len(), drawn().count());
    assert!(
        operations
            .iter()
            .any(|one| one["operation"] == "explore/chart" && one["parameters"]["range"].is_string())
    );
    let called = ask("call_tool", json!({"name": CHART, "arguments": {"operation": "market/rrg"}}));
    assert_eq!(called["content"], call(CHART, &json!({"operation": "market/rrg"}))["content"]);
}

#[test]
fn the_server_says_that_it_has_pages_and_serves_them() {
    let client = json!({"name": "s", "version": "1"});
    let start = json!({"protocolVersion": EARLIER, "capabilities": {}, "clientInfo": client});
    for capabilities in [
        &result(EARLIER, "/mcp", "initialize", start)["capabilities"],
        &result(LATER, "/mcp", "server/discover", json!({}))["capabilities"],
    ] {
        assert_eq!(capabilities["extensions"][EXTENSION]["mimeTypes"], json!([PAGE_TYPE]), "{capabilities}");
    }
    for revision in BOTH {
        let list = result(revision, "/mcp", "resources/list", json!({}));
        let listed = list["resources"].as_array().unwrap().iter().find(|one| one["uri"] == PAGE).unwrap();
        assert_eq!(listed["mimeType"], PAGE_TYPE);
        let read = result(revision, "/mcp", "resources/read", json!({"uri": PAGE}));
        let page = &read["contents"][0];
        assert_eq!((&page["uri"], &page["mimeType"]), (&json!(PAGE), &json!(PAGE_TYPE)));
        // No domain is declared, because the page needs no network.
        assert_eq!(page["_meta"]["ui"], json!({"prefersBorder": false}));
        let html = page["text"].as_str().unwrap();
        assert_eq!(json!(html.len()), listed["size"]);
        assert!(html.starts_with("<!doctype html>") && html.len() < 8_000, "{} bytes", html.len());
    }
}

/// Models cannot know the parameters of operations that are not tools, so the guide lists all of them.
#[test]
fn the_guide_tells_all_that_can_be_drawn() {
    let guide = result(EARLIER, "/mcp", "resources/read", json!({"uri": "parquote://guides/charts"}));
    let guide = guide["contents"][0]["text"].as_str().unwrap();
    for operation in drawn() {
        let line = guide.lines().find(|line| line.contains(&format!("`{}` |", operation.name)));
        let line = line.unwrap_or_else(|| panic!("{} is not in the guide", operation.name));
        for param in &operation.params {
            let known = if param.is_required() {
                format!("**`{}`**", param.name)
            } else {
                format!("`{}`", param.name)
            };
            // `explain` requests rows that are not drawn.
            assert!(line.contains(&known) || param.name == "explain", "{}: {known}", operation.name);
        }
    }
    let page = result(EARLIER, "/mcp", "resources/read", json!({"uri": "parquote://tools/get_chart"}));
    assert_eq!(page["contents"][0]["text"], *guide);
}
