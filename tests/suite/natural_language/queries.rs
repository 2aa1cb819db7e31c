//! Every query of `queries.json` and `sentences.json` is read as its handwritten expectation: into criteria, order and number of rows, or
//! refused with the words that were not understood.

use parquote::language::{Filter, Grammar, check};
use parquote::operation::Market;
use serde_json::{Value as Json, json};

use crate::grammar::grammar;

#[test]
fn queries_are_read_as_expected() {
    assert_all_read(include_str!("queries.json"), 60);
}

#[test]
fn sentences_of_analysts_and_beginners_are_understood_or_refused_by_name() {
    assert_all_read(include_str!("sentences.json"), 300);
}

fn assert_all_read(cases: &str, at_least: usize) {
    let cases: Vec<Json> = serde_json::from_str(cases).unwrap();
    assert!(cases.len() >= at_least);
    let grammars = Market::ALL.map(grammar);
    let of = |case: &Json| &grammars[usize::from(case["market"] != "india")];
    let wrong: Vec<String> = cases.iter().filter_map(|case| wrong(case, of(case))).collect();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Returns the first difference between a case and its reading.
fn wrong(case: &Json, grammar: &Grammar) -> Option<String> {
    let query = case["query"].as_str().unwrap();
    let given = |key: &str, none: Json| case.get(key).cloned().unwrap_or(none);
    let screen = match grammar.read(query) {
        Ok(screen) => screen,
        Err(error) => {
            let is_expected = case.get("error").is_some() || case.get("refused").is_some();
            return (!is_expected).then(|| format!("{query}\n  read {error}"));
        }
    };
    for unread in &screen.not_understood {
        let length = unread.words.chars().count();
        assert_eq!(query.chars().skip(unread.at).take(length).collect::<String>(), unread.words);
    }
    let unread: Vec<String> = screen.not_understood.iter().map(|unread| unread.words.clone()).collect();
    let said = |words: &Json| {
        let words = words.as_str().unwrap().to_lowercase();
        unread.iter().any(|unread| unread.to_lowercase().contains(&words))
    };
    let notes = screen.notes.join("\n");
    let sort = screen.sort.map(|sort| json!([sort.field, sort.direction]));
    let mut read = json!({
        "criteria": screen.filter, "sort": sort, "limit": screen.limit, "per": screen.per, "not_understood": unread,
    });
    if let Some(words) = case.get("refused") {
        return (!said(words))
            .then(|| format!("{query}\n  read     {read}\n  expected to be refused for {words}"));
    }
    if case.get("error").is_some() {
        return Some(format!("{query}\n  read     {read}\n  expected an error"));
    }
    let criteria: Filter = serde_json::from_value(case["criteria"].clone()).unwrap();
    check(&criteria, grammar.fields()).unwrap();
    let mut expected = json!({
        "criteria": criteria, "sort": given("sort", Json::Null), "limit": given("limit", Json::Null),
        "per": given("per", Json::Null), "not_understood": given("not_understood", json!([])),
    });
    let is_said = case.get("unread").is_none_or(&said);
    if case.get("unread").is_some() {
        (read["not_understood"], expected["not_understood"]) = (Json::Null, Json::Null);
    }
    let note = given("note", json!("")).as_str().unwrap().to_owned();
    let is_right = read.to_string().to_lowercase() == expected.to_string().to_lowercase();
    (!is_right || !is_said || !notes.contains(&note))
        .then(|| format!("{query}\n  read     {read}\n  expected {expected}\n  notes    {notes}"))
}
