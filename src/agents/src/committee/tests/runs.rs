//! Runs of a committee: complete, interrupted at each step, and with a chair who departs from the gates.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value as Json, json};

use crate::committee::*;
use crate::job::{JobHandler, WorkError};
use crate::provider::{ModelRequest, Reply};
use crate::scripted::{Fixture, Record, agent_of, shape_of, text, tool_call_reply};
use parquote_catalogue::operation::Market;

/// The figures of one company: quality passes 3 of 5 (US) or 4 of 6 gates, growth all, value 2 of 5.
struct OneCompany;

#[async_trait]
impl FactSource for OneCompany {
    async fn facts(&self, snapshot: &str, symbol: &str, _: Market) -> Result<StockFacts, String> {
        assert_eq!(snapshot, "snapshot-1");
        if symbol != "TCS" {
            return Err(format!("`{symbol}` is not a symbol"));
        }
        let numbers = [
            ("roce", 12.5),
            ("roe", 11.25),
            ("de", 0.25),
            ("profitable_years_10y", 9.0),
            ("revenue_cagr_5y", 14.5),
            ("pledge_pct", 0.0),
            ("revenue_growth_1y", 22.75),
            ("pat_growth_1y", 31.5),
            ("rs_rating", 91.0),
            ("stage", 2.0),
            ("market_cap_cr", 64_250.0),
            ("market_cap_b", 7.5),
            ("pe", 48.5),
            ("sector_median_pe", 26.25),
            ("pb", 7.75),
        ];
        let mut fields: BTreeMap<String, FactValue> =
            numbers.iter().map(|(name, number)| ((*name).to_owned(), FactValue::Number(*number))).collect();
        fields.insert("altman_zone".to_owned(), FactValue::Text("safe".to_owned()));
        Ok(StockFacts { symbol: symbol.to_owned(), fields })
    }
}

fn ruling(verdict: &str, because: &str, stance: &str) -> Reply {
    text(
        json!({"verdict": verdict, "departs_because": because, "research_stance": stance,
            "summary": "TCS at 48.5 times earnings against 26.25 for its sector grows by 22.75 %; target 9,999. Agreement 66.7.",
            "risks": ["A fall of 37 %."]})
        .to_string(),
    )
}

/// Analysts vote BUY, BUY and AVOID; the first changes to WATCH, then the second.
fn reply(turn: &ModelRequest, chair: &Reply) -> Reply {
    let agent = agent_of(turn);
    let opinion = |vote: &str, argument: &str| {
        text(json!({"vote": vote, "argument": argument, "findings": [{"claim": "Debt is 0.25 times equity.",
            "figures": [{"operation": "fast_scan_committee", "symbol": "TCS", "field": "de", "value": "0.25"}]}], "risks": ["Growth."]}).to_string())
    };
    let rejoinder =
        |vote: &str, argument: &str| text(json!({"vote": vote, "argument": argument}).to_string());
    match (agent.as_str(), shape_of(turn).as_str(), turn.messages.len()) {
        ("quality_compounder", "opinion", _) => {
            opinion("BUY", "ROCE of 12.5 % misses 15 and margins of 20.5 % tell more.")
        }
        ("quality_compounder", "rejoinder", _) => rejoinder("WATCH", "I yield: ROE is 11.25 %."),
        ("india_growth", "opinion", _) => opinion("BUY", "Profit grew by 31.5 %."),
        ("india_growth", "rejoinder", _) => rejoinder("BUY", "A rating of 91 answers them."),
        ("value_safety", "opinion", _) => opinion("AVOID", "48.5 times is dear, 55 times would be too."),
        ("value_safety", "rejoinder", _) => rejoinder("WATCH", "Growth of 22.75 % pays for a part of it."),
        ("chair", "ruling", _) => chair.clone(),
        (_, "", 1) => tool_call_reply(&[
            ("get_ratios", json!({"symbol": "TCS"})),
            ("us_get_ratios", json!({"symbol": "TCS"})),
        ]),
        _ => text("Enough."),
    }
}

