//! The tool that draws: its listing, the answer and cost of a call, and the page for hosts with MCP Apps.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parquote::operation::Operation;
use serde_json::{Value as Json, json};

use super::client::{BOTH, EARLIER, LATER, call, error, names, result, send, text};
use super::list::CHART;
use crate::catalogue_rules::required;
use crate::server::{PUBLIC, SERVER};

const PAGE: &str = "ui://parquote/chart.html";
const PAGE_TYPE: &str = "text/html;profile=mcp-app";
const EXTENSION: &str = "io.modelcontextprotocol/ui";

fn drawn() -> impl Iterator<Item = &'static Operation> {
    let operations = SERVER.service().catalogue().operations().iter();
    operations.filter(|operation| operation.has_picture()).map(|operation| &**operation)
}

fn tool() -> Json {
    let list = result(EARLIER, "/mcp?toolsets=all", "tools/list", json!({}));
    list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == CHART).unwrap().clone()
}

/// Decodes base64.
fn bytes(text: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(text).unwrap()
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
fn every_picture_comes_with_its_figures_in_both_revisions() {
    let mut problems = Vec::new();
    let mut largest = (0, String::new());
    for operation in drawn() {
        let pairs = required(operation);
        let arguments: serde_json::Map<String, Json> =
            pairs.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        let params =
            json!({"name": CHART, "arguments": {"operation": operation.name, "arguments": arguments}});
        for revision in BOTH {
            let reply = send(revision, "/mcp", "tools/call", params.clone());
            largest = largest.max((reply.body.len(), operation.name.clone()));
            let answer = reply.json()["result"].take();
            problems.extend(
                faults(&answer, operation).into_iter().map(|fault| format!("{}: {fault}", operation.name)),
            );
        }
    }
    println!("the largest reply: {} bytes of {}", largest.0, largest.1);
    assert!(largest.0 < 1 << 20, "{largest:?}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Returns all faults of a call's answer.
fn faults(answer: &Json, operation: &Operation) -> Vec<String> {
    let mut faults = Vec::new();
    let mut hold = |holds: bool, what: &str| {
        if !holds {
            faults.push(format!("{what}: {}", answer.to_string().chars().take(400).collect::<String>()));
        }
    };
    let content = answer["content"].as_array().unwrap();
    hold(answer["isError"] == false && answer["structuredContent"].is_null() && content.len() == 2, "parts");
    let words = text(answer);
    let figures = words.lines().filter(|line| line.starts_with("| ")).count();
    hold(words.starts_with("# ") && words.contains("as of 2026-"), "heading");
    hold((2..=25).contains(&figures), "figures");
    hold(words.contains(&format!("\nRequest: GET /v1/{}", operation.name)), "request");
    hold(words.contains(&format!("\nExplorer: {PUBLIC}/")), "a link to its page");
    hold(words.len() < 4_000, "length");
    hold(content[1]["type"] == "image" && content[1]["mimeType"] == "image/png", "image");
    let png = bytes(content[1]["data"].as_str().unwrap_or_default());
    let head =
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), [960u32, 540].map(u32::to_be_bytes).concat()].concat();
    hold(png.starts_with(&head) && png.len() < 1_000_000, "PNG");
    hold(
        answer["_meta"]["parquote/as_of"].is_string() && answer["_meta"]["parquote/usage"].is_object(),
        "meta",
    );
    faults
}

#[test]
fn the_picture_is_that_of_rest_in_either_theme_and_form() {
    let ask = |more: Json| {
        let mut arguments = json!({"operation": "market/rrg", "arguments": {"as_of": "1m"}});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call(CHART, &arguments)
    };
    for theme in ["light", "dark"] {
        let png = ask(json!({"theme": theme}));
        let rest = SERVER.get(&format!("market/rrg?as_of=1m&format=png&theme={theme}")).body;
        assert_eq!(bytes(png["content"][1]["data"].as_str().unwrap()), rest, "{theme}");
        let svg = ask(json!({"theme": theme, "form": "svg"}));
        let rest = SERVER.get(&format!("market/rrg?as_of=1m&format=svg&theme={theme}")).body;
        assert_eq!((text(&svg).as_bytes(), svg["content"].as_array().unwrap().len()), (rest.as_slice(), 1));
        assert!(svg["structuredContent"].is_null() && svg["isError"] == false);
    }
    let words = ask(json!({}));
    assert!(text(&words).contains("\nRequest: GET /v1/market/rrg?as_of=1m\n"), "{}", text(&words));
    // The figures equal the operation's: the newest week of the first sector.
    let row = &SERVER.get("market/rrg?as_of=1m").data()[0];
    let line = format!(
        "| {} | {} | {} | {} |",
        row["sector"].as_str().unwrap(),
        row["rs_ratio"],
        row["rs_momentum"],
        row["session"].as_str().unwrap()
    );
    assert!(text(&words).contains(&line), "{line} is not in {}", text(&words));
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
        let (answer, rest) = (call(CHART, &arguments), SERVER.get(path));
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
    for part in ["companies has no picture", "market/rrg", "stand under `arguments`", "light, dark"] {
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
            let known =
                if param.required() { format!("**`{}`**", param.name) } else { format!("`{}`", param.name) };
            // `explain` requests rows that are not drawn.
            assert!(line.contains(&known) || param.name == "explain", "{}: {known}", operation.name);
        }
    }
    let page = result(EARLIER, "/mcp", "resources/read", json!({"uri": "parquote://tools/get_chart"}));
    assert_eq!(page["contents"][0]["text"], *guide);
}

/// A model that does not see the picture reads each sector's present and former quadrant.
#[test]
fn the_text_of_a_rotation_has_its_quadrants() {
    for operation in ["explore/rotation", "us/explore/rotation"] {
        let answer = call(CHART, &json!({"operation": operation}));
        let lines: Vec<&str> = text(&answer).lines().filter(|line| line.starts_with("| ")).collect();
        assert!(lines[0].ends_with("| Quadrant | 4 weeks ago |"), "{}", text(&answer));
        let rest = SERVER.get(operation).data();
        for row in rest.as_array().unwrap() {
            let before = row["trail"][3]["quadrant"].as_str().unwrap_or("-");
            let end = format!("| {} | {before} |", row["quadrant"].as_str().unwrap_or("-"));
            let line = lines
                .iter()
                .find(|line| line.starts_with(&format!("| {} |", row["sector"].as_str().unwrap())));
            assert!(line.is_some_and(|line| line.ends_with(&end)), "{end}: {line:?}");
        }
    }
}
