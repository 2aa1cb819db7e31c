//! Keys, tiers and quotas at the MCP endpoint: the same as over REST, except that a refused call is a tool result.

use parquote::access::Secret;
use parquote::http::HttpSettings;
use parquote::operation::{Market, Tier};
use serde_json::{Value as Json, json};

use super::fixture::{Fixture, NOON, Reply, UNKNOWN, new};
use super::program::KeysFolder;
use crate::demo_market::{RUNTIME, first_value};

fn message(method: &str, params: &Json) -> Json {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn call(fixture: &Fixture, key: &Secret, tool: &str, arguments: &Json) -> Reply {
    let params = json!({"name": tool, "arguments": arguments});
    fixture.post(
        "",
        &[("authorization", &format!("Bearer {}", key.reveal()))],
        &message("tools/call", &params),
    )
}

/// Returns 200 for a successful call, or the status of its refusal.
fn outcome(reply: &Reply) -> u64 {
    assert_eq!(reply.status, 200, "{}", reply.body);
    let result = &reply.json()["result"];
    if result["isError"] == true {
        result["_meta"]["parquote/error"]["status"].as_u64().unwrap()
    } else {
        200
    }
}

#[test]
fn a_key_is_taken_from_each_place_and_none_is_401() {
    let (key, new_key) = new(Tier::ApiMax);
    let (revoked, revoked_key) = new(Tier::ApiMax);
    let mut fixture = Fixture::with(&[&new_key, &revoked_key], 1_000, HttpSettings::default());
    let last = fixture.store.keys().unwrap().last().unwrap().id;
    fixture.store.revoke_key(last, NOON).unwrap();
    let fixture = fixture.reopened();
    let listing = message("tools/list", &json!({}));
    let bearer = format!("Bearer {}", key.reveal());
    let query = format!("?apiKey={}", key.reveal());
    for (behind, headers) in [
        ("", &[("authorization", bearer.as_str())][..]),
        ("", &[("x-api-key", key.reveal())]),
        (query.as_str(), &[]),
        (&format!("/discover{query}&toolsets=core"), &[]),
    ] {
        assert_eq!(fixture.post(behind, headers, &listing).status, 200, "{behind} {headers:?}");
    }
    let [unknown, revoked] = [UNKNOWN, revoked.reveal()].map(|text| format!("Bearer {text}"));
    for headers in [&[][..], &[("authorization", unknown.as_str())], &[("authorization", &revoked)]] {
        for method in ["initialize", "tools/list", "tools/call"] {
            let reply = fixture.post("", headers, &message(method, &json!({"name": "get_market_sectors"})));
            assert_eq!(reply.status, 401, "{method}");
            assert_eq!(reply.headers["www-authenticate"], "Bearer realm=\"parquote\"");
            assert!(reply.json()["error"]["message"].is_string() && reply.json()["jsonrpc"] == "2.0");
            assert!(!reply.body.contains("pq_0") && reply.left() == Some((0, 0)), "{}", reply.body);
        }
    }
    // A key in the URL takes precedence.
    let differ = fixture.post(&format!("?apiKey={UNKNOWN}"), &[("authorization", &bearer)], &listing);
    assert_eq!(differ.status, 401);
    let differ = fixture.post(&query, &[("authorization", "Bearer client-7f3a")], &listing);
    assert_eq!(differ.status, 200);
}

#[test]
fn every_tool_is_listed_whatever_the_tier_and_refused_by_it_in_the_result() {
    let keys: Vec<_> = Tier::ALL.into_iter().map(new).collect();
    let stored: Vec<_> = keys.iter().map(|(_, key)| key).collect();
    let fixture = Fixture::with(&stored, 1_000, HttpSettings::default());
    let mut lists = Vec::new();
    for (tier, (secret, _)) in Tier::ALL.into_iter().zip(&keys) {
        let list = fixture.post("", &[("x-api-key", secret.reveal())], &message("tools/list", &json!({})));
        lists.push(list.body.clone());
        let reaches = tier.reaches(Tier::ApiPro);
        let reply = call(&fixture, secret, "get_rs_changes", &json!({}));
        assert_eq!(outcome(&reply), if reaches { 200 } else { 403 }, "{tier}");
        if !reaches {
            let text = reply.json()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
            let rest = fixture.get(secret, "market/rs-changes");
            assert!(text.contains(&rest.message()), "{text}");
        }
    }
    assert!(lists.windows(2).all(|pair| pair[0] == pair[1]));
}

/// Returns the outcome of a call of a chat tool.
fn chat(fixture: &Fixture, key: &Secret, tool: &str, arguments: &Json) -> u64 {
    let params = json!({"name": tool, "arguments": arguments});
    outcome(&fixture.post("/chat", &[("x-api-key", key.reveal())], &message("tools/call", &params)))
}

/// The tiers are those of the manual of each operation: what a tier does not reach is no tool of a chat, or the tool says so, and a call is
/// refused with 403, as over REST and on a page.
#[test]
fn a_tier_that_does_not_reach_is_403_everywhere_and_chats_do_not_list_what_it_lacks() {
    let keys: Vec<_> = [Tier::Free, Tier::ApiPro, Tier::ApiMax].into_iter().map(new).collect();
    let stored: Vec<_> = keys.iter().map(|(_, key)| key).collect();
    let fixture = Fixture::with(&stored, 1_000, HttpSettings::default());
    let [free, pro, max] = [0, 1, 2].map(|place| &keys[place].0);
    let listed = |key: &Secret| {
        let reply = fixture.post("/chat", &[("x-api-key", key.reveal())], &message("tools/list", &json!({})));
        let tools = reply.json()["result"]["tools"].as_array().unwrap().clone();
        tools.into_iter().map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool)).collect::<Vec<_>>()
    };
    let names = |key: &Secret| listed(key).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let (all, of_pro) = (names(max), names(pro));
    assert_eq!(all.len(), 18);
    assert_eq!(names(free), ["find", "market_now", "research", "chart", "export", "status"]);
    let beyond = |name: &String| name == "search_texts";
    assert_eq!(of_pro, all.iter().filter(|name| !beyond(name)).cloned().collect::<Vec<_>>());
    let words = |key: &Secret, name: &str| {
        let tools = listed(key);
        let (_, tool) = tools.iter().find(|(known, _)| known == name).unwrap();
        tool["description"].as_str().unwrap().to_owned()
    };
    let said = words(free, "market_now");
    assert!(
        said.ends_with("Not with this key: india breadth, us breadth, india sectors, us sectors (api_pro)."),
        "{said}"
    );
    assert!(!words(max, "market_now").contains("Not with"));
    let closed =
        "SELECT symbol FROM companies WHERE symbol NOT IN (SELECT symbol FROM free_symbols) ORDER BY symbol";
    let closed = first_value(&fixture.service.snapshot(), Market::Us, closed).unwrap();
    for (key, tool, arguments, status) in [
        (free, "market_now", json!({}), 200),
        (free, "levels", json!({"symbols": ["POZOHIELEC"]}), 403),
        (free, "screen", json!({"query": "ROE above 15"}), 403),
        (free, "query", json!({"sql": "SELECT symbol FROM stocks"}), 403),
        (free, "research", json!({"action": "estimate"}), 403),
        (free, "chart", json!({"kind": "rotation"}), 403),
        (pro, "search_texts", json!({"q": "capacity"}), 403),
        (free, "export", json!({"tool": "screen", "arguments": {"query": "ROE above 15"}}), 403),
        (pro, "export", json!({"tool": "screen", "arguments": {"query": "ROE above 15"}}), 200),
        (pro, "export", json!({"tool": "search_texts", "arguments": {"q": "capacity"}}), 403),
        (free, "fetch", json!({"id": format!("us:{closed}")}), 403),
    ] {
        assert_eq!(chat(&fixture, key, tool, &arguments), status, "{tool} {arguments}");
    }
    for (page, operation) in [
        ("/india/rotation", "explore/rotation"),
        ("/india/screener", "explore/screen-words"),
        ("/us/compare?symbols=BAQEBO,GEQOLI", "us/explore/compare?symbols=BAQEBO,GEQOLI"),
        ("/us/heat", "us/explore/heat-map"),
        ("/india/screener.csv", "explore/screen-file"),
    ] {
        let (shown, rest) = (fixture.page(free, page).status, fixture.get(free, operation).status);
        assert_eq!((shown, rest), (403, 403), "{page}");
    }
}

