//! The rules of filters: checks and wording.

use parquote::language::{CheckError, Filter, Test, check, filter_words};
use parquote::operation::Market;
use serde_json::{Value as Json, json};

use crate::grammar::fields;

fn filter(json: Json) -> Filter {
    serde_json::from_value(json).unwrap()
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
        (json!({"field":"sector","op":">","value":1}), "`sector` is a text; it is used as a number"),
        (json!({"field":"pe","in":["Power"]}), "`pe` is a number; it is used as a text"),
        (json!({"field":"pe","is":true}), "used as a flag"),
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
        assert_eq!(filter_words(&filter(criteria), &fields(market)), said);
    }
}