fn fixture(chair: Reply) -> Arc<Fixture> {
    let answers = |tool: &str, _: &serde_json::Map<String, Json>| match tool {
        "get_ratios" | "us_get_ratios" => Ok(json!({"symbol": "TCS", "opm_pct": 20.5})),
        other => Err(format!("no {other}")),
    };
    Fixture::new(&["get_ratios", "us_get_ratios", "save_byo_key"], answers, move |turn| {
        Ok(reply(turn, &chair))
    })
}

async fn run(fixture: &Arc<Fixture>, record: &Record, market: Market) -> Result<Json, WorkError> {
    let spec = json!({"symbol": "TCS", "provider": "openai", "market": market});
    CommitteeWork::new(fixture.clone(), Arc::new(OneCompany)).run(&spec, record).await
}

#[tokio::test]
async fn a_committee_ends_in_a_report_beside_its_gates() {
    let record = Record::default();
    let fixture = fixture(ruling("WATCH", "", "monitor"));
    let report = run(&fixture, &record, Market::India).await.unwrap();
    let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "symbol", "market", "as_of", "verdict", "committee_signal", "departs_because", "agreement_score",
            "research_stance", "summary", "lenses", "dissent", "risks", "unsupported_numbers", "model",
            "provider"
        ]
    );
    // Gates: 4/6 WATCH, 5/5 BUY, 2/5 AVOID: three different votes.
    assert_eq!(
        (&report["verdict"], &report["committee_signal"], &report["departs_because"]),
        (&json!("WATCH"), &json!("WATCH"), &Json::Null)
    );
    // Final votes: WATCH, BUY, WATCH.
    assert_eq!((&report["agreement_score"], &report["research_stance"]), (&json!(66.7), &json!("monitor")));
    assert_eq!(
        report["dissent"],
        json!([{"lens": "india_growth", "vote": "BUY", "argument": "A rating of 91 answers them."}])
    );
    assert_eq!(
        report["summary"],
        "TCS at 48.5 times earnings against 26.25 for its sector grows by 22.75 %; target [unsupported]. Agreement 66.7."
    );
    let lens = |n: usize| {
        let lens = &report["lenses"][n];
        format!("{} {} {} {}", lens["name"], lens["vote"], lens["gate_vote"], lens["argument"])
            .replace('"', "")
    };
    assert_eq!(lens(0), "quality_compounder WATCH WATCH I yield: ROE is 11.25 %.");
    assert_eq!(lens(1), "india_growth BUY BUY Profit grew by 31.5 %.");
    assert_eq!(lens(2), "value_safety WATCH AVOID Growth of 22.75 % pays for a part of it.");
    assert_eq!(
        report["lenses"][2]["gates"][0],
        json!({"name": "pe", "value": 48.5, "threshold": 26.25, "op": "<=", "pass": false})
    );
    let struck: Vec<String> = report["unsupported_numbers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} at {}", one["text"].as_str().unwrap(), one["where"].as_str().unwrap()))
        .collect();
    assert_eq!(struck, ["9,999 at summary", "37 % at risks[0]", "55 times at lenses.value_safety.argument"]);
    // A vote and an answer per analyst, and two readings per analyst with a tool here: the growth analyst has none.
    assert_eq!(record.names().len(), 4 + 2 + 4 + 1);
    let last = record.progress.lock().unwrap().last().cloned().unwrap();
    assert_eq!((last.step.as_str(), last.agents_done, last.agents), ("done", 4, 4));
}

#[tokio::test]
async fn the_same_committee_sits_in_the_us() {
    let report = run(&fixture(ruling("WATCH", "", "monitor")), &Record::default(), Market::Us).await.unwrap();
    assert_eq!((&report["market"], &report["lenses"][0]["gate_vote"]), (&json!("us"), &json!("WATCH")));
    assert_eq!(report["lenses"][0]["gates"].as_array().unwrap().len(), 5);
    assert_eq!(report["lenses"][1]["gates"][4]["value"], 7.5);
}