#[test]
fn only_calls_count_and_as_over_rest() {
    let (key, new_key) = new(Tier::Free);
    let fixture = Fixture::for_key(&new_key);
    let ask = |behind: &str, method: &str, params: Json| {
        fixture.post(behind, &[("x-api-key", key.reveal())], &message(method, &params))
    };
    for (method, params) in [
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/read", json!({"uri": "parquote://manual"})),
        ("tools/call", json!({"name": "nothing"})),
        ("nothing", json!({})),
    ] {
        assert_eq!(ask("", method, params).left(), Some((50, 10)), "{method}");
    }
    let search = json!({"name": "search_tools", "arguments": {"query": "breadth"}});
    assert_eq!(ask("/discover", "tools/call", search).left(), Some((50, 10)));
    let mut left = (50, 10);
    for (tool, arguments, status, cost) in [
        ("get_market_sectors", json!({}), 200, 1),
        ("get_market_sectors", json!({"x": 1}), 400, 1),
        ("get_rs_changes", json!({}), 403, 0),
        ("get_company_profile", json!({"symbol": "NOSUCH"}), 403, 0),
    ] {
        let reply = call(&fixture, &key, tool, &arguments);
        left = (left.0 - cost, left.1 - cost);
        assert_eq!((outcome(&reply), reply.left()), (status, Some(left)), "{tool} {arguments}");
        let usage = &reply.json()["result"]["_meta"]["parquote/usage"];
        assert_eq!(usage["requests_remaining_hour"], left.1, "{tool} {arguments}");
    }
    let through = json!({"name": "call_tool", "arguments": {"name": "get_market_sectors"}});
    assert_eq!(ask("/discover", "tools/call", through).left(), Some((left.0 - 1, left.1 - 1)));
}

