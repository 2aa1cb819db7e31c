//! Tests of one agent with misbehaving models.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::scripted::{Fixture, Record, last_tool_answers, shape_of, text, tool_call_reply};
use super::*;
use crate::job::WorkError;
use crate::provider::{Message, ModelRequest, ProviderError, Reply, Usage};

const NOTE: &str = r#"{"findings": [{"claim": "The rating is 87.", "figures": [{"operation": "get_momentum",
    "symbol": "TCS", "field": "rs_rating", "value": "87"}]}], "risks": [], "open_questions": []}"#;

fn momentum(tool: &str) -> Result<Json, String> {
    match tool {
        "get_momentum" => Ok(json!({"symbol": "TCS", "rs_rating": 87, "stage": 2})),
        "get_daily_prices" => {
            Ok(json!((0..2_000).map(|n| json!({"session": "2026-08-21", "close": n})).collect::<Vec<_>>()))
        }
        other => Err(format!("`{other}` does not answer")),
    }
}

fn fixture(
    script: impl Fn(&ModelRequest) -> Result<Reply, ProviderError> + Send + Sync + 'static,
) -> Arc<Fixture> {
    let tools = ["get_momentum", "get_daily_prices", "get_ratios", "save_byo_key"];
    Fixture::new(&tools, |tool, _| momentum(tool), script)
}

fn agent() -> Agent {
    let india =
        ["get_momentum", "get_daily_prices", "get_ratios", "get_not_of_the_tier"].map(str::to_owned).to_vec();
    Agent {
        name: "trend".to_owned(),
        role: "trend analyst".to_owned(),
        prompt: "Judge the trend.".to_owned(),
        tools: MarketTools { india, us: Vec::new() },
        after: Vec::new(),
        max_turns: 4,
    }
}

/// Runs one agent to its note.
async fn run(fixture: &Fixture, record: &Record) -> Result<(ResearchNote, Research), WorkError> {
    let agent = agent();
    let run = Run { context: &fixture.context, log: record, fingerprint: "p", limit: None };
    let mut agent_run = AgentRun::new(run, &agent.name);
    let prompt = first_message(&agent, fixture.context.market, fixture.context.as_of, "Is TCS strong?", &[]);
    let read = research(&mut agent_run, &agent, &system(&agent.prompt), &prompt).await?;
    let note =
        ask_for(&mut agent_run, &system(&agent.prompt), format!("{prompt}\n{}", read.text), &|_| Ok(()))
            .await?;
    Ok((note, read))
}

fn first(turn: &ModelRequest) -> bool {
    turn.messages.len() == 1
}

fn is_note(turn: &ModelRequest) -> bool {
    shape_of(turn) == "note"
}

/// Runs a model that makes one scripted call, then writes its note; returns the tools' answers as the model saw them.
async fn calling(reply: Reply) -> (Vec<String>, Arc<Fixture>) {
    let fixture = fixture(move |turn| match turn {
        turn if is_note(turn) => Ok(text(NOTE)),
        turn if first(turn) => Ok(reply.clone()),
        _ => Ok(text("Enough.")),
    });
    run(&fixture, &Record::default()).await.unwrap();
    let answers = last_tool_answers(&fixture.model.turns.lock().unwrap()[1]);
    (answers, fixture)
}

