//! The rules of filters: three-valued logic, checks, words, and what many rows cost.

use std::time::Instant;

use parquote::language::{CellReader, CheckError, Compiled, Filter, Row, Test, check, matches, words};
use parquote::operation::Market;
use serde_json::{Value as Json, json};

use crate::grammar::fields;

struct Stock(Json);

impl CellReader for Stock {
    fn number(&self, column: &str) -> Option<f64> {
        self.0[column].as_f64()
    }
    fn text(&self, column: &str) -> Option<&str> {
        self.0[column].as_str()
    }
    fn flag(&self, column: &str) -> Option<bool> {
        self.0[column].as_bool()
    }
}

fn filter(json: Json) -> Filter {
    serde_json::from_value(json).unwrap()
}

/// The truth table of SQL-92 for a condition that is true (pe), false (roe) or unknown (de, null).
#[test]
fn null_follows_the_logic_of_sql() {
    let row = Stock(
        json!({ "pe": 10.0, "roe": 5.0, "de": null, "sector": null, "price_cmp": 100.0, "sma_200": 90.0 }),
    );
    let (yes, no) = (json!({"field":"pe","op":"<","value":15}), json!({"field":"roe","op":">","value":15}));
    let unknown = json!({"field":"de","op":"<=","value":1});
    for (criteria, expected) in [
        (yes.clone(), true),
        (no.clone(), false),
        (unknown.clone(), false),
        (json!({"not": yes}), false),
        (json!({"not": no}), true),
        (json!({"not": unknown}), false),
        (json!({"not": {"not": unknown}}), false),
        (json!({"any": [unknown, yes]}), true),
        (json!({"any": [unknown, no]}), false),
        (json!({"not": {"any": [unknown, no]}}), false),
        (json!({"not": {"all": [unknown, no]}}), true),
        (json!({"not": {"all": [unknown, yes]}}), false),
        (json!({"all": []}), true),
        (json!({"field":"sector","in":["Power"]}), false),
        (json!({"not": {"field":"sector","in":["Power"]}}), false),
        (json!({"field":"above_sma_200","is":true}), true),
        (json!({"field":"above_sma_200","is":false}), false),
        (json!({"field":"above_sma_50","is":false}), false),
        (json!({"field":"pe","op":"between","from":10,"to":10}), true),
        (json!({"field":"pe","op":"=","value":10}), true),
    ] {
        assert_eq!(matches(&filter(criteria.clone()), &row), expected, "{criteria}");
    }
}

#[test]
fn not_a_number_is_null() {
    struct NotANumber;
    impl CellReader for NotANumber {
        fn number(&self, _: &str) -> Option<f64> {
            Some(f64::NAN)
        }
        fn text(&self, _: &str) -> Option<&str> {
            None
        }
        fn flag(&self, _: &str) -> Option<bool> {
            None
        }
    }
    assert!(!matches(&filter(json!({"not": {"field":"pe","op":"<","value":15}})), &NotANumber));
}

#[test]
fn what_cannot_be_answered_is_refused_in_words() {
    let fields = fields(Market::India);
    let leaf = json!({"field":"pe","op":"<","value":1});
    let deep = (0..6).fold(leaf.clone(), |inner, _| json!({ "not": inner }));
    let wide = json!({ "all": vec![leaf; 41] });
    for (criteria, said) in [
        (json!({"field":"market_cap","op":">","value":1}), "did you mean `market_cap_cr`?"),
        (json!({"field":"market_cap_b","op":">","value":1}), "is not a field of the india screen"),
        (json!({"field":"sector","op":">","value":1}), "`sector` is a text; it is asked for as a number"),
        (json!({"field":"pe","in":["Power"]}), "`pe` is a number; it is asked for as a text"),
        (json!({"field":"pe","is":true}), "asked for as a flag"),
        (json!({"field":"sector","in":["Pover"]}), "did you mean `Power`?"),
        (json!({"field":"sector","in":[]}), "is empty"),
        (json!({"any":[]}), "`any` is empty"),
        (json!({"field":"pe","op":"between","from":20,"to":10}), "the smaller one first"),
        (deep, "the filter has 7 levels; at most 6"),
        (wide, "the filter has 41 conditions; at most 40"),
    ] {
        let error = check(&filter(criteria.clone()), &fields).unwrap_err();
        assert!(error.to_string().contains(said), "{criteria}: {error}");
    }
    let infinite = Filter::Number { field: "pe".to_owned(), test: Test::Above(f64::INFINITY) };
    assert!(matches!(check(&infinite, &fields), Err(CheckError::Bounds { .. })));
}

#[test]
fn filters_become_sentences() {
    for (market, criteria, said) in [
        (Market::India, json!({"all":[]}), "every stock"),
        (
            Market::India,
            json!({"all":[{"field":"market_cap_cr","op":"between","from":33000,"to":100_000},{"any":[{"field":"sector","in":["Power","Realty"]},{"field":"roe","op":">=","value":20}]}]}),
            "market capitalisation between 33,000 crore and 1,00,000 crore and (sector Power or Realty or return on equity at least 20 %)",
        ),
        (Market::Us, json!({"not":{"field":"sector","in":["Energy"]}}), "not (sector Energy)"),
        (Market::Us, json!({"field":"above_sma_200","is":false}), "price not above the 200-bar average"),
        (
            Market::Us,
            json!({"field":"market_cap_b","op":">","value":0.5}),
            "market capitalisation above $0.5 billion",
        ),
    ] {
        assert_eq!(words(&filter(criteria), &fields(market)), said);
    }
}

struct Numbers(Vec<Option<f64>>);

impl Row for Numbers {
    fn number(&self, column: usize) -> Option<f64> {
        self.0.get(column).copied().flatten()
    }
    fn text(&self, _: usize) -> Option<&str> {
        Some("Power")
    }
    fn flag(&self, _: usize) -> Option<bool> {
        None
    }
}

/// As many rows as both markets have, ten conditions, none of which settles the filter early.
#[test]
fn many_rows_cost_little() {
    let columns =
        ["pe", "pb", "roe", "roce", "de", "opm_pct", "rs_rating", "stage", "price_cmp", "sma_200", "sector"];
    let rows: Vec<Numbers> = (0..6_400)
        .map(|row| Numbers((0..10).map(|column| Some(f64::from(row + column))).collect()))
        .collect();
    let mut conditions: Vec<Json> =
        columns[..8].iter().map(|field| json!({"field": field, "op": ">=", "value": 0})).collect();
    conditions.push(json!({"field":"above_sma_200","is":false}));
    conditions.push(json!({"field":"sector","in":["Realty","Power"]}));
    let compiled = Compiled::new(&filter(json!({ "all": conditions })), &columns).unwrap();
    let mut best = std::time::Duration::MAX;
    for _ in 0..20 {
        let begun = Instant::now();
        let kept = rows.iter().filter(|row| compiled.matches(*row)).count();
        best = best.min(begun.elapsed());
        assert_eq!(kept, 6_400);
    }
    println!("6,400 rows by 10 conditions: {best:?}");
    assert!(best.as_millis() < 20, "{best:?}");
    assert!(Compiled::new(&filter(json!({"field":"ps","op":">","value":1})), &columns).is_err());
}
