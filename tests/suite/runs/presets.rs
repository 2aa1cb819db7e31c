//! Presets: started, polled, listed, cancelled and counted, with reports whose figures equal those of the operations.

use std::collections::{BTreeMap, BTreeSet};

use parquote::agents::provider::Message;
use parquote::operation::Tier;
use serde_json::{Value as Json, json};

use super::fixture::{Fixture, Plan, wait_status, wait_until};
use super::script::{AMERICAN, INDIAN, INVENTED, Mood};
use super::starts::{KEY, PANEL, names};
use crate::protocol_server::Spoken;
use crate::server::query;

/// Returns the arguments of each tool that the scripted model called.
fn called(fixture: &Fixture) -> BTreeMap<String, Vec<Json>> {
    let mut called: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for asked in fixture.server.requests() {
        for message in &asked.messages {
            let Message::Assistant { calls, .. } = message else { continue };
            for call in calls {
                let known = called.entry(call.name.clone()).or_default();
                if !known.contains(&call.arguments) {
                    known.push(call.arguments.clone());
                }
            }
        }
    }
    called
}

/// Returns true if an answer has a field of this value, with this symbol if one is given.
fn holds(answer: &Json, symbol: &str, field: &str, value: &Json) -> bool {
    match answer {
        Json::Object(fields) => {
            let of_symbol = symbol.is_empty() || fields.get("symbol").is_none_or(|own| own == symbol);
            (of_symbol && fields.get(field) == Some(value))
                || fields.values().any(|inner| holds(inner, symbol, field, value))
        }
        Json::Array(rows) => rows.iter().any(|row| holds(row, symbol, field, value)),
        _ => false,
    }
}

/// Compares figures of a report with the answers of the operations that it cites; returns their number.
fn figures_are_the_operations_own(
    fixture: &Fixture,
    report: &Json,
    called: &BTreeMap<String, Vec<Json>>,
) -> usize {
    let notes = report["agents"].as_array().unwrap().iter().map(|agent| &agent["note"]["findings"]);
    let findings = notes.chain([&report["findings"]]).flat_map(|findings| findings.as_array().unwrap());
    let figures: Vec<&Json> = findings.flat_map(|finding| finding["figures"].as_array().unwrap()).collect();
    for figure in &figures {
        let text = |name: &str| figure[name].as_str().unwrap();
        let asked = called.get(text("operation")).unwrap_or_else(|| panic!("{figure} was never called"));
        let found = asked.iter().any(|arguments| {
            let answer = fixture.tool_data(0, text("operation"), arguments);
            holds(&answer, text("symbol"), text("field"), &figure["value"])
        });
        assert!(found, "{figure} is in no answer of {asked:?}");
    }
    figures.len()
}

/// Checks the properties that every team's report must have.
fn check_report(run: &Json, preset: &str, agents: usize, market: &str) {
    let report = &run["final_report"];
    let fields: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        [
            "preset", "goal", "market", "as_of", "summary", "findings", "risks", "stance", "picks",
            "picks_left_out", "agents", "unsupported_numbers", "model", "provider"
        ]
    );
    assert_eq!((&report["preset"], &report["market"]), (&json!(preset), &json!(market)));
    assert_eq!(report["as_of"], "2026-10-30");
    assert_eq!((&run["agents"], &run["agents_done"]), (&json!(agents), &json!(agents)), "{run}");
    // The editor writes the report and has no note.
    assert_eq!(report["agents"].as_array().unwrap().len(), agents - 1, "{preset}");
    // The model picked a symbol that does not exist, too.
    assert_eq!(report["picks"], json!([if market == "us" { AMERICAN } else { INDIAN }]), "{report}");
    assert_eq!(report["picks_left_out"], json!(["NOSUCH"]), "{report}");
    let stance = report["stance"].as_str().unwrap();
    assert!(["bullish", "neutral", "bearish", "mixed"].contains(&stance), "{stance}");
    let struck = report["unsupported_numbers"].as_array().unwrap();
    let invented = |place: &str| {
        struck.iter().any(|struck| {
            struck["where"].as_str().unwrap().starts_with(place) && struck["value"] == json!(987_654.25)
        })
    };
    assert!(invented("summary") && invented("findings[0].claim"), "{struck:?}");
    let mut shown = report.clone();
    shown["unsupported_numbers"] = Json::Null;
    assert!(!shown.to_string().contains(INVENTED), "{shown}");
    assert!(report["summary"].as_str().unwrap().contains("bears the idea out"), "{report}");
}

