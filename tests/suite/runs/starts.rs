//! Presets before their runs: the list of them, starts that are refused, and estimates. Nothing here requests a model.

use parquote::operation::Tier;
use serde_json::{Value as Json, json};

use super::fixture::Fixture;
use crate::protocol_server::Spoken;
use crate::server::query;

pub(super) const KEY: &str = "sk-preset-0000-1111-2222";
pub(super) const PANEL: &str = "technical_analysis_panel";

/// Returns status and message of a refused start.
fn refused(fixture: &Fixture, caller: usize, pairs: &[(&str, &str)]) -> (u16, String) {
    fixture.refusal(caller, &format!("presets/start?{}", query(pairs)))
}

/// Returns the presets of a market with their numbers of agents.
pub(super) fn names(fixture: &Fixture, market: &str) -> Vec<(String, usize)> {
    let catalog = fixture.data(0, &format!("presets/catalog?market={market}"));
    assert_eq!(catalog["count"], catalog["presets"].as_array().unwrap().len());
    let presets = catalog["presets"].as_array().unwrap().iter();
    presets
        .map(|preset| {
            assert_eq!(preset["agent_count"], preset["agents"].as_array().unwrap().len(), "{preset}");
            for field in ["label", "words", "runtime"] {
                assert!(!preset[field].as_str().unwrap().is_empty(), "{preset}");
            }
            assert!(
                preset["max_tokens"].as_i64().unwrap() > 0 && preset["max_cost_usd"].as_f64().unwrap() > 0.0
            );
            let name = preset["preset"].as_str().unwrap().to_owned();
            (name, preset["agent_count"].as_u64().unwrap() as usize)
        })
        .collect()
}

#[test]
fn a_start_that_cannot_be_is_refused_in_words() {
    let fixture =
        Fixture::for_callers(&[("Alice", Tier::ApiPro), ("Bob", Tier::Free), ("Carol", Tier::ApiMax)]);
    let goal = ("goal", "Which banks are strong?");
    let (status, said) = refused(&fixture, 0, &[("preset", PANEL), goal]);
    assert!(status == 404 && said.contains("save"), "{status} {said}");
    fixture.save_key(0, Spoken::OpenAi, KEY);
    let (status, said) = refused(&fixture, 0, &[("preset", "no_such_team"), goal]);
    assert!(status == 404 && said.contains("no_such_team") && said.contains(PANEL), "{status} {said}");
    let (status, said) = refused(&fixture, 0, &[("preset", PANEL), goal, ("provider", "gemini")]);
    assert!(status == 404 && said.contains("gemini"), "{status} {said}");
    let (status, said) = refused(&fixture, 0, &[("preset", PANEL), goal, ("provider", "openia")]);
    assert!(status == 400 && said.contains("openai"), "{status} {said}");
    assert_eq!(refused(&fixture, 0, &[("preset", PANEL)]).0, 400);
    assert_eq!(refused(&fixture, 0, &[("preset", PANEL), goal, ("market", "mars")]).0, 400);
    assert_eq!(refused(&fixture, 0, &[("preset", PANEL), ("goal", &"x".repeat(2_001))]).0, 400);
    // The free tier may only save keys and see the catalogue.
    fixture.save_key(1, Spoken::OpenAi, KEY);
    assert_eq!(names(&fixture, "india").len(), 8);
    for path in [
        "start?preset=technical_analysis_panel&goal=abc",
        "poll?vibe_run_id=1",
        "list",
        "cancel?vibe_run_id=1",
    ] {
        assert_eq!(fixture.refusal(1, &format!("presets/{path}")).0, 403, "{path}");
    }
    assert_eq!(fixture.data(0, "presets/list")["runs_left"], 10);
    assert!(fixture.server.requests().is_empty());
}