#[test]
fn a_used_up_allowance_is_a_result_with_the_time_to_wait() {
    let (key, new_key) = new(Tier::Free);
    let fixture = Fixture::for_key(&new_key);
    for _ in 0..10 {
        assert_eq!(outcome(&call(&fixture, &key, "get_market_sectors", &json!({}))), 200);
    }
    fixture.at(NOON + 600);
    let reply = call(&fixture, &key, "get_market_sectors", &json!({}));
    assert_eq!(
        (outcome(&reply), reply.left(), reply.header("retry-after")),
        (429, Some((40, 0)), Some(3_000))
    );
    let detail = &reply.json()["result"]["_meta"]["parquote/error"];
    assert_eq!((&detail["retry"], &detail["retry_after_s"]), (&json!(true), &json!(3_000)));
    assert_eq!(fixture.get(&key, "market/sectors").message(), detail["message"]);
}

#[test]
fn callers_who_hang_up_stop_the_work_and_are_no_fault() {
    let (key, new_key) = new(Tier::ApiMax);
    let fixture = Fixture::for_key(&new_key);
    for _ in 0..20 {
        let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            RUNTIME.block_on(async {
                let params = json!({"name": "get_market_momentum", "arguments": {"limit": 100}});
                let called = message("tools/call", &params);
                let sent = fixture.send_message(&key, &called);
                let _ = tokio::time::timeout(std::time::Duration::from_micros(300), sent).await;
            });
        }));
        assert!(asked.is_ok());
    }
    assert_eq!(outcome(&call(&fixture, &key, "get_market_sectors", &json!({}))), 200);
}

