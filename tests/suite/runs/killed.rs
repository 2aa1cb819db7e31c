//! The real binary, killed in the middle of a run: another process continues it, repeats no recorded request, and ends
//! in the same report. One kill in a plain run, more by `PARQUOTE_KILLS`; each waits for a lease of 15 seconds.

use std::collections::HashMap;
use std::time::Instant;

use serde_json::{Value as Json, json};

use super::fixture::{wait_status, wait_until};
use super::program::{Program, RunsFolder};
use super::script::Model;
use crate::demo_market::RUNTIME;
use crate::protocol_server::ProtocolServer;
use crate::server::query;

/// Replies of a run: three for each of four analysts, and the editor's.
const REPLIES: i64 = 13;

fn poll(server: &Program, id: &str) -> Json {
    // A lease lasts several seconds, and a key has a thousand calls an hour.
    std::thread::sleep(std::time::Duration::from_millis(200));
    server.get(&format!("presets/poll?vibe_run_id={id}")).data()
}

fn start(server: &Program) -> String {
    let query = query(&[("preset", "technical_analysis_panel"), ("goal", "How strong is FAQINETRAC?")]);
    server.get(&format!("presets/start?{query}")).data()["vibe_run_id"].as_str().unwrap().to_owned()
}

/// Returns the numbers of recorded replies after which the process is killed, one run after another.
fn kills() -> Vec<i64> {
    let kills: i64 = std::env::var("PARQUOTE_KILLS").map_or(1, |text| text.parse().unwrap());
    match kills.min(REPLIES - 1) {
        1 => vec![11],
        2 => vec![3, 11],
        kills => (1..=kills).collect(),
    }
}

#[test]
fn a_run_that_is_killed_ends_in_the_same_report_and_pays_for_nothing_twice() {
    let model = Model::default();
    let script = model.clone();
    let provider = RUNTIME.block_on(ProtocolServer::start(move |asked| script.reply(asked)));
    let place = RunsFolder::with(&provider);
    let mut server = place.serve("first");
    let saved = server.tool("save_byo_key", &json!({"provider": "openai", "key": "sk-killed-0000-1111"}));
    assert_eq!(saved.json()["result"]["structuredContent"]["data"]["saved"], true);
    let undisturbed = start(&server);
    let undisturbed = wait_status("completed", || poll(&server, &undisturbed));
    assert_eq!(provider.requests().len() as i64, REPLIES);
    let (before, first) = (provider.requests().len(), model.replied());

    let kills = kills();
    model.replies_left(kills[0]);
    let id = start(&server);
    let mut waits = Vec::new();
    for (n, kill) in kills.iter().enumerate() {
        // The further requests hang, and end with the process.
        let run = wait_until("the recorded replies", || poll(&server, &id), |run| steps(run) == *kill);
        assert_eq!(run["status"], "running", "{run}");
        server.kill();
        model.replies_left(kills.get(n + 1).map_or(i64::MAX, |next| next - kill));
        let began = Instant::now();
        server = place.serve(&format!("again{n}"));
        // The run may have continued already.
        assert!(steps(&poll(&server, &id)) >= *kill, "what was recorded is there");
        wait_until("the run that goes on", || poll(&server, &id), |run| steps(run) > *kill);
        waits.push(began.elapsed());
    }
    let run = wait_status("completed", || poll(&server, &id));
    assert_eq!(run["final_report"], undisturbed["final_report"]);
    // The price of a server at an operator's address is unknown.
    assert!(run["cost_usd"].is_null() && run["final_report"]["summary"].is_string(), "{run}");
    for field in ["input_tokens", "output_tokens", "cost_usd", "agents_done"] {
        assert_eq!(run[field], undisturbed[field], "{field}");
    }
    // The run sends the same requests as the first one, and no turn gets two replies: recorded turns are not requested again.
    let sorted = |mut turns: Vec<String>| {
        turns.sort();
        turns
    };
    assert_eq!(sorted(model.replied()), sorted(first));
    // A turn is requested again at most once for each kill during that turn.
    let mut asked: HashMap<String, usize> = HashMap::new();
    for request in provider.requests().drain(before..) {
        *asked.entry(request.body.to_string()).or_default() += 1;
    }
    let most = asked.values().max().copied().unwrap_or_default();
    assert_eq!(asked.len() as i64, REPLIES, "turns");
    assert!(most <= 1 + kills.len(), "{most} requests of one turn");
    println!("{} kills, taken up again after {waits:?}; at most {most} requests of one turn", kills.len());
}

/// Returns the number of recorded replies, from their tokens: 1,000 and 100 for a text, 12 and 5 for a call.
fn steps(run: &Json) -> i64 {
    let (input, output) = (run["input_tokens"].as_i64().unwrap(), run["output_tokens"].as_i64().unwrap());
    // x texts and y calls: 1000 x + 12 y = input, 100 x + 5 y = output.
    let calls = (10 * output - input) / 38;
    let texts = (output - 5 * calls) / 100;
    assert_eq!((1_000 * texts + 12 * calls, 100 * texts + 5 * calls), (input, output), "{run}");
    texts + calls
}
