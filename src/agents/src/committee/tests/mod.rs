//! Tests of lenses against figures; votes and scores were computed by hand from the formula book.

mod runs;

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::fast_scan::majority;
use super::*;
use parquote_catalogue::operation::Market;

/// Builds a company whose figures equal the thresholds of all gates, except for its market caps.
fn at_the_thresholds() -> StockFacts {
    let numbers = [
        ("roce", 15.0),
        ("roe", 15.0),
        ("de", 0.5),
        ("profitable_years_10y", 8.0),
        ("revenue_cagr_5y", 10.0),
        ("pledge_pct", 5.0),
        ("revenue_growth_1y", 15.0),
        ("pat_growth_1y", 15.0),
        ("rs_rating", 70.0),
        ("stage", 2.0),
        ("market_cap_cr", 1_000.0),
        ("market_cap_b", 0.3),
        ("pe", 22.5),
        ("sector_median_pe", 22.5),
        ("pb", 3.0),
        ("fcf_yield", 3.0),
    ];
    let mut fields: BTreeMap<String, FactValue> =
        numbers.iter().map(|(name, number)| ((*name).to_owned(), FactValue::Number(*number))).collect();
    fields.insert("altman_zone".to_owned(), FactValue::Text("safe".to_owned()));
    StockFacts { symbol: "TCS".to_owned(), fields }
}

fn with(changes: &[(&str, FactValue)]) -> StockFacts {
    let mut facts = at_the_thresholds();
    facts.fields.extend(changes.iter().map(|(name, fact)| ((*name).to_owned(), fact.clone())));
    facts
}

/// Renders passed and counted gates of each lens with its vote, the signal, and the score with one decimal.
fn scan(facts: &StockFacts, market: Market) -> String {
    let scan = evaluate(facts, market);
    let lenses: Vec<String> =
        scan.lenses.iter().map(|lens| format!("{}/{} {}", lens.passed, lens.of, lens.vote.word())).collect();
    let agreement = scan.agreement_score.map_or("-".to_owned(), |score| format!("{score:.1}"));
    format!("{}; {} {agreement}", lenses.join(", "), scan.committee_signal.word())
}

#[test]
fn thresholds_that_are_hit_exactly_pass() {
    assert_eq!(scan(&at_the_thresholds(), Market::India), "6/6 BUY, 5/5 BUY, 5/5 BUY; BUY 100.0");
    assert_eq!(scan(&at_the_thresholds(), Market::Us), "5/5 BUY, 5/5 BUY, 5/5 BUY; BUY 100.0");
}

/// A figure just beyond its threshold, or unknown if NaN; then the lens that fails a gate by it in India and in the US: quality, growth,
/// value, value and quality, or none.
const BEYOND: [(&str, f64, &str, &str); 18] = [
    ("roce", 14.999, "q", "q"),
    ("roe", 14.999, "q", "q"),
    ("de", 0.501, "q", "q"),
    ("de", 1.001, "qv", "qv"),
    ("profitable_years_10y", 7.0, "q", "q"),
    ("revenue_cagr_5y", 9.999, "q", "q"),
    ("pledge_pct", 5.001, "q", ""),
    ("revenue_growth_1y", 14.999, "g", "g"),
    ("pat_growth_1y", 14.999, "g", "g"),
    ("rs_rating", 69.0, "g", "g"),
    ("stage", 3.0, "g", "g"),
    ("stage", 1.0, "g", "g"),
    ("market_cap_cr", 999.9, "g", ""),
    ("market_cap_b", 0.299, "", "g"),
    ("pe", 22.51, "v", "v"),
    ("sector_median_pe", f64::NAN, "v", "v"),
    ("pb", 3.001, "v", "v"),
    ("fcf_yield", 2.999, "v", "v"),
];

