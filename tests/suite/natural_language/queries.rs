//! Every query of `queries.json` is read as it was written down by hand.

use parquote::language::{Filter, check};
use parquote::operation::Market;
use serde_json::{Value as Json, json};

use crate::grammar::grammar;

#[test]
fn queries_are_read_as_expected() {
    let queries: Vec<Json> = serde_json::from_str(include_str!("queries.json")).unwrap();
    assert!(queries.len() >= 60);
    let grammars = Market::ALL.map(grammar);
    let mut wrong = Vec::new();
    for case in &queries {
        let grammar = if case["market"] == "india" { &grammars[0] } else { &grammars[1] };
        let query = case["query"].as_str().unwrap();
        if case.get("error").is_some() {
            assert!(grammar.read(query).is_err(), "{query}");
            continue;
        }
        let expected: Filter = serde_json::from_value(case["criteria"].clone()).unwrap();
        check(&expected, grammar.fields()).unwrap();
        let read = match grammar.read(query) {
            Ok(screen) => {
                let sort = screen.sort.map(|sort| json!([sort.field, sort.direction]));
                let unread: Vec<String> =
                    screen.not_understood.iter().map(|unread| unread.words.clone()).collect();
                for unread in &screen.not_understood {
                    let written: String =
                        query.chars().skip(unread.at).take(unread.words.chars().count()).collect();
                    assert_eq!(written, unread.words);
                }
                let note = case.get("note").and_then(Json::as_str).unwrap_or_default();
                assert!(note.is_empty() || screen.notes.iter().any(|said| said.contains(note)), "{query}");
                json!({ "criteria": screen.filter, "sort": sort, "limit": screen.limit, "not_understood": unread })
            }
            Err(error) => json!({ "error": error.to_string() }),
        };
        let given = |key: &str, none: Json| case.get(key).cloned().unwrap_or(none);
        let expected = json!({
            "criteria": expected, "sort": given("sort", Json::Null), "limit": given("limit", Json::Null),
            "not_understood": given("not_understood", json!([])),
        });
        if read.to_string().to_lowercase() != expected.to_string().to_lowercase() {
            wrong.push(format!("{query}\n  read     {read}\n  expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), queries.len(), wrong.join("\n"));
}