/// A chat reads a report as Markdown, with a link to the page of the run and one line for each number that was struck.
#[test]
fn a_chat_reads_reports_as_text() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax)]);
    fixture.save_key(0, Spoken::ALL[0], KEY);
    let run = fixture.start_preset(0, PANEL, &format!("How strong is {INDIAN}?"), "india");
    let run_report = wait_status("completed", || fixture.preset(0, &run))["final_report"].clone();
    let job = fixture.start_committee(0, INDIAN, "india");
    wait_status("completed", || fixture.committee(0, job));
    let job_report = fixture.data(0, &format!("committee/report?job_id={job}"));
    for (id, part, page, report) in [
        (run.clone(), "status", format!("presets/run?vibe_run_id={run}"), run_report),
        (job.to_string(), "report", format!("committee/run?job_id={job}"), job_report),
    ] {
        let asked = json!({"action": "report", "id": id, "max_chars": 60_000});
        let told = fixture.tool_at("mcp/chat", 0, "research", &asked);
        let part = &told["structuredContent"][part];
        assert_eq!(part["quoted"], json!(["report"]), "{told}");
        let text = part["report"].as_str().unwrap();
        assert!(text.contains(&format!("[Page of this run](https://m.example/india/{page})")), "{text}");
        assert!(text.contains(&report["summary"].as_str().unwrap().replace('<', "&lt;")), "{text}");
        let (_, struck) = text.split_once("## Numbers without support\n").unwrap();
        let lines = struck.lines().filter(|line| line.starts_with("- ")).count();
        let places = report["unsupported_numbers"].as_array().unwrap();
        let numbers: BTreeSet<&str> = places.iter().map(|struck| struck["text"].as_str().unwrap()).collect();
        assert!(lines == numbers.len() && lines < places.len(), "{lines} lines of {} places", places.len());
    }
}

#[test]
fn every_team_reports_in_both_markets_by_every_protocol() {
    // An owner has ten runs a day: one requests India, another the US.
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax), ("Bob", Tier::ApiMax)]);
    let caller_of = |market: &str| usize::from(market == "us");
    for spoken in Spoken::ALL {
        fixture.save_key(0, spoken, KEY);
        fixture.save_key(1, spoken, KEY);
    }
    let mut runs = Vec::new();
    for (caller, market) in ["india", "us"].into_iter().enumerate() {
        let presets = names(&fixture, market);
        assert_eq!(presets.len(), 8, "{presets:?}");
        for (n, (preset, agents)) in presets.into_iter().enumerate() {
            // Each market begins with another provider.
            let provider = Spoken::ALL[(n + 3 * caller) % 6].name();
            let goal = format!("How strong is {}?", if market == "us" { AMERICAN } else { INDIAN });
            let pairs =
                [("preset", preset.as_str()), ("goal", &goal), ("market", market), ("provider", provider)];
            let started = fixture.data(caller, &format!("presets/start?{}", query(&pairs)));
            assert_eq!((&started["provider"], &started["agents"]), (&json!(provider), &json!(agents)));
            assert_eq!(started["runs_left"], 9 - n, "{started}");
            let id = started["vibe_run_id"].as_str().unwrap().to_owned();
            assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
            runs.push((id, preset, agents, market, provider));
        }
    }
    let mut figures = 0;
    for (id, preset, agents, market, provider) in &runs {
        let run = wait_status("completed", || fixture.preset(caller_of(market), id));
        check_report(&run, preset, *agents, market);
        assert_eq!(
            (&run["provider"], &run["final_report"]["provider"]),
            (&json!(provider), &json!(provider))
        );
        assert!(run["cost_usd"].as_f64().unwrap() > 0.0 && run["finished_at"].is_i64(), "{run}");
        let found = figures_are_the_operations_own(&fixture, &run["final_report"], &called(&fixture));
        assert!(found > 0, "{preset} in {market} cites nothing: {}", run["final_report"]);
        figures += found;
    }
    let requests = fixture.server.requests();
    let wrong: Vec<_> = requests.iter().filter_map(|asked| asked.wrong.clone()).collect();
    assert_eq!(wrong, Vec::<String>::new());
    println!("16 runs, {} requests, {figures} figures", requests.len());
    // The pick of each is recorded, in a ledger of the preset and the model.
    for market in ["india", "us"] {
        let found = fixture.data(caller_of(market), &format!("screens/ledger?market={market}&lines=true"));
        let ledgers = found["ledgers"].as_array().unwrap();
        for (_, preset, _, _, provider) in runs.iter().filter(|run| run.3 == market) {
            let is_named = |ledger: &&Json| {
                ledger["name"].as_str().unwrap().starts_with(&format!("{preset}: {provider}/"))
            };
            let ledger =
                ledgers.iter().find(is_named).unwrap_or_else(|| panic!("{preset} has no ledger: {found}"));
            assert_eq!(
                (&ledger["line_count"], &ledger["is_recorded"]),
                (&json!(1), &json!(true)),
                "{ledger}"
            );
            let line: Json = serde_json::from_str(ledger["lines"][0].as_str().unwrap()).unwrap();
            let symbol = if market == "us" { AMERICAN } else { INDIAN };
            assert!(line["entered"][preset.as_str()][symbol].is_f64(), "{line}");
        }
        assert_eq!(ledgers.len(), 8, "{found}");
    }
    // The list has the runs of one market, the newest first.
    for market in ["india", "us"] {
        let list = fixture.data(caller_of(market), &format!("presets/list?market={market}"));
        let listed: Vec<&str> =
            list["runs"].as_array().unwrap().iter().map(|run| run["vibe_run_id"].as_str().unwrap()).collect();
        let mut own: Vec<&str> =
            runs.iter().filter(|run| run.3 == market).map(|run| run.0.as_str()).collect();
        own.reverse();
        assert_eq!(listed, own, "{list}");
        assert!(list["runs"].as_array().unwrap().iter().all(|run| run["status"] == "completed"), "{list}");
        assert_eq!((&list["count"], &list["runs_left"]), (&json!(8), &json!(2)));
    }
}