#[tokio::test]
async fn an_agent_reads_and_writes_its_note() {
    let fixture = fixture(|turn| match turn {
        turn if is_note(turn) => Ok(text(format!("Here it is:\n```json\n{NOTE}\n```"))),
        turn if first(turn) => Ok(tool_call_reply(&[("get_momentum", json!({"symbol": "TCS"}))])),
        _ => Ok(text("Enough.")),
    });
    let record = Record::default();
    let (note, read) = run(&fixture, &record).await.unwrap();
    assert_eq!(note.findings[0].claim, "The rating is 87.");
    assert_eq!(record.names(), ["trend.1", "trend.2", "trend.3"]);
    assert!(read.evidence.find(&note.findings[0].figures[0]).is_some());
    let turns = fixture.model.turns.lock().unwrap();
    let tools: Vec<&str> = turns[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["get_momentum", "get_daily_prices", "get_ratios"]);
    assert!(
        turns[2].tools.is_empty() && turns[2].messages.len() == 1,
        "the note is a conversation of its own"
    );
    let Message::User { text } = &turns[2].messages[0] else { panic!() };
    assert!(text.contains(r#""rs_rating":87"#) && text.contains(r#"called with {"symbol":"TCS"}"#), "{text}");
    // 3 replies of 100 and 10 tokens; a received token costs as much as ten sent ones.
    let spent = *record.spent.lock().unwrap();
    assert_eq!((spent.input_tokens, spent.output_tokens, spent.cost_microusd), (300, 30, 600));
}

#[tokio::test]
async fn tools_outside_of_the_list_are_refused_without_a_call() {
    let (answers, fixture) = calling(tool_call_reply(&[
        ("save_byo_key", json!({"provider": "openai", "key": "x"})),
        ("get_not_of_the_tier", json!({})),
        ("rm -rf", json!({})),
    ]))
    .await;
    assert_eq!(answers.len(), 3);
    for answer in answers {
        assert_eq!(
            answer,
            "You have no such tool. Your tools are get_momentum, get_daily_prices, get_ratios."
        );
    }
    assert!(fixture.tooling.calls.lock().unwrap().is_empty());
    // The conversation sent back has only names that a provider accepts.
    let turns = fixture.model.turns.lock().unwrap();
    let Message::Assistant { calls, .. } = &turns[1].messages[1] else { panic!() };
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["save_byo_key", "get_not_of_the_tier", "rm_-rf"]);
}

#[tokio::test]
async fn bad_arguments_refusals_and_too_many_calls_are_answered_in_words() {
    let one = ("get_momentum", json!({"symbol": "TCS"}));
    let (answers, fixture) = calling(tool_call_reply(&[
        ("get_momentum", json!("TCS")),
        ("get_ratios", json!({"symbol": "TCS"})),
        one.clone(),
        one.clone(),
        ("get_momentum", json!({"symbol": "A"})),
        ("get_momentum", json!({"symbol": "B"})),
        ("get_momentum", json!({"symbol": "C"})),
    ]))
    .await;
    assert!(answers[0].starts_with("The arguments of a call are a JSON object"), "{}", answers[0]);
    assert!(answers[1].contains("from=\"refusal of get_ratios\"") && answers[1].contains("does not answer"));
    assert!(answers[2].contains("\"rs_rating\":87"));
    assert_eq!(answers[3], "You have made this very call before; its answer is above.");
    assert_eq!(answers[6], "This call was not made: at most 6 calls of one reply are.");
    assert_eq!(fixture.tooling.calls.lock().unwrap().len(), 4);
}

#[tokio::test]
async fn a_long_answer_is_cut_and_says_so() {
    let (answers, _) = calling(tool_call_reply(&[("get_daily_prices", json!({"symbol": "TCS"}))])).await;
    assert!(answers[0].len() < 8_192 + 300, "{}", answers[0].len());
    assert!(answers[0].ends_with("The answer was longer and is cut; ask for fewer rows to see them whole."));
}

#[tokio::test]
async fn a_model_that_calls_nothing_is_nudged_once_and_has_no_figures() {
    let fixture = fixture(|turn| Ok(text(if is_note(turn) { NOTE } else { "The rating is 99." })));
    let record = Record::default();
    let (note, read) = run(&fixture, &record).await.unwrap();
    assert_eq!(record.names().len(), 3);
    let mut struck = Vec::new();
    let checked = note.check_figures(&read.evidence, "note", &mut struck);
    assert_eq!(checked.findings[0].claim, "The rating is [unsupported].");
    assert!(checked.findings[0].figures.is_empty());
    let places: Vec<_> = struck.iter().map(|one| (one.location.as_str(), one.value)).collect();
    assert_eq!(places, [("note.findings[0].claim", Some(87.0)), ("note.findings[0].figures[0]", Some(87.0))]);
}

#[tokio::test]
async fn a_model_that_turns_in_circles_is_stopped() {
    let fixture = fixture(|turn| match turn {
        turn if is_note(turn) => Ok(text(NOTE)),
        _ => Ok(tool_call_reply(&[("get_momentum", json!({"symbol": "TCS"}))])),
    });
    let record = Record::default();
    run(&fixture, &record).await.unwrap();
    assert_eq!(record.names(), ["trend.1", "trend.2", "trend.3", "trend.4"]);
    assert_eq!(fixture.tooling.calls.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_model_that_always_asks_for_more_ends_at_its_turns() {
    let requests = std::sync::atomic::AtomicUsize::new(0);
    let fixture = fixture(move |turn| {
        if is_note(turn) {
            return Ok(text(NOTE));
        }
        let n = requests.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(tool_call_reply(&[("get_momentum", json!({"symbol": format!("S{n}")}))]))
    });
    let record = Record::default();
    run(&fixture, &record).await.unwrap();
    assert_eq!(record.names().len(), 5, "four turns and the note");
}

#[tokio::test]
async fn an_answer_that_is_none_is_asked_for_once_more() {
    for bad in [
        text(""),
        text("I would rather not."),
        text("{\"findings\": [}"),
        text("{\"findings\": 3, \"risks\": [], \"open_questions\": []}"),
        Reply { cut: true, ..text(NOTE) },
        tool_call_reply(&[("get_momentum", json!({}))]),
    ] {
        let always = bad.clone();
        let fixture_once = fixture(move |turn| match turn {
            turn if !is_note(turn) => Ok(text("Enough.")),
            turn if first(turn) => Ok(bad.clone()),
            _ => Ok(text(NOTE)),
        });
        let record = Record::default();
        run(&fixture_once, &record).await.unwrap();
        let fixture_always =
            fixture(move |turn| if is_note(turn) { Ok(always.clone()) } else { Ok(text("Enough.")) });
        let record = Record::default();
        let error = run(&fixture_always, &record).await.unwrap_err();
        assert!(
            matches!(&error, WorkError::Failed(words) if words.contains("`trend` gave no usable answer")),
            "{error}"
        );
        assert_eq!(record.names().len(), 4, "two texts, two answers");
    }
}

#[tokio::test]
async fn empty_and_cut_replies_are_tried_once_more() {
    let replies =
        [text(""), Reply { cut: true, ..tool_call_reply(&[("get_momentum", json!({"symbol": "TCS"}))]) }];
    for bad in replies {
        let once = bad.clone();
        let fixture_once = fixture(move |turn| match turn {
            turn if is_note(turn) => Ok(text(NOTE)),
            turn if first(turn) => Ok(once.clone()),
            turn if turn.messages.len() == 3 => {
                Ok(tool_call_reply(&[("get_momentum", json!({"symbol": "TCS"}))]))
            }
            _ => Ok(text("Enough.")),
        });
        run(&fixture_once, &Record::default()).await.unwrap();
        assert_eq!(fixture_once.tooling.calls.lock().unwrap().len(), 1, "the cut call is not made");
        let cut = bad.cut;
        let fixture_always =
            fixture(move |turn| if is_note(turn) { Ok(text(NOTE)) } else { Ok(bad.clone()) });
        let ended = run(&fixture_always, &Record::default()).await;
        assert!(fixture_always.tooling.calls.lock().unwrap().is_empty());
        match ended {
            Ok(_) => assert!(cut, "two cuts end the reading, not the run"),
            Err(error) => {
                assert!(!cut && error.to_string().contains("replied twice with nothing"), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn a_provider_that_fails_ends_the_run_in_words() {
    let refused = ProviderError::KeyRefused { provider: "OpenAI".to_owned(), message: "no".to_owned() };
    let fixture = fixture(move |_| Err(refused.clone()));
    let record = Record::default();
    let error = run(&fixture, &record).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent `trend` had no reply from the model: OpenAI refuses the key: no"
    );
    assert!(record.names().is_empty());
}

#[tokio::test]
async fn a_reply_that_rests_on_other_data_is_not_used() {
    let fixture = fixture(|turn| Ok(text(if is_note(turn) { NOTE } else { "Enough." })));
    let record = Record::default();
    run(&fixture, &record).await.unwrap();
    let agent = agent();
    let run = Run { context: &fixture.context, log: &record, fingerprint: "other", limit: None };
    let error = research(&mut AgentRun::new(run, "trend"), &agent, "", "You are `trend`").await.unwrap_err();
    assert!(error.to_string().contains("start it again"), "{error}");
}

#[tokio::test]
async fn nothing_is_asked_when_nothing_is_left() {
    let fixture = fixture(|_| Ok(text("Enough.")));
    let record = Record::default();
    record.spent.lock().unwrap().input_tokens = 90;
    record.spent.lock().unwrap().cost_microusd = 5;
    let limits = [(90, 6, true), (91, 5, true), (10_000, 10_000, false)];
    for (tokens, cost_microusd, ended) in limits {
        let limit = Some(Limit { tokens, cost_microusd });
        let run = Run { context: &fixture.context, log: &record, fingerprint: "p", limit };
        let before = fixture.model.turns.lock().unwrap().len();
        let result = research(&mut AgentRun::new(run, "x"), &agent(), "", "You are `x`").await;
        assert_eq!(matches!(result, Err(WorkError::Budget(_))), ended);
        assert_eq!(fixture.model.turns.lock().unwrap().len() == before, ended);
    }
}

#[tokio::test]
async fn thoughts_drafts_and_single_values_make_a_note() {
    for written in [
        format!("<think>\nI could answer {{like this}}.\n</think>\n{NOTE}"),
        format!("A draft: {{\"findings\": []}}\n{NOTE}\nI hope it helps {{you}}."),
        NOTE.replace("\"risks\": []", "\"risks\": \"none\"").replace("[]}", "[],}"),
        format!("{{\"note\": {NOTE}}}"),
    ] {
        let fixture = fixture(move |turn| match turn {
            turn if is_note(turn) && first(turn) => Ok(text(written.clone())),
            turn if first(turn) => Ok(tool_call_reply(&[("get_momentum", json!({"symbol": "TCS"}))])),
            _ => Ok(text("Enough.")),
        });
        let (note, _) = run(&fixture, &Record::default()).await.unwrap();
        assert_eq!(note.findings[0].claim, "The rating is 87.");
    }
}

#[tokio::test]
async fn arguments_that_are_no_object_are_told_to_the_model_a_bounded_number_of_times() {
    let bad = || tool_call_reply(&[("get_momentum", json!("symbol=TCS"))]);
    let (answers, fixture) = calling(bad()).await;
    assert!(answers[0].contains("a JSON object") && answers[0].contains("symbol=TCS"), "{answers:?}");
    assert!(fixture.tooling.calls.lock().unwrap().is_empty());
    let fixture = self::fixture(move |turn| if is_note(turn) { Ok(text(NOTE)) } else { Ok(bad()) });
    run(&fixture, &Record::default()).await.unwrap();
    assert_eq!(fixture.model.turns.lock().unwrap().len(), 3, "two calls and the note");
}

#[tokio::test]
async fn tokens_of_a_reply_that_is_of_no_use_are_counted_once() {
    let usage = Usage { input_tokens: 700, output_tokens: 90 };
    let declined = ProviderError::Refused {
        provider: "OpenAI".to_owned(),
        status: 200,
        message: "no".to_owned(),
        usage,
    };
    let fixture = fixture(move |_| Err(declined.clone()));
    let record = Record::default();
    for _ in 0..2 {
        assert!(run(&fixture, &record).await.unwrap_err().to_string().contains("refuses the request (200)"));
        let spent = *record.spent.lock().unwrap();
        assert_eq!((spent.input_tokens, spent.output_tokens, spent.cost_microusd), (700, 90, 1_600));
    }
}