fn expected(market: Market, failed: &str) -> &'static str {
    match (market, failed) {
        (Market::India, "") => "6/6 BUY, 5/5 BUY, 5/5 BUY; BUY 100.0",
        (Market::India, "q") => "5/6 WATCH, 5/5 BUY, 5/5 BUY; BUY 66.7",
        (Market::India, "g") => "6/6 BUY, 4/5 WATCH, 5/5 BUY; BUY 66.7",
        (Market::India, "v") => "6/6 BUY, 5/5 BUY, 4/5 WATCH; BUY 66.7",
        (Market::India, _) => "5/6 WATCH, 5/5 BUY, 4/5 WATCH; WATCH 66.7",
        (Market::Us, "") => "5/5 BUY, 5/5 BUY, 5/5 BUY; BUY 100.0",
        (Market::Us, "q") => "4/5 WATCH, 5/5 BUY, 5/5 BUY; BUY 66.7",
        (Market::Us, "g") => "5/5 BUY, 4/5 WATCH, 5/5 BUY; BUY 66.7",
        (Market::Us, "v") => "5/5 BUY, 5/5 BUY, 4/5 WATCH; BUY 66.7",
        (Market::Us, _) => "4/5 WATCH, 5/5 BUY, 4/5 WATCH; WATCH 66.7",
    }
}

#[test]
fn each_gate_fails_just_beyond_its_threshold() {
    for (field, value, india, us) in BEYOND {
        let facts = with(&[(field, FactValue::Number(value))]);
        assert_eq!(scan(&facts, Market::India), expected(Market::India, india), "{field} in India");
        assert_eq!(scan(&facts, Market::Us), expected(Market::Us, us), "{field} in the US");
    }
    let grey = with(&[("altman_zone", FactValue::Text("grey".to_owned()))]);
    assert_eq!(scan(&grey, Market::India), expected(Market::India, "v"));
    assert_eq!(scan(&grey, Market::Us), expected(Market::Us, "v"));
}

#[test]
fn sixty_percent_is_enough_to_watch() {
    use FactValue::Number;
    // 3 of 5 is exactly 60 %; 3 of 6 is 50 %, 4 of 6 is 66.7 %.
    let two = with(&[("roce", Number(1.0)), ("roe", Number(1.0))]);
    assert_eq!(scan(&two, Market::Us), "3/5 WATCH, 5/5 BUY, 5/5 BUY; BUY 66.7");
    assert_eq!(scan(&two, Market::India), "4/6 WATCH, 5/5 BUY, 5/5 BUY; BUY 66.7");
    let three = with(&[("roce", Number(1.0)), ("roe", Number(1.0)), ("revenue_cagr_5y", Number(1.0))]);
    assert_eq!(scan(&three, Market::Us), "2/5 AVOID, 5/5 BUY, 5/5 BUY; BUY 66.7");
    assert_eq!(scan(&three, Market::India), "3/6 AVOID, 5/5 BUY, 5/5 BUY; BUY 66.7");
}

#[test]
fn three_different_votes_are_a_watch() {
    // Quality passes all; growth keeps 3 of 5; value keeps 2 of 5.
    let facts = with(&[
        ("rs_rating", FactValue::Null),
        ("stage", FactValue::Number(4.0)),
        ("pe", FactValue::Null),
        ("pb", FactValue::Number(9.0)),
        ("fcf_yield", FactValue::Null),
    ]);
    assert_eq!(scan(&facts, Market::India), "6/6 BUY, 3/5 WATCH, 2/5 AVOID; WATCH 33.3");
    let pass = with(&[
        ("rs_rating", FactValue::Null),
        ("stage", FactValue::Null),
        ("pat_growth_1y", FactValue::Null),
        ("roce", FactValue::Null),
        ("roe", FactValue::Null),
        ("de", FactValue::Null),
        ("pe", FactValue::Null),
    ]);
    assert_eq!(scan(&pass, Market::India), "3/6 AVOID, 2/5 INSUFFICIENT_DATA, 3/5 WATCH; WATCH 50.0");
    assert_eq!(
        scan(&pass, Market::Us),
        "2/5 INSUFFICIENT_DATA, 2/5 INSUFFICIENT_DATA, 3/5 WATCH; INSUFFICIENT_DATA -"
    );
}