#[test]
fn no_key_stands_in_anything_that_is_written_or_said() {
    let place = KeysFolder::new();
    let (_, key, _) = place.run(&["keys", "issue", "--tier", "api_max", "--owner", "Ann"]);
    let server = place.serve("server", &[]);
    let digits = &key[3..];
    let bearer = format!("Bearer {key}");
    let places: [(&str, Vec<(&str, &str)>); 4] = [
        ("", vec![("authorization", &bearer)]),
        ("", vec![("x-api-key", &key), ("referer", &key), ("cookie", &key)]),
        (&format!("?apiKey={key}&toolsets={key}"), vec![]),
        (&format!("/discover?apiKey={key}"), vec![("mcp-session-id", &key), ("x-mcp-tools", &key)]),
    ];
    let later = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let messages = [
        message("tools/list", &json!({})),
        message(
            "tools/call",
            &json!({"name": "get_company_profile", "arguments": {"symbol": key, "x": key}}),
        ),
        message("tools/call", &json!({"name": key})),
        message(&key, &json!({"a": key})),
        message("prompts/get", &json!({"name": key})),
        message("resources/read", &json!({"uri": key})),
        message("tools/call", &json!({"name": key, "_meta": later})),
        json!([key]),
        json!(key),
    ];
    for (behind, headers) in &places {
        for message in &messages {
            let reply = server.post(behind, headers, message);
            // A resource is returned with the requested URI, the only part of a request that is repeated.
            assert!(!reply.body.contains(digits), "{behind} {message}: {}", reply.body);
            let shown = format!("{:?}", reply.headers);
            assert!(!shown.contains(digits), "{shown}");
        }
    }
    server.stop();
    for (file, bytes) in place.written() {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(digits), "{file}");
        if file.ends_with("server.log") {
            assert!(text.lines().count() > 36, "{text}");
            let level = |line: &str| line.split_whitespace().nth(1) == Some("ERROR");
            assert!(!text.lines().any(level), "a caller's message is no fault of the server");
        }
    }
}

/// A chart is a call of its operation: the same tier, the same symbols of a free key, the same cost.
#[cfg(feature = "png")]
#[test]
fn a_chart_is_let_in_and_paid_as_its_operation() {
    let (key, new_key) = new(Tier::Free);
    let fixture = Fixture::for_key(&new_key);
    let seen = fixture.get(&key, "explore/chart?symbol=NOSUCH");
    assert_eq!(seen.status, 403, "{}", seen.body);
    let draw = |operation: &str, arguments: Json, form: &str| {
        call(
            &fixture,
            &key,
            "get_chart",
            &json!({"operation": operation, "arguments": arguments, "form": form}),
        )
    };
    let free: Vec<String> = fixture.service.snapshot().values(Market::India, "free_symbols");
    let mut left = fixture.get(&key, "explore/chart?symbol=NOSUCH").left().unwrap();
    for (operation, arguments, form, status, cost) in [
        ("explore/chart", json!({"symbol": free[0]}), "png", 200, 1),
        // The page that shows it requests it again, in both themes: after one paid call this is free.
        ("explore/chart", json!({"symbol": free[0]}), "svg", 200, 0),
        ("explore/chart", json!({"symbol": free[0]}), "svg", 200, 0),
        ("explore/chart", json!({"symbol": free[0]}), "svg", 200, 0),
        ("explore/chart", json!({"symbol": free[0]}), "svg", 200, 1),
        ("explore/chart", json!({"symbol": free[1]}), "svg", 200, 1),
        ("explore/chart", json!({"symbol": free[0], "range": "9y"}), "png", 400, 1),
        ("explore/chart", json!({"symbol": "NOSUCH"}), "png", 403, 0),
        ("market/rrg", json!({}), "png", 403, 0),
        ("nothing", json!({}), "png", 400, 0),
        ("market/sectors", json!({}), "jpg", 400, 0),
    ] {
        let reply = draw(operation, arguments.clone(), form);
        left = (left.0 - cost, left.1 - cost);
        assert_eq!(
            (outcome(&reply), reply.left()),
            (status, Some(left)),
            "{operation} {arguments}: {}",
            reply.body
        );
        let result = &reply.json()["result"];
        assert_eq!(result["_meta"]["parquote/usage"]["requests_remaining_hour"], left.1, "{operation}");
    }
    let told = draw("explore/chart", json!({"symbol": "NOSUCH"}), "png").json();
    let told = told["result"]["content"][0]["text"].as_str().unwrap();
    assert!(free.iter().all(|symbol| told.contains(symbol)), "{told}");
    let refused = draw("market/rrg", json!({}), "png").json();
    let rest = fixture.get(&key, "market/rrg?format=png").message();
    assert!(refused["result"]["content"][0]["text"].as_str().unwrap().contains(&rest), "{refused}");
    while fixture.get(&key, "market/sectors").status == 200 {}
    let over = draw("market/sectors", json!({}), "png");
    assert_eq!(outcome(&over), 429);
    assert!(over.header("retry-after").is_some());
    let told = over.json()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(told.contains(" IST (") && told.contains(" UTC), in "), "{told}");
}
