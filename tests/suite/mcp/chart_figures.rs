//! Charts as PNG with their figures as text: every operation that can be drawn, in both revisions of the protocol.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parquote::operation::Operation;
use serde_json::{Value as Json, json};

use super::charts::drawn;
use super::chat::CHAT;
use super::client::{BOTH, EARLIER, call, result, send, text};
use super::list::CHART;
use crate::catalogue_rules::required;
use crate::server::{PUBLIC, SERVER};

/// Decodes base64.
fn bytes(text: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(text).unwrap()
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

#[test]
fn a_chart_of_a_chat_has_the_requested_theme() {
    for theme in ["light", "dark"] {
        let arguments = json!({"kind": "rotation", "theme": theme});
        let answer = result(EARLIER, CHAT, "tools/call", json!({"name": "chart", "arguments": arguments}));
        let rest = SERVER.get(&format!("explore/rotation?weeks=4&format=png&theme={theme}")).body;
        assert_eq!(answer["isError"], false, "{}", text(&answer));
        assert_eq!(bytes(answer["content"][1]["data"].as_str().unwrap()), rest, "{theme}");
    }
}