#[test]
fn what_is_not_known_does_not_pass_and_is_shown_as_null() {
    let nothing = StockFacts { symbol: "NEW".to_owned(), fields: BTreeMap::new() };
    assert_eq!(
        scan(&nothing, Market::India),
        "0/6 INSUFFICIENT_DATA, 0/5 INSUFFICIENT_DATA, 0/5 INSUFFICIENT_DATA; INSUFFICIENT_DATA -"
    );
    // No company's pledges are on file: the gate is not counted, and the other five decide.
    let without = [("pledge_pct", FactValue::Null), ("pledges_on_file", FactValue::Number(0.0))];
    assert!(scan(&with(&without), Market::India).starts_with("5/5 BUY, "));
    let others = [("pledge_pct", FactValue::Null), ("pledges_on_file", FactValue::Number(8.0))];
    assert!(scan(&with(&others), Market::India).starts_with("5/6 WATCH, "));
    let facts = with(&[
        ("roce", FactValue::Null),
        ("roe", FactValue::Number(f64::NAN)),
        ("pe", FactValue::Null),
        ("sector_median_pe", FactValue::Number(f64::INFINITY)),
    ]);
    let scan = serde_json::to_value(evaluate(&facts, Market::India)).unwrap();
    let gate = |lens: usize, gate: usize| scan["lenses"][lens]["gates"][gate].clone();
    assert_eq!(
        gate(0, 0),
        json!({"name": "roce", "value": null, "threshold": 15.0, "op": ">=", "pass": false})
    );
    assert_eq!(
        gate(0, 1),
        json!({"name": "roe", "value": null, "threshold": 15.0, "op": ">=", "pass": false})
    );
    assert_eq!(gate(1, 3), json!({"name": "stage", "value": 2.0, "threshold": 2.0, "op": "=", "pass": true}));
    assert_eq!(
        gate(2, 0),
        json!({"name": "pe", "value": null, "threshold": null, "op": "<=", "pass": false})
    );
    assert_eq!(
        gate(2, 3),
        json!({"name": "altman", "value": "safe", "threshold": "safe", "op": "=", "pass": true})
    );
    let keys: Vec<&String> = scan.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["symbol", "committee_signal", "agreement_score", "lenses"]);
    let keys: Vec<&String> = scan["lenses"][0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "vote", "passed", "of", "gates_known", "not_counted", "gates"]);
    let names: Vec<&Json> = scan["lenses"].as_array().unwrap().iter().map(|lens| &lens["name"]).collect();
    assert_eq!(names, ["quality_compounder", "india_growth", "value_safety"]);
}

#[test]
fn majorities() {
    use Vote::{Avoid, Buy, InsufficientData, Watch};
    assert_eq!(majority(&[Buy, Watch, Avoid]), (Watch, Some(100.0 / 3.0)));
    assert_eq!(majority(&[Avoid, Buy, Avoid]), (Avoid, Some(200.0 / 3.0)));
    assert_eq!(majority(&[Watch, Watch, Watch]), (Watch, Some(100.0)));
    assert_eq!(majority(&[Avoid, InsufficientData, Avoid]), (Avoid, Some(100.0)));
    assert_eq!(majority(&[Buy, InsufficientData, Avoid]), (Watch, Some(50.0)));
    assert_eq!(majority(&[Buy, InsufficientData, InsufficientData]), (InsufficientData, None));
}

#[test]
fn stances_fit_verdicts() {
    use ResearchStance::{Accumulate, AccumulateOnConfirmation, Avoid, Monitor, Reduce};
    let fitting = |verdict: Vote| {
        ResearchStance::ALL.into_iter().filter(|stance| stance.fits(verdict)).collect::<Vec<_>>()
    };
    assert_eq!(fitting(Vote::Buy), [Accumulate, AccumulateOnConfirmation]);
    assert_eq!(fitting(Vote::Watch), [AccumulateOnConfirmation, Monitor, Reduce]);
    assert_eq!(fitting(Vote::Avoid), [Reduce, Avoid]);
    for stance in ResearchStance::ALL {
        assert_eq!(serde_json::to_value(stance).unwrap(), stance.word());
    }
}