#[test]
fn a_run_shows_where_it_stands_and_what_it_cost() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiPro)]);
    fixture.save_key(0, Spoken::OpenAi, KEY);
    fixture.model.replies_left(5);
    let id = fixture.start_preset(0, PANEL, "How strong is FAQINETRAC?", "india");
    let held = wait_until("a step", || fixture.preset(0, &id), |run| run["input_tokens"].as_i64() > Some(0));
    assert_eq!((&held["status"], &held["agents"]), (&json!("running"), &json!(5)), "{held}");
    assert_eq!((&held["final_report"], &held["error"]), (&Json::Null, &Json::Null), "{held}");
    assert!(!held["step"].as_str().unwrap().is_empty() && held["finished_at"].is_null(), "{held}");
    fixture.model.replies_left(i64::MAX);
    let run = wait_status("completed", || fixture.preset(0, &id));
    // Four analysts: a call of 12 and 5 tokens, two texts of 1,000 and 100; the editor: one text.
    assert_eq!((&run["input_tokens"], &run["output_tokens"]), (&json!(9_048), &json!(920)), "{run}");
    // At 2 and 12 dollars a million: 0.018096 + 0.01104.
    assert_eq!(run["cost_usd"], json!(0.0291), "{run}");
    assert_eq!((&run["goal"], &run["market"]), (&json!("How strong is FAQINETRAC?"), &json!("india")));
    check_report(&run, PANEL, 5, "india");
}

#[test]
fn silent_runs_of_two_owners_stop_no_third() {
    let fixture =
        Fixture::for_callers(&[("Alice", Tier::ApiPro), ("Bob", Tier::ApiPro), ("Carol", Tier::ApiPro)]);
    fixture.model.be_silent_as(Spoken::OpenAi);
    let mut silent = Vec::new();
    for caller in [0, 1] {
        fixture.save_key(caller, Spoken::OpenAi, KEY);
        for _ in 0..2 {
            silent.push((caller, fixture.start_preset(caller, PANEL, "How strong is it?", "india")));
        }
    }
    for (caller, id) in &silent {
        let asks = |run: &Json| run["agents"].as_i64() > Some(0);
        wait_until("the run that waits", || fixture.preset(*caller, id), asks);
    }
    fixture.save_key(2, Spoken::Anthropic, KEY);
    let id = fixture.start_preset(2, PANEL, "How strong is it?", "india");
    wait_status("completed", || fixture.preset(2, &id));
    for (caller, id) in &silent {
        assert_eq!(fixture.preset(*caller, id)["status"], "running");
        assert_eq!(fixture.data(*caller, &format!("presets/cancel?vibe_run_id={id}"))["status"], "cancelled");
    }
}