#[tokio::test]
async fn a_verdict_departs_from_the_gates_only_with_a_reason() {
    let reasoned = fixture(ruling(
        "BUY",
        "Growth of 31.5 % outweighs a price of 48.5 times.",
        "accumulate-on-confirmation",
    ));
    let report = run(&reasoned, &Record::default(), Market::India).await.unwrap();
    assert_eq!((&report["verdict"], &report["committee_signal"]), (&json!("BUY"), &json!("WATCH")));
    assert_eq!(report["departs_because"], "Growth of 31.5 % outweighs a price of 48.5 times.");
    for (verdict, because, stance, words) in [
        ("BUY", " ", "accumulate", "the verdict BUY is not the signal WATCH of the gates"),
        ("AVOID", "Dear.", "accumulate", "the research stance accumulate does not fit the verdict AVOID"),
        ("SELL", "Dear.", "avoid", "the JSON is of another shape: unknown variant `SELL`"),
        ("AVOID", "Dear.", "sell", "the JSON is of another shape: unknown variant `sell`"),
    ] {
        let record = Record::default();
        let error = run(&fixture(ruling(verdict, because, stance)), &record, Market::India)
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("the agent `chair` gave no usable answer, even to a second request: ")
                && error.contains(words),
            "{error}"
        );
        assert_eq!(record.names().iter().filter(|step| step.starts_with("chair.")).count(), 2);
    }
}

#[tokio::test]
async fn a_committee_that_is_killed_after_any_step_ends_in_the_same_report() {
    let whole = Record::default();
    let expected = run(&fixture(ruling("WATCH", "", "monitor")), &whole, Market::India).await.unwrap();
    for recorded in 0..whole.names().len() {
        let record = Record { ends_after: Some(recorded), ..Record::default() };
        let first = fixture(ruling("WATCH", "", "monitor"));
        assert_eq!(run(&first, &record, Market::India).await.unwrap_err(), WorkError::Lost);
        let (second, again) = (fixture(ruling("WATCH", "", "monitor")), record.reopened());
        assert_eq!(run(&second, &again, Market::India).await.unwrap(), expected, "after {recorded} steps");
        assert_eq!(second.model.turns.lock().unwrap().len(), whole.names().len() - recorded);
    }
}

#[tokio::test]
async fn each_analyst_hears_the_others_and_the_chair_hears_all() {
    let fixture = fixture(ruling("WATCH", "", "monitor"));
    run(&fixture, &Record::default(), Market::India).await.unwrap();
    let turns = fixture.model.turns.lock().unwrap();
    let sent = |agent: &str, shape: &str| {
        let turn = turns.iter().find(|turn| agent_of(turn) == agent && shape_of(turn) == shape).unwrap();
        serde_json::to_string(&turn.messages).unwrap()
    };
    let growth = sent("india_growth", "rejoinder");
    assert!(
        growth.contains("ROCE of 12.5 % misses 15")
            && growth.contains("48.5 times is dear, [unsupported] times would be too")
    );
    let chair = sent("chair", "ruling");
    assert!(chair.contains("I yield: ROE is 11.25 %.") && chair.contains("A rating of 91 answers them."));
    assert!(turns.iter().filter(|turn| agent_of(turn) == "chair").all(|turn| turn.tools.is_empty()));
}

#[tokio::test]
async fn an_unknown_symbol_costs_nothing() {
    let (fixture, record) = (fixture(ruling("WATCH", "", "monitor")), Record::default());
    let work = CommitteeWork::new(fixture.clone(), Arc::new(OneCompany));
    let error = work.run(&json!({"symbol": "NOPE", "market": "india"}), &record).await.unwrap_err();
    assert_eq!(error, WorkError::Failed("`NOPE` is not a symbol".to_owned()));
    assert!(fixture.model.turns.lock().unwrap().is_empty() && record.names().is_empty());
}
