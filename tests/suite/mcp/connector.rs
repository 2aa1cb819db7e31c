//! `search` and `fetch` as connectors of ChatGPT call them: two tools with one text each, and answers of a fixed form.

use serde_json::{Value as Json, json};

use super::client::{EARLIER, names, result, text};
use crate::server::{PUBLIC, SERVER};

const PATH: &str = "/mcp?toolsets=chatgpt";

fn ask(tool: &str, argument: &str, value: &str) -> Json {
    let params = json!({"name": tool, "arguments": {argument: value}});
    result(EARLIER, PATH, "tools/call", params)
}

/// Returns the answer of a successful call; connectors read the text.
fn answer(tool: &str, argument: &str, value: &str) -> Json {
    let result = ask(tool, argument, value);
    assert_eq!(
        (&result["isError"], result["content"].as_array().unwrap().len()),
        (&json!(false), 1),
        "{result}"
    );
    serde_json::from_str(text(&result)).unwrap()
}

fn ids(query: &str) -> Vec<String> {
    let found = answer("search", "query", query);
    let results = found["results"].as_array().unwrap();
    for result in results {
        let fields: Vec<&String> = result.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["id", "title", "url"], "{result}");
        assert!(result["url"].as_str().unwrap().starts_with(PUBLIC), "{result}");
    }
    results.iter().map(|result| result["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn both_are_listed_where_they_are_chosen_and_nowhere_else() {
    assert_eq!(names(PATH), ["search", "fetch"]);
    assert_eq!(names("/mcp/chat?toolsets=chatgpt"), ["search", "fetch"]);
    assert_eq!(names("/mcp?tools=search,fetch"), ["search", "fetch"]);
    let chat = names("/mcp/chat");
    assert!(!chat.contains(&"search".to_owned()) && !chat.contains(&"fetch".to_owned()));
    assert_eq!(names("/mcp?toolsets=chat,chatgpt").len(), chat.len() + 2);
    let listed = result(EARLIER, PATH, "tools/list", json!({}));
    for (tool, argument) in listed["tools"].as_array().unwrap().iter().zip(["query", "id"]) {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["required"], json!([argument]));
        assert_eq!(schema["properties"].as_object().unwrap().len(), 1, "{tool}");
        assert_eq!(
            (&schema["properties"][argument]["type"], &tool["annotations"]["readOnlyHint"]),
            (&json!("string"), &json!(true))
        );
    }
}

#[test]
fn a_search_finds_companies_markets_and_days_of_texts() {
    assert_eq!(ids("POZOHIELEC")[0], "india:POZOHIELEC");
    assert_eq!(ids("geqoli software")[0], "us:GEQOLI");
    assert_eq!(ids("US")[0], "us");
    // The last words are dropped until something is found.
    assert_eq!(ids("geqoli software and its margins over the years")[0], "us:GEQOLI");
    // The day and its text are those of the table, as a case of `chat/texts` has them.
    assert!(ids("new capacity").iter().any(|id| id.starts_with("india:") && id.matches(':').count() == 2));
    assert_eq!(answer("search", "query", "zzzzz")["results"], json!([]));
    assert!(text(&ask("search", "query", " ")).contains("`query` is required"));
}

#[test]
fn a_fetch_reads_what_a_search_found() {
    for (id, title, parts) in [
        (
            "india:pozohielec",
            "(POZOHIELEC, India)",
            &["## profile POZOHIELEC", "## figures", "## quarters POZOHIELEC", "- rs_rating: "][..],
        ),
        ("us:GEQOLI", "(GEQOLI, US)", &["## profile GEQOLI", "## figures"]),
        ("us", "Market: US", &["## index", "## breadth", "## sectors", "| symbol |", "- as_of: 2026-10-30"]),
        // The sentence is that of the case of `chat/texts`.
        (
            "india:KAQIDEPHAR:2026-10-30",
            ", texts of 2026-10-30",
            &["New capacity will be in use within two quarters.", "- quoted: [\"quote\"]"],
        ),
    ] {
        let document = answer("fetch", "id", id);
        let fields: Vec<&String> = document.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["id", "title", "text", "url", "metadata"], "{id}");
        assert!(document["title"].as_str().unwrap().ends_with(title), "{document}");
        let said = document["text"].as_str().unwrap();
        assert!(parts.iter().all(|part| said.contains(part)), "{id}: {said}");
        assert!((150..20_000).contains(&said.len()), "{id}: {}", said.len());
        assert_eq!(document["metadata"]["as_of"], "2026-10-30", "{id}");
        let page = document["url"].as_str().unwrap().strip_prefix(PUBLIC).unwrap().to_owned();
        assert_eq!(SERVER.send(&reqwest::Method::GET, &page, &[], "").status, 200, "{page}");
    }
    let rating = SERVER.get("company/momentum?symbol=POZOHIELEC").data()["rs_rating"].clone();
    let document = answer("fetch", "id", "india:POZOHIELEC");
    assert!(document["text"].as_str().unwrap().contains(&format!("- rs_rating: {rating}\n")), "{document}");
    for (id, said) in
        [("POZOHIELEC", "take one from the results of search"), ("us:POZOHI", "ticker of neither market")]
    {
        let refused = ask("fetch", "id", id);
        assert!(refused["isError"] == true && text(&refused).contains(said), "{id}: {refused}");
    }
}
