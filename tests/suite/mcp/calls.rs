//! Calls of tools: content and length of answers, words of refusals, and the three tools that find the others.

use serde_json::{Value as Json, json};

use super::client::{BOTH, EARLIER, LATER, call, error, names, result, send, text};
use crate::catalogue_rules::{calls, pairs};
use crate::schema::Judge;
use crate::server::SERVER;

/// Returns the arguments of an operation's examples.
fn examples(operation: &parquote::operation::Operation, whole: bool) -> Json {
    let known = |name: &str| operation.param(name).is_some_and(|param| !param.rest_only);
    pairs(operation, whole)
        .into_iter()
        .filter(|(name, _)| known(name))
        .map(|(n, v)| (n, Json::from(v)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[test]
fn every_answer_fits_the_schema_of_its_tool_and_says_the_same_twice() {
    let list = result(EARLIER, "/mcp?toolsets=all", "tools/list", json!({}));
    let judge = Judge::for_document(&Json::Null).unwrap();
    let mut problems = Vec::new();
    for operation in calls() {
        let Some(name) = &operation.tool else { continue };
        let tool = list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == json!(name)).unwrap();
        for whole in [false, true] {
            for form in ["json", "columns"] {
                let mut arguments = examples(operation, whole);
                arguments["format"] = form.into();
                let answer = call(name, &arguments);
                assert_eq!(answer["isError"], false, "{name} {arguments}: {answer}");
                let structured = &answer["structuredContent"];
                assert_eq!(&serde_json::from_str::<Json>(text(&answer)).unwrap(), structured, "{name}");
                assert!(text(&answer).len() <= 40_000, "{name}: {} characters", text(&answer).len());
                // A tool that declares rows may return the columns form, which its schema does not describe field by field.
                if form == "json"
                    && let Err(problem) = judge.validate(structured, &tool["outputSchema"], name)
                {
                    problems.push(problem);
                }
                assert!(structured["as_of"].as_str().unwrap().starts_with("20"), "{name}");
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn an_answer_says_which_data_it_is_of_and_what_is_left() {
    for revision in BOTH {
        let reply = send(revision, "/mcp", "tools/call", json!({"name": "get_market_sectors"}));
        let meta = reply.json()["result"]["_meta"].clone();
        assert_eq!(meta["parquote/snapshot"], json!(SERVER.service().snapshot().id()));
        assert_eq!(meta["parquote/as_of"], "2026-10-30");
        assert_eq!(meta["parquote/usage"]["tier"], "api_max");
        assert_eq!(meta["io.modelcontextprotocol/serverInfo"].is_object(), revision == LATER);
        assert_eq!(
            (reply.header("content-type"), reply.header("cache-control")),
            ("application/json", "no-store")
        );
        assert_eq!(reply.header("x-ratelimit-limit-daily"), "5000");
    }
}

#[test]
fn every_fault_is_named_for_the_model_and_for_machines() {
    let answer = call("get_rs_changes", &json!({"days": 0, "direction": "up", "nothing": 1}));
    assert_eq!(answer["isError"], true);
    assert!(answer["structuredContent"].is_null());
    let detail = &answer["_meta"]["parquote/error"];
    assert_eq!(
        (&detail["status"], &detail["kind"], &detail["retry"]),
        (&json!(400), &json!("bad_request"), &json!(false))
    );
    let params: Vec<&str> =
        detail["violations"].as_array().unwrap().iter().map(|v| v["param"].as_str().unwrap()).collect();
    assert_eq!(params, ["days", "direction", "nothing"]);
    assert!(text(&answer).starts_with("400 bad_request: "), "{}", text(&answer));
    for param in params {
        assert!(text(&answer).contains(&format!("`{param}`")), "{}", text(&answer));
    }
}

#[test]
fn an_empty_source_of_picks_is_refused_and_null_is_none() {
    let back_test = |screen: Json| {
        let arguments =
            json!({"screen": screen, "sql": null, "symbols": null, "every": "weekly", "detail": "summary"});
        call("backtest", &arguments)
    };
    assert_eq!(back_test(Json::Null)["structuredContent"]["data"]["source"], "scan");
    let refused = back_test("".into());
    assert!(refused["isError"] == true && text(&refused).contains("`screen` is empty"), "{refused}");
}

#[test]
fn values_are_taken_as_json_and_as_text() {
    let rows = |arguments: Json| call("get_market_breadth", &arguments)["structuredContent"]["data"].clone();
    let expected = rows(json!({"days": 3}));
    assert_eq!(expected.as_array().unwrap().len(), 3);
    for days in [json!("3"), json!(3.0), json!(" 3 ")] {
        assert_eq!(rows(json!({"days": days})), expected);
    }
    assert_eq!(rows(json!({"days": null})), rows(json!({})));
    for days in [json!(true), json!([1, 2]), json!({"a": 1}), json!(2.5)] {
        let answer = call("get_market_breadth", &json!({"days": days}));
        assert!(text(&answer).contains("`days`") && answer["isError"] == true, "{days}: {answer}");
    }
}

#[test]
fn what_is_rests_alone_is_no_argument() {
    let answer = call("search_companies", &json!({"max_mcap": 1000}));
    let message = text(&answer);
    assert!(
        message.contains("`max_mcap` is not a parameter") && !message.contains(", max_mcap"),
        "{message}"
    );
}

#[test]
fn fields_and_columns_are_those_of_rest() {
    let arguments = json!({"limit": 3, "fields": ["symbol", "rs_rating"], "format": "columns"});
    let data = &call("get_market_momentum", &arguments)["structuredContent"]["data"];
    let rest = SERVER.get("market/momentum?limit=3&fields=symbol,rs_rating&format=columns").data();
    assert_eq!(data, &rest);
    let refused = call("get_market_momentum", &json!({"format": "csv", "fields": "simbol"}));
    assert!(text(&refused).contains("json, columns"), "{refused}");
}

#[test]
fn a_long_answer_is_cut_and_can_be_read_to_its_end() {
    let arguments = json!({"scan_type": "all", "limit": 100});
    let rest = SERVER.get("us/market/trader-scan?scan_type=all&limit=100").data();
    let answer = call("us_market_trader_scan", &arguments);
    let part = &answer["structuredContent"];
    assert!(text(&answer).len() <= 40_000);
    let total = rest["stocks"].as_array().unwrap().len();
    assert_eq!(part["total"], if part["truncated"] == true { json!(total) } else { Json::Null });
    // The same in pieces whose length the caller sets.
    let mut seen: Vec<Json> = Vec::new();
    loop {
        let mut arguments = arguments.clone();
        arguments["offset"] = seen.len().into();
        let params = json!({"name": "us_market_trader_scan", "arguments": arguments});
        let answer = result(EARLIER, "/mcp?max_chars=5000", "tools/call", params);
        assert!(text(&answer).len() <= 5_000);
        let part = &answer["structuredContent"];
        assert_eq!(part["total"], json!(total));
        seen.extend(part["data"]["stocks"].as_array().unwrap().iter().cloned());
        assert_eq!(part["truncated"], seen.len() < total, "the last part says that nothing comes after it");
        if seen.len() >= total {
            break;
        }
        assert!(part["next"].as_str().unwrap().contains(&format!("`offset` {}", seen.len())));
    }
    assert_eq!(Json::from(seen), rest["stocks"]);
    let long = result(
        EARLIER,
        "/mcp?max_chars=350000",
        "tools/call",
        json!({"name": "us_market_trader_scan", "arguments": arguments}),
    );
    assert_eq!(long["structuredContent"]["data"]["stocks"], rest["stocks"]);
}

/// A search without results also names the matches in the other market.
#[test]
fn a_search_that_finds_nothing_says_what_the_other_market_has() {
    let notes =
        |text: &str| call("search_companies", &json!({"q": text}))["structuredContent"]["notes"].clone();
    assert_eq!(notes("geqoli software"), json!(["No company of india is found; us has GEQOLI."]));
    assert!(notes("no such company").is_null() && notes("joqife bank").is_null());
}

#[test]
fn no_reply_is_longer_than_clients_take() {
    let params = json!({"name": "get_daily_prices", "arguments": {"symbol": "FAQINETRAC", "limit": 365}});
    let reply = send(EARLIER, "/mcp?max_chars=350000", "tools/call", params);
    assert!(reply.body.len() > 40_000 && reply.body.len() < 1 << 20, "{}", reply.body.len());
}

#[test]
fn a_tool_that_there_is_not_is_an_error_of_the_protocol() {
    for revision in BOTH {
        let (code, message) = error(revision, "/mcp", "tools/call", json!({"name": "get_momentun"}));
        assert_eq!(code, -32602);
        assert!(message.contains("get_momentun") && message.contains("`get_momentum`"), "{message}");
        assert_eq!(error(revision, "/mcp", "tools/call", json!({"name": "status"})).0, -32602);
    }
}

#[test]
fn three_tools_find_describe_and_call_all_others() {
    assert_eq!(names("/mcp/discover"), ["search_tools", "describe_tool", "call_tool"]);
    let ask = |name: &str, arguments: Json| {
        result(EARLIER, "/mcp/discover/", "tools/call", json!({"name": name, "arguments": arguments}))
    };
    for (query, tool) in [
        ("sector rotation", "get_sector_rrg"),
        ("daily prices", "get_daily_prices"),
        ("us breadth", "us_get_market_breadth"),
        ("insider trades", "get_insider_trades"),
        ("shareholding", "get_shareholding"),
    ] {
        let found = ask("search_tools", json!({"query": query}));
        assert_eq!(found["structuredContent"]["tools"][0]["name"], tool, "{query}: {found}");
    }
    let all = ask("search_tools", json!({"query": "", "toolset": "us"}));
    assert_eq!(all["structuredContent"]["tools"].as_array().unwrap().len(), names("/mcp?toolsets=us").len());
    assert!(ask("search_tools", json!({"query": "zebra"}))["structuredContent"]["hint"].is_string());
    let described = ask("describe_tool", json!({"name": "get_daily_prices"}));
    assert_eq!(described["structuredContent"]["inputSchema"]["required"], json!(["symbol"]));
    let columns = described["structuredContent"]["columns"].as_array().unwrap();
    assert!(
        columns.iter().any(|column| column["name"] == "delivery_pct"
            && column["unit"].as_str().unwrap().starts_with("percent"))
    );
    for arguments in [json!({"days": 2}), json!("{\"days\": 2}")] {
        let called = ask("call_tool", json!({"name": "get_market_breadth", "arguments": arguments}));
        assert_eq!(
            called["structuredContent"],
            call("get_market_breadth", &json!({"days": 2}))["structuredContent"]
        );
    }
    for (name, arguments) in [
        ("call_tool", json!({"name": "nothing"})),
        ("call_tool", json!({"name": "get_market_breadth", "arguments": [1]})),
        ("call_tool", json!({"name": "get_market_breadth", "arguments": "two"})),
        ("describe_tool", json!({})),
        ("search_tools", json!({"query": "x", "toolset": "y"})),
        ("call_tool", json!({"name": "get_market_breadth", "arguments": {"days": 99}})),
    ] {
        assert_eq!(ask(name, arguments.clone())["isError"], true, "{name} {arguments}");
    }
    assert_eq!(
        error(EARLIER, "/mcp/discover", "tools/call", json!({"name": "get_market_breadth"})).0,
        -32602
    );
    let list = send(EARLIER, "/mcp/discover", "tools/list", json!({}));
    assert!(list.body.len() < 2_500, "{}", list.body.len());
}

/// All requested stocks are in the answer, even if they make many pairs.
#[test]
fn fifty_stocks_fit_an_answer_and_the_rest_can_be_had() {
    let rows = SERVER.get("market/momentum?limit=100&fields=symbol&liquidity=all").data();
    let rows = rows.get("stocks").unwrap_or(&rows).as_array().unwrap().clone();
    let symbols: Vec<&str> = rows.iter().map(|row| row["symbol"].as_str().unwrap()).take(50).collect();
    assert_eq!(symbols.len(), 50);
    let ask = |tool: &str, detail: &str| call(tool, &json!({"symbols": symbols.join(","), "detail": detail}));
    let scan = ask("fast_scan_committee", "");
    let scans = scan["structuredContent"]["data"]["scans"].as_array().unwrap();
    assert_eq!(scans.len(), 50);
    println!("50 scans: {} characters", text(&scan).len());
    assert!(text(&scan).len() < 20_000, "{}", text(&scan).len());
    let full = ask("fast_scan_committee", "full");
    let kept = full["structuredContent"]["data"]["scans"].as_array().unwrap().len();
    let next = full["structuredContent"]["next"].as_str().unwrap();
    assert!(
        kept < 50
            && next.ends_with(&format!("{}: ask for these in another call.", symbols[kept..].join(", "))),
        "{next}"
    );
    let risk = ask("compute_committee_risk", "");
    let data = &risk["structuredContent"]["data"];
    assert_eq!(risk["isError"], false, "{risk}");
    println!("50 stocks' risk: {} characters", text(&risk).len());
    assert_eq!(data["stocks"].as_array().unwrap().len(), 50);
    assert_eq!(
        (data["correlations"].as_array().unwrap().len(), &data["correlation_pairs"]),
        (10, &json!(1_225))
    );
    let full = ask("compute_committee_risk", "full");
    let data = &full["structuredContent"]["data"];
    println!("50 stocks' risk, full: {} characters", text(&full).len());
    assert_eq!(data["stocks"].as_array().unwrap().len(), 50);
    assert_eq!(data["correlations"].as_array().unwrap().len(), 50);
    assert!(full["structuredContent"]["next"].is_null());
    let rest = SERVER.get(&format!("committee/risk-audit/compute?symbols={}", symbols.join(","))).data();
    let pair = &rest["correlations"][0];
    let place = |symbol: &Json| symbols.iter().position(|known| symbol == known).unwrap();
    let (a, b) = (place(&pair["a"]), place(&pair["b"]));
    assert_eq!(data["correlations"][a.max(b)]["with_those_before"][a.min(b)], pair["correlation"]);
}

/// A refusal names tools that a model can call, in its own market or in the other.
#[test]
fn refusals_speak_of_tools() {
    let said = |tool: &str, arguments: Json| {
        let answer = call(tool, &arguments);
        assert_eq!(answer["isError"], true, "{answer}");
        text(&answer).to_owned()
    };
    let other = said("get_momentum", json!({"symbol": "GEQOLI"}));
    assert!(other.ends_with("but a US ticker: call `us_get_momentum`"), "{other}");
    let other = said("us_get_momentum", json!({"symbol": "POZOHIELEC"}));
    assert!(other.ends_with("but an Indian ticker: call `get_momentum`"), "{other}");
    let other = said("fast_scan_committee", json!({"symbols": "GEQOLI"}));
    assert!(other.ends_with("call with `market=us`"), "{other}");
    let other = said("get_chart", json!({"operation": "explore/chart", "arguments": {"symbol": "GEQOLI"}}));
    assert!(other.ends_with("call `get_chart` with the operation `us/explore/chart`"), "{other}");
    let unknown = said("us_get_momentum", json!({"symbol": "NOSUCHTICKER"}));
    assert!(unknown.ends_with("find it by its name with `us_search_companies`, `query`"), "{unknown}");
    assert!(!unknown.contains("/us/companies"), "{unknown}");
    let sector = said("screen_stocks", json!({"sector": "Pharma"}));
    assert!(sector.contains("known are ") && sector.contains("Healthcare, "), "{sector}");
    let industry = SERVER.get("market/industry-stages").data();
    let industry =
        industry.get("industries").or(industry.get("stocks")).unwrap_or(&industry)[0]["industry"].clone();
    let sector = said("screen_stocks", json!({"sector": industry}));
    assert!(sector.contains("is one of `industry`: give it as `industry`"), "{sector}");
    let sector = said("get_bulk_block_deals", json!({"sector": industry}));
    assert!(sector.contains("give it as `industry` to `screen_stocks`"), "{sector}");
    let rest = SERVER.get("company/momentum?symbol=GEQOLI").message();
    assert!(rest.ends_with("call `/us/company/momentum`"), "{rest}");
}

#[test]
fn an_unknown_tool_is_answered_by_its_words_or_not_at_all() {
    let said = |name: &str| error(EARLIER, "/mcp", "tools/call", json!({"name": name})).1;
    assert!(
        said("us_get_sector_rrg").contains("`get_chart` with the operation `us/explore/rotation`"),
        "{}",
        said("us_get_sector_rrg")
    );
    for unlike in ["get_account_usage", "get_status", "qwertz"] {
        assert_eq!(said(unlike), format!("Unknown tool: {unlike}"));
    }
    let chat = error(EARLIER, "/mcp/chat", "tools/call", json!({"name": "qwertz"})).1;
    assert!(chat.starts_with("Unknown tool: qwertz. The tools here are find, "), "{chat}");
    let same = call("us_get_market_momentum", &json!({"limit": 2}));
    assert_eq!(
        same["structuredContent"],
        call("us_market_momentum", &json!({"limit": 2}))["structuredContent"]
    );
}

/// The parameter names of the other market's tools are accepted.
#[test]
fn the_names_of_the_other_markets_parameters_are_taken() {
    let data = |tool: &str, arguments: Json| call(tool, &arguments)["structuredContent"]["data"].clone();
    assert_eq!(
        data("search_companies", json!({"query": "bank"})),
        data("search_companies", json!({"q": "bank"}))
    );
    assert_eq!(
        data("us_search_companies", json!({"q": "bank"})),
        data("us_search_companies", json!({"query": "bank"}))
    );
    let refused = call("search_companies", &json!({"quary": "bank"}));
    assert!(text(&refused).contains("`quary` is not a parameter"), "{refused}");
}

/// With the answer's `snapshot`, a call reads the same data again.
#[test]
fn an_answer_names_the_set_that_pins_it() {
    for tool in ["get_market_sectors", "us_get_market_sectors"] {
        let first = call(tool, &json!({}))["structuredContent"].clone();
        let set = first["snapshot"].as_str().unwrap_or_else(|| panic!("{first}"));
        assert_eq!(call(tool, &json!({"snapshot": set}))["structuredContent"], first, "{set}");
    }
}

#[test]
fn tools_are_found_by_what_words_mean() {
    let found = |query: &str| {
        let params = json!({"name": "search_tools", "arguments": {"query": query}});
        let tools =
            result(EARLIER, "/mcp/discover", "tools/call", params)["structuredContent"]["tools"].clone();
        let names = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<String>>()
    };
    for (query, tool) in [
        ("VCP pattern", "market_trader_scan"),
        ("us sector rotation", "get_chart"),
        ("chart of a stock", "get_chart"),
        ("graph", "get_chart"),
        ("superinvestors", "us_get_13f_holdings"),
        ("who pledged shares", "get_pledge_history"),
        ("shares held by promoters", "get_shareholding"),
        ("portfolio volatility", "compute_committee_risk"),
        ("screen in plain english", "screen_natural_language"),
        ("quarterly results", "get_financials"),
    ] {
        assert!(found(query).iter().take(4).any(|name| name == tool), "{query}: {:?}", found(query));
    }
    for query in ["quota left", "stale data", "export to Excel", "weather tomorrow"] {
        assert_eq!(found(query), [""; 0], "{query}");
    }
}
