//! Metadata of answers: each column name has one meaning in all answers, and rows name their source.

use std::collections::BTreeMap;

use parquote::engine::ResultColumn;
use parquote::operation::{ColumnType, Unit};
use serde_json::Value as Json;

use crate::catalogue_rules::{ask, calls, pairs};
use crate::server::SERVER;

/// Names to which the contract gives two meanings, and why.
const TWINS: [(&str, &str); 2] = [
    ("quarter", "earnings scores name the calendar quarter, texts and filings the company's own"),
    (
        "price",
        "in the US the condition of the market comes with the price of its benchmark, trades with theirs",
    ),
];

/// The meaning of a name: unit, type and description.
type Meaning<'a> = (Unit, ColumnType, &'a str);

#[test]
fn one_name_is_one_thing_in_all_answers() {
    let snapshot = SERVER.service().snapshot();
    let mut meanings: BTreeMap<&str, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for operation in calls() {
        let mut columns: Vec<&ResultColumn> = snapshot.columns(operation).iter().flatten().collect();
        while let Some(column) = columns.pop() {
            columns.extend(&column.fields);
            let meaning: Meaning<'_> = (column.unit, column.ty, &column.words);
            let of_name = meanings.entry(&column.name).or_default();
            of_name.entry(format!("{meaning:?}")).or_default().push(&operation.name);
        }
    }
    for (name, why) in TWINS {
        let is_twin = meanings.get(name).is_some_and(|all| all.len() > 1);
        assert!(is_twin, "`{name}` is one thing now and needs no exception ({why})");
    }
    let excused = |name: &str| TWINS.iter().any(|(twin, _)| *twin == name);
    let twins: Vec<String> = meanings
        .iter()
        .filter(|(name, all)| all.len() > 1 && !excused(name))
        .map(|(name, all)| format!("`{name}` is {all:#?}"))
        .collect();
    assert!(twins.is_empty(), "{} names are several things:\n{}", twins.len(), twins.join("\n"));
}

#[test]
fn no_source_is_a_constant() {
    let catalogue = SERVER.service().catalogue();
    let statements = catalogue.operations().iter().flat_map(|it| it.selects.iter().map(move |sql| (it, sql)));
    let constant: Vec<String> = statements
        .flat_map(|(operation, select)| select.sql.lines().map(|line| (&operation.name, line.trim())))
        .filter(|(_, line)| line.split_once(" AS source").is_some_and(|(value, _)| is_constant(value)))
        .map(|(name, line)| format!("{name}: {line}"))
        .collect();
    assert!(constant.is_empty(), "{}", constant.join("\n"));
}

/// Returns true for an expression with a literal text and without a column, whose name has small letters outside of texts.
fn is_constant(expression: &str) -> bool {
    expression.contains('\'')
        && !expression.split('\'').step_by(2).any(|part| part.contains(char::is_lowercase))
}

#[test]
fn every_invented_row_says_so() {
    let (mut problems, mut seen) = (Vec::new(), 0);
    for operation in calls() {
        for whole in [false, true] {
            let mut nodes = vec![ask(operation, &pairs(operation, whole)).data()];
            while let Some(node) = nodes.pop() {
                if let Some(source) = node.get("source") {
                    seen += 1;
                    if !source.as_str().is_some_and(|source| source.contains("invented")) {
                        problems.push(format!("{}: {source}", operation.name));
                    }
                }
                match node {
                    Json::Object(fields) => nodes.extend(fields.into_iter().map(|(_, field)| field)),
                    Json::Array(items) => nodes.extend(items),
                    _ => {}
                }
            }
        }
    }
    problems.sort();
    problems.dedup();
    assert!(seen > 100, "only {seen} sources were seen");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