/// A server without a folder of raw files, or without models, writes no rows and says what is missing.
#[test]
fn rows_are_written_only_where_they_can_be() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiPro), ("Bob", Tier::Free)]);
    fixture.save_key(0, Spoken::OpenAi, KEY);
    let path = format!("write/start?{}", query(&[("symbols", "FAQINETRAC"), ("budget_usd", "1")]));
    let (status, said) = fixture.refusal(0, &path);
    let missing = if cfg!(feature = "agents") { "PARQUOTE_RAW" } else { "the feature `agents`" };
    assert!(status == 400 && said.contains(missing), "{status} {said}");
    assert_eq!(fixture.refusal(1, &path).0, 403);
}

/// A run that could only fail counts towards no limit.
#[cfg(not(feature = "agents"))]
#[test]
fn a_build_without_models_starts_no_run_and_names_the_feature() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax)]);
    fixture.save_key(0, Spoken::OpenAi, KEY);
    let (status, said) = refused(&fixture, 0, &[("preset", PANEL), ("goal", "Which banks are strong?")]);
    assert!(status == 400 && said.contains("the feature `agents`"), "{status} {said}");
    let (status, said) = fixture.refusal(0, "committee/start?symbol=FAQINETRAC&market=india");
    assert!(status == 400 && said.contains("the feature `agents`"), "{status} {said}");
    assert_eq!(fixture.data(0, "presets/list")["runs_left"], 10);
}

#[test]
fn an_estimate_is_the_price_table_times_the_tokens() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiPro)]);
    fixture.save_key(0, Spoken::OpenAi, KEY);
    let before = fixture.server.requests().len();
    let estimate = |arguments: Json| fixture.tool_data(0, "estimate_preset_run", &arguments);
    let panel = estimate(json!({"preset": PANEL}));
    // 40,000 to 110,000 tokens sent at 2 dollars a million, 6,000 to 16,000 received at 12.
    let expected = json!({
        "agents": 5, "runtime": "1-3 min",
        "input_tokens_low": 40_000, "input_tokens_high": 110_000,
        "output_tokens_low": 6_000, "output_tokens_high": 16_000,
        "cost_usd_low": 0.152, "cost_usd_high": 0.412,
        "max_tokens": 300_000, "max_cost_usd": 2.0,
        "provider": "openai", "model": "gpt-5.6-terra",
        "input_usd_per_million": 2.0, "output_usd_per_million": 12.0,
        "priced_on": "2026-10-07", "price_source": "https://models.dev",
        "has_key": true, "runs_left": 10,
    });
    for (name, value) in expected.as_object().unwrap() {
        let same = match (value.as_f64(), panel[name].as_f64()) {
            (Some(wanted), Some(found)) => (wanted - found).abs() < 1e-9,
            _ => *value == panel[name],
        };
        assert!(same, "{name}: {} for {value}", panel[name]);
    }
    // Another provider without a saved key: 0.04 * 0.15 + 0.006 * 0.6 dollars.
    let groq = estimate(json!({"preset": PANEL, "provider": "groq"}));
    assert_eq!((&groq["has_key"], groq["cost_usd_low"].as_f64()), (&json!(false), Some(0.0096)), "{groq}");
    let (status, said) = fixture.tool_refusal(0, "estimate_preset_run", &json!({"preset": "none"}));
    assert!(status == 404 && said.contains(PANEL), "{said}");
    // 50,000 to 140,000 tokens sent and 7,000 to 20,000 received.
    let committee = fixture.tool_data(0, "estimate_committee_run", &json!({}));
    let costs = [&committee["cost_usd_low"], &committee["cost_usd_high"]].map(|cost| cost.as_f64().unwrap());
    assert_eq!((costs, &committee["runs_left"], &committee["agents"]), ([0.184, 0.52], &json!(5), &json!(4)));
    assert_eq!(fixture.get(0, "presets/estimate?preset=technical_analysis_panel").status, 404);
    assert_eq!(fixture.server.requests().len(), before);
}