#[test]
fn nobody_finds_a_run_of_another_by_any_verb() {
    let fixture =
        Fixture::for_callers(&[("Alice", Tier::ApiMax), ("Alice", Tier::ApiPro), ("Bob", Tier::ApiMax)]);
    fixture.save_key(0, Spoken::Anthropic, KEY);
    let id = fixture.start_preset(0, PANEL, "How strong is FAQINETRAC?", "india");
    let job = fixture.start_committee(0, INDIAN, "india");
    wait_status("completed", || fixture.preset(1, &id));
    wait_status("completed", || fixture.committee(1, job));
    let paths = [
        format!("presets/poll?vibe_run_id={id}"),
        format!("presets/cancel?vibe_run_id={id}"),
        format!("committee/poll?job_id={job}"),
        format!("committee/report?job_id={job}"),
        format!("committee/cancel?job_id={job}"),
    ];
    for path in &paths {
        let (status, said) = fixture.refusal(2, path);
        assert_eq!(status, 404, "{path}");
        // The message equals that for an unknown id.
        let nobodys = fixture.refusal(1, &path.replace(&id, &"0".repeat(32)).replace(&job.to_string(), "77"));
        assert_eq!(nobodys.0, 404);
        assert_eq!(
            said.replace(&id, "ID").replace(&job.to_string(), "ID"),
            nobodys.1.replace(&"0".repeat(32), "ID").replace("77", "ID")
        );
        assert_eq!(fixture.get(1, path).status, 200, "{path}");
    }
    for (tool, arguments) in [
        ("check_preset_status", json!({"vibe_run_id": id})),
        ("cancel_preset", json!({"vibe_run_id": id})),
        ("check_committee_status", json!({"job_id": job})),
        ("get_committee_report", json!({"job_id": job})),
        ("cancel_committee", json!({"job_id": job})),
    ] {
        assert_eq!(fixture.tool_refusal(2, tool, &arguments).0, 404, "{tool}");
    }
    for path in ["presets/list", "committee/list"] {
        assert_eq!(
            (&fixture.data(2, path)["count"], &fixture.data(1, path)["count"]),
            (&json!(0), &json!(1)),
            "{path}"
        );
    }
}

#[test]
fn a_key_starts_ten_runs_a_day_and_a_cancelled_one_stays_one_of_them() {
    let fixture = Fixture::with(
        &[("Alice", Tier::ApiPro), ("Alice", Tier::ApiPro)],
        &Plan { workers: 1, ..Plan::default() },
    );
    fixture.save_key(0, Spoken::OpenAi, KEY);
    fixture.model.be(Mood::Silent);
    let start =
        || fixture.get(0, &format!("presets/start?{}", query(&[("preset", PANEL), ("goal", "Which?")])));
    let ids: Vec<String> = (0..10)
        .map(|n| {
            let started = start().data();
            assert_eq!(started["runs_left"], 9 - n, "{started}");
            started["vibe_run_id"].as_str().unwrap().to_owned()
        })
        .collect();
    let eleventh = start();
    assert_eq!(
        (eleventh.status, eleventh.message().contains("10 runs")),
        (429, true),
        "{}",
        eleventh.message()
    );
    let after: i64 = eleventh.header("retry-after").parse().unwrap();
    assert!((86_000..=86_400).contains(&after), "{after}");
    let (status, said) = fixture.tool_refusal(0, "start_preset", &json!({"preset": PANEL, "goal": "Which?"}));
    assert!(status == 429 && said.contains("10 runs"), "{status} {said}");
    // Another key of the same owner shares the limit.
    assert_eq!(fixture.data(1, "presets/list")["runs_left"], 0);
    // The last run waits for the only worker without any reply: it still counts.
    for _ in 0..2 {
        let cancelled = fixture.data(0, &format!("presets/cancel?vibe_run_id={}", ids[9]));
        assert_eq!(
            cancelled,
            json!({"vibe_run_id": ids[9], "status": "cancelled", "vps_cancel_status": "unknown"})
        );
        assert_eq!(fixture.data(0, "presets/list")["runs_left"], 0);
    }
    assert_eq!(start().status, 429);
    // The running one is stopped, and the others continue when the model replies.
    wait_until("the first", || fixture.preset(0, &ids[0]), |run| run["step"] != "queued");
    let cancelled = fixture.data(0, &format!("presets/cancel?vibe_run_id={}", ids[0]));
    assert_eq!((&cancelled["status"], &cancelled["vps_cancel_status"]), (&json!("cancelled"), &json!("ok")));
    let run = fixture.preset(0, &ids[0]);
    assert_eq!((&run["status"], &run["final_report"]), (&json!("cancelled"), &Json::Null), "{run}");
    fixture.model.be(Mood::Good);
    wait_status("completed", || fixture.preset(0, &ids[1]));
    let late = fixture.data(0, &format!("presets/cancel?vibe_run_id={}", ids[1]));
    assert_eq!((&late["status"], &late["vps_cancel_status"]), (&json!("completed"), &json!("unknown")));
    assert!(fixture.preset(0, &ids[1])["final_report"].is_object());
}
