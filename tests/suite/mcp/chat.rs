//! The chat tools: their list, one snapshot per call, the market of a ticker, lengths, and words of refusals. Their
//! answers are tested in `tests/clients/questions.json`.

use std::collections::BTreeSet;

use parquote::mcp::ChatTools;
use parquote::operation::Catalogue;
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::client::{BOTH, EARLIER, error, names, result, text};
use crate::server::{PUBLIC, SERVER};

pub(super) const CHAT: &str = "/mcp/chat";

/// Returns the result of a call.
fn ask(tool: &str, arguments: &Json) -> Json {
    result(EARLIER, CHAT, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// Returns the answer of a successful call.
pub(super) fn answer(tool: &str, arguments: &Json) -> Json {
    let result = ask(tool, arguments);
    assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
    let answer = result["structuredContent"].clone();
    assert_eq!(serde_json::from_str::<Json>(text(&result)).unwrap(), answer, "{tool} says two things");
    answer
}

/// Returns the words of a refused call.
pub(super) fn refusal(tool: &str, arguments: &Json) -> String {
    let result = ask(tool, arguments);
    assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
    text(&result).to_owned()
}

#[test]
fn the_list_costs_at_most_three_and_a_half_thousand_tokens() {
    let listed = result(EARLIER, CHAT, "tools/list", json!({}))["tools"].to_string();
    assert!(listed.len() <= 14_000, "{} characters", listed.len());
    let tools = names(CHAT);
    assert_eq!(
        (tools.first().map(String::as_str), tools.last().map(String::as_str)),
        (Some("find"), Some("status"))
    );
    assert_eq!(names("/mcp?toolsets=chat"), tools);
    assert!(
        names("/mcp").iter().all(|name| !tools.contains(name)),
        "a tool of chats stands among those of operations"
    );
}

/// A build without the feature `png` answers a chart with text alone.
#[test]
fn a_picture_is_promised_by_the_tools_of_a_build_that_draws_one() {
    for path in [CHAT, "/mcp?toolsets=charts"] {
        let tools = result(EARLIER, path, "tools/list", json!({}))["tools"].take();
        let chart = tools
            .as_array()
            .unwrap()
            .iter()
            .find(|tool| tool["name"].as_str().unwrap().ends_with("chart"))
            .unwrap();
        let words = chart["description"].as_str().unwrap();
        let promises = ["A picture", "PNG"].iter().any(|promise| words.contains(promise));
        assert_eq!(promises, cfg!(feature = "png"), "{words}");
    }
}

#[test]
fn every_column_that_a_declaration_shows_is_one_of_its_operation() {
    let service = SERVER.service();
    let tools = ChatTools::from_catalogue(service.catalogue()).unwrap();
    let snapshot = service.snapshot();
    let columns: BTreeSet<_> = tools
        .columns()
        .into_iter()
        .map(|(tool, operation, column)| (tool, operation.name.as_str(), column))
        .collect();
    assert!(columns.len() > 80);
    // A column that only one of the markets has is correct.
    let has = |name: &str, column: &str| {
        let bare = name.strip_prefix("us/").unwrap_or(name);
        [bare.to_owned(), format!("us/{bare}")].iter().any(|name| {
            let Some(operation) = service.catalogue().operation(name) else { return false };
            let told = operation.columns.iter().any(|known| known.name.rsplit('.').next() == Some(column));
            told || snapshot.columns(operation).iter().flatten().any(|known| known.name == column)
        })
    };
    // A handler's rows need not be columns of its SELECT.
    let is_read =
        |name: &str| service.catalogue().operation(name).is_some_and(|operation| operation.run.is_none());
    let unknown: Vec<_> = columns
        .iter()
        .filter(|(_, operation, column)| is_read(operation) && !has(operation, column))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn a_mistake_in_a_declaration_is_named_at_its_line() {
    let declared = "title = 'T'\nplace = 1\nwords = 'W'\n[[param]]\nname = 'symbol'\ntype = 'symbol'\n[[part]]\nname = 'p'\noperation = 'company/profile'\narguments = { symbol = '$symbol' }\n";
    let mistake = |from: &str, to: &str| {
        let files = vec![("chat/own.toml".to_owned(), declared.replace(from, to))];
        let catalogue = Catalogue::with_overlay(&files).unwrap();
        ChatTools::from_catalogue(&catalogue)
            .map_or_else(|mistakes| mistakes[0].to_string(), |_| String::new())
    };
    assert_eq!(mistake("nothing", ""), "");
    for (from, to, said) in [
        ("company/profile", "company/profil", "chat/own.toml:9: `p`: there is no operation `company/profil`"),
        (
            "{ symbol =",
            "{ symbl =",
            "chat/own.toml:10: `p`: company/profile has no parameter `symbl`; did you mean `symbol`?",
        ),
        ("'$symbol'", "'$ticker'", "chat/own.toml:10: `p`: the tool has no parameter `ticker`"),
        ("arguments = { symbol = '$symbol' }", "", "company/profile needs an argument `symbol`"),
        ("place = 1", "plaice = 1", "chat/own.toml:2: unknown field `plaice`"),
    ] {
        let told = mistake(from, to);
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn the_parts_of_a_call_are_answered_from_one_snapshot() {
    let now = answer("market_now", &json!({}));
    assert_eq!(now["snapshot"], json!(SERVER.service().snapshot().id()));
    for part in ["index", "breadth", "sectors", "gainers", "losers"] {
        assert!(now[part]["rows"].is_array(), "{part}: {now}");
    }
}

#[test]
fn a_ticker_says_its_market() {
    let both = answer("companies", &json!({"symbols": ["baqebo", "DEXENIELEC"]}));
    assert_eq!(both["us.companies"]["rows"][0][0], "BAQEBO");
    assert_eq!(both["india.companies"]["rows"][0][0], "DEXENIELEC");
    assert_eq!(answer("levels", &json!({"symbols": "BAQEBO"}))["market"], "us");
    assert_eq!(answer("market_now", &json!({"market": "US"}))["market"], "us");
}

#[test]
fn refusals_say_what_is_allowed_in_words_of_tools() {
    let told = refusal("levels", &json!({"symbols": ["Pozohi Transformers"]}));
    assert!(
        told.contains("POZOHIELEC (india)") && told.contains("`find`") && !told.contains("/companies"),
        "{told}"
    );
    let told = refusal("events", &json!({"kinds": ["insiders"], "day": 3, "limit": 0}));
    for part in ["`insiders` is none of insider, deal", "did you mean `days`?", "from 1 to 200"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let told = refusal("levels", &json!({"symbols": ["BAQEBO"], "entry": 1e300}));
    assert!(told.contains("`entry`") && !told.contains("whole"), "{told}");
    assert!(refusal("find", &json!({})).contains("`q` is required"));
    assert!(refusal("events", &json!({"cursor": "x"})).contains("`left_out`"));
    for revision in BOTH {
        let (code, message) = error(revision, CHAT, "tools/call", json!({"name": "get_momentum"}));
        assert!(code == -32602 && message.contains("find, market_now"), "{message}");
    }
}

#[test]
fn what_does_not_fit_is_named_and_can_be_read_to_its_end() {
    let arguments = json!({"kinds": ["insider"], "days": 400, "limit": 200});
    let (mut seen, mut cursor) = (Vec::new(), Json::Null);
    for _ in 0..40 {
        let mut arguments = arguments.clone();
        arguments["cursor"] = cursor.clone();
        let part = answer("events", &arguments);
        assert!(part.to_string().len() <= 6_000, "{}", part.to_string().len());
        seen.extend(part["events"]["rows"].as_array().unwrap().iter().map(Json::to_string));
        cursor = part["left_out"][0]["cursor"].clone();
        if cursor.is_null() || seen.len() >= 200 {
            break;
        }
    }
    assert!(seen.len() >= 200, "{}", seen.len());
    let long =
        answer("events", &json!({"kinds": ["insider"], "days": 400, "limit": 200, "max_chars": 60_000}));
    assert!(long.to_string().len() > 6_000);
}

#[test]
fn the_status_says_what_is_left_and_until_when() {
    let status = answer("status", &json!({}))["status"].clone();
    assert_eq!(status["tier"], "api_max");
    assert!(status["requests"]["day_resets_at"].as_str().unwrap().ends_with("18:30:00Z"), "{status}");
    assert!(status["india"]["sessions_behind"].is_u64(), "{status}");
}

/// Requests a file that an answer links to, without a key.
pub(super) fn opened(file: &Json) -> (u16, String) {
    let path = file["url"].as_str().unwrap().strip_prefix(PUBLIC).unwrap().to_owned();
    let reply = SERVER.send(&Method::GET, &path, &[], "");
    (reply.status, String::from_utf8_lossy(&reply.body).into_owned())
}

#[test]
fn rows_become_files_that_people_open() {
    let asked = json!({"kinds": ["insider"], "days": 400, "limit": 2});
    let result = ask("export", &json!({"tool": "events", "arguments": asked}));
    let files = result["structuredContent"]["files"].clone();
    assert_eq!(result["content"][1]["type"], "resource_link", "{result}");
    assert_eq!(result["content"][1]["uri"], files[0]["url"]);
    assert_eq!(result["content"][1]["mimeType"], "text/csv; charset=utf-8; header=present");
    let (status, csv) = opened(&files[0]);
    let mut lines = csv::Reader::from_reader(csv.as_bytes());
    assert!(status == 200 && lines.headers().unwrap().iter().any(|name| name == "value"), "{csv}");
    // The most rows of one call, not the number that the model requested.
    assert_eq!(lines.records().count(), 200);
    assert_eq!(files[0]["rows"], 200);
    // An operation that a function answers, and one with a picture.
    let screen = json!({"tool": "screen", "arguments": {"query": "ROE above 15"}});
    let (_, csv) = opened(&answer("export", &screen)["files"][0]);
    let mut lines = csv::Reader::from_reader(csv.as_bytes());
    assert!(
        lines.headers().unwrap().iter().any(|name| name == "roe") && lines.records().count() > 20,
        "{csv}"
    );
    let us =
        json!({"tool": "market_now", "arguments": {"market": "us"}, "part": "gainers", "format": "arrow"});
    let file = answer("export", &us)["files"][0].clone();
    assert!(file["market"] == "us" && opened(&file).0 == 200 && file["bytes"].as_u64() > Some(500), "{file}");
    let book = json!({"tool": "market_now", "part": "gainers", "format": "xlsx"});
    if cfg!(feature = "xlsx") {
        assert!(opened(&answer("export", &book)["files"][0]).1.starts_with("PK"));
    } else {
        assert!(refusal("export", &book).contains("the feature `xlsx`"));
    }
    let path = format!("/v1/files/{}", "0".repeat(64));
    assert_eq!(SERVER.send(&Method::GET, &path, &[], "").status, 404);
    for (arguments, told) in [
        (json!({"tool": "chart"}), "chart has no rows"),
        (json!({"tool": "scren", "arguments": {}}), "did you mean `screen`?"),
        (json!({"tool": "screen"}), "`query` is required"),
        (json!({"tool": "screen", "arguments": "all"}), "an object with the arguments of screen"),
        (json!({"tool": "market_now", "part": "losses"}), "market_now has no rows `losses`, but index"),
        (
            json!({"tool": "portfolio", "arguments": {"symbols": ["BAXIPAPOWR", "GEXALUBANK"]}, "part": "risk", "format": "arrow"}),
            "csv alone",
        ),
    ] {
        let refused = refusal("export", &arguments);
        assert!(refused.contains(told), "{refused}");
    }
}

#[test]
fn a_select_is_answered_as_over_rest() {
    let sql = "SELECT symbol, rs_rating FROM us.stocks WHERE rs_rating >= $1 ORDER BY rs_rating DESC, symbol";
    let told = answer("query", &json!({"sql": sql, "params": "[50]", "limit": 5}));
    let rest = |limit| {
        let pairs = [("sql", sql), ("params", "[50]"), ("limit", limit), ("format", "columns")];
        SERVER.select(&pairs).data()["rows"].take()
    };
    assert_eq!(told["rows"]["rows"], rest("5"), "{told}");
    assert_eq!(told["left_out"][0]["cursor"], "rows:5");
    let next = answer("query", &json!({"sql": sql, "params": "[50]", "limit": 5, "cursor": "rows:5"}));
    assert_eq!(next["rows"]["rows"].as_array().unwrap()[..], rest("10").as_array().unwrap()[5..]);
    let refused = refusal("query", &json!({"sql": "SELECT simbol FROM stocks"}));
    assert!(refused.contains("did you mean `symbol`?"), "{refused}");
    let none = answer("query", &json!({"sql": "SELECT symbol FROM stocks WHERE 1 = 2"}));
    assert_eq!(none["nothing"], json!({"rows": "the SELECT has no rows"}), "{none}");
}

#[test]
fn changes_tell_who_entered_and_left_a_scan() {
    let told = answer("changes", &json!({"since": "2026-10-01", "scan": "stage2"}));
    let rest =
        SERVER.get("chat/scans?then=2026-10-01&scan=stage2&fields=symbol,scans_entered,scans_left").data();
    let columns = told["scans"]["columns"].as_array().unwrap();
    let at = |name: &str| columns.iter().position(|column| column == name).unwrap();
    let rows = told["scans"]["rows"].as_array().unwrap();
    assert!(rows.len() > 5, "{told}");
    for (row, wanted) in rows.iter().zip(rest.as_array().unwrap()) {
        let found = ["symbol", "scans_entered", "scans_left"].map(|name| &row[at(name)]);
        assert_eq!(found, ["symbol", "scans_entered", "scans_left"].map(|name| &wanted[name]));
    }
    let long_ago = answer("changes", &json!({"since": "2026-03-02"}));
    assert_eq!(long_ago["scans"]["in_all_rows"]["known_from"], "2026-08-04", "{long_ago}");
}

#[test]
fn a_tool_has_hints_and_takes_blanks_of_strict_clients() {
    let listed = result(EARLIER, CHAT, "tools/list", json!({}))["tools"].as_array().unwrap().clone();
    for tool in &listed {
        let name = tool["name"].as_str().unwrap();
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name}: {hint}");
        }
        let changes = ["start_research", "cancel_research"].contains(&name);
        assert_eq!(tool["annotations"]["readOnlyHint"], !changes, "{name}");
        assert_eq!(tool["annotations"]["destructiveHint"], name == "cancel_research", "{name}");
    }
    let first = listed.iter().filter(|tool| tool["_meta"]["anthropic/alwaysLoad"] == true);
    let first: Vec<&str> = first.map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(first, ["find", "market_now", "changes", "screen", "companies", "query"]);
    let events = listed.iter().find(|tool| tool["name"] == "events").unwrap();
    for name in ["cursor", "max_chars", "snapshot"] {
        assert!(events["inputSchema"]["properties"][name].is_object(), "{name}");
    }
    // As strict clients send what they leave out, and an object as its text.
    let blanks = json!({"query": "ROE above 20%", "market": "india", "columns": [], "limit": null, "cursor": "", "snapshot": "", "max_chars": null});
    assert_eq!(answer("screen", &blanks), answer("screen", &json!({"query": "ROE above 20%"})));
    let params = json!({"sql": "SELECT symbol FROM stocks WHERE symbol = $1", "params": ["BAXIPAPOWR"]});
    assert_eq!(answer("query", &params)["rows"]["rows"][0][0], "BAXIPAPOWR");
}

#[test]
fn chat_tools_are_chosen_by_name() {
    let all = names(CHAT);
    assert_eq!(names("/mcp?toolsets=chat"), all);
    assert_eq!(names("/mcp?tools=screen,find"), ["find", "screen"]);
    assert_eq!(names("/mcp?toolsets=chat&exclude_tools=query").len(), all.len() - 1);
    assert_eq!(names("/mcp/chat?exclude_tools=query").len(), all.len() - 1);
    let other = error(EARLIER, "/mcp/chat?toolsets=core", "tools/list", json!({})).1;
    assert!(other.contains("chat is a set of its own"), "{other}");
    let mixed = error(EARLIER, "/mcp?toolsets=chat,core", "tools/list", json!({})).1;
    assert!(mixed.contains("chat is a set of its own"), "{mixed}");
    let unknown = error(EARLIER, "/mcp?toolsets=chat&tools=scren", "tools/list", json!({})).1;
    assert!(unknown.contains("did you mean `screen`"), "{unknown}");
}

#[test]
fn prompts_name_the_tools_of_the_set_that_they_are_listed_in() {
    let tools = names(CHAT);
    let prompts = result(EARLIER, CHAT, "prompts/list", json!({}))["prompts"].as_array().unwrap().clone();
    assert_eq!(prompts.len(), 9);
    for prompt in prompts {
        let mut arguments = serde_json::Map::new();
        for argument in prompt["arguments"].as_array().unwrap().iter().filter(|a| a["required"] == true) {
            arguments.insert(argument["name"].as_str().unwrap().to_owned(), "BAXIPAPOWR".into());
        }
        let params = json!({"name": prompt["name"], "arguments": arguments});
        let got = result(EARLIER, CHAT, "prompts/get", params);
        let text = got["messages"][0]["content"]["text"].as_str().unwrap();
        let called: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("- "))
            .map(|line| line.split([' ', ':']).next().unwrap())
            .collect();
        assert!(called.len() >= 3, "{text}");
        assert!(called.iter().all(|tool| tools.iter().any(|known| known == tool)), "{called:?}");
    }
}

#[test]
fn what_another_market_knows_is_refused_and_a_select_over_a_schema_names_both_markets() {
    let refused = refusal("holders", &json!({"market": "india", "investor": "LIC"}));
    assert!(refused.contains("`investor`") && refused.contains("us alone"), "{refused}");
    let us = answer("query", &json!({"sql": "SELECT symbol FROM us.stocks ORDER BY symbol LIMIT 1"}));
    assert!(us["market"].is_null() && us["us.as_of"].is_string() && us["india.as_of"].is_string(), "{us}");
    let plain = answer("query", &json!({"sql": "SELECT symbol FROM stocks ORDER BY symbol LIMIT 1"}));
    assert_eq!((&plain["market"], plain["as_of"].is_string()), (&json!("india"), true), "{plain}");
}

/// Texts of documents are named in the answer itself: clients drop the instructions of a server.
#[test]
fn quoted_texts_are_marked_where_they_are() {
    for (tool, arguments, part, columns) in [
        ("events", json!({"kinds": ["order"], "days": 90}), "events", json!(["what", "who"])),
        ("search_texts", json!({"q": "capacity"}), "quotes", json!(["quote"])),
    ] {
        let answer = answer(tool, &arguments);
        assert_eq!(answer[part]["quoted"], columns, "{answer}");
    }
}

/// Rows of other days than the call names would pass for an answer to it.
#[test]
fn days_apply_to_every_part_that_has_days_or_the_answer_names_the_others() {
    let call = |figures: &[&str]| json!({"symbols": ["BAXIPAPOWR"], "figures": figures, "from": "2024-01-01", "to": "2025-12-31", "every": "month", "max_chars": 50_000});
    let dates = |answer: &Json, part: &str, column: &str| -> Vec<String> {
        let columns = answer[part]["columns"].as_array().unwrap();
        let at = columns.iter().position(|name| name == column).unwrap();
        let rows = answer[part]["rows"].as_array().unwrap();
        rows.iter().map(|row| row[at].as_str().unwrap().to_owned()).collect()
    };
    let all =
        answer("history", &call(&["prices", "quarters", "years", "drawdown", "pledge", "shareholding"]));
    let quarters = [
        "2025-12-31", "2025-09-30", "2025-06-30", "2025-03-31", "2024-12-31", "2024-09-30", "2024-06-30",
        "2024-03-31",
    ];
    assert_eq!(dates(&all, "quarters BAXIPAPOWR", "period_end"), quarters);
    assert_eq!(dates(&all, "years BAXIPAPOWR", "period_end"), ["2025-03-31", "2024-03-31"]);
    let sessions = dates(&all, "prices BAXIPAPOWR", "session");
    assert!(sessions.iter().all(|day| ("2024-01-01".."2026-01-01").contains(&day.as_str())), "{sessions:?}");
    assert_eq!(
        all["notes"],
        json!([
            "`every` applies to prices, not to quarters, years, drawdown, pledge, shareholding.",
            "`from` applies to prices, quarters, years, drawdown, not to pledge, shareholding.",
            "`to` applies to prices, quarters, years, drawdown, not to pledge, shareholding."
        ])
    );
    // More than the usual number of quarters, if they are requested; and what chooses a part needs no note.
    let since =
        answer("history", &json!({"symbols": ["BAXIPAPOWR"], "figures": ["quarters"], "from": "2023-01-01"}));
    assert_eq!(dates(&since, "quarters BAXIPAPOWR", "period_end").len(), 15);
    assert!(since["notes"].is_null(), "{since}");
    let levels = answer("levels", &json!({"symbols": ["BAXIPAPOWR"], "capital": 100_000}));
    assert!(levels["notes"].is_null(), "{levels}");
}

/// Dropped without a word, an argument would make the answer one of another question.
#[test]
fn an_argument_that_no_part_of_the_call_takes_is_refused() {
    for (tool, arguments, name) in [
        ("history", json!({"symbols": ["BAXIPAPOWR"], "figures": ["quarters"], "every": "month"}), "`every`"),
        ("history", json!({"figures": ["quarters"], "market": "india"}), "`figures`"),
        ("chart", json!({"kind": "rotation", "symbols": ["BAXIPAPOWR"]}), "`symbols`"),
        ("chart", json!({"kind": "rotation", "range": "1y"}), "`range`"),
    ] {
        let refused = refusal(tool, &arguments);
        assert!(refused.contains(name) && refused.contains("does not take it"), "{refused}");
    }
    // A cursor goes on with one part, and the call repeats the arguments of all.
    let arguments =
        json!({"symbols": ["BAXIPAPOWR"], "every": "session", "from": "2026-01-01", "max_chars": 2000});
    let first = answer("history", &arguments);
    let mut again = arguments;
    again["cursor"] = first["left_out"][0]["cursor"].clone();
    assert!(again["cursor"].is_string(), "{first}");
    assert_ne!(answer("history", &again)["prices BAXIPAPOWR"]["rows"], first["prices BAXIPAPOWR"]["rows"]);
    // A list that cannot be continued has no cursor.
    let found = answer("find", &json!({"q": "rs", "max_chars": 1000}));
    let cut = found["left_out"].as_array().unwrap().iter().find(|cut| cut["part"] == "figures").unwrap();
    assert!(cut["cursor"].is_null() && cut["more"].is_string(), "{found}");
}
