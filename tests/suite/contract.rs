//! The catalogue against the contract, `tests/contract/operations.json`: routes, tools, parameters, tiers, groups, fields.
//!
//! `tests/contract/uncovered.txt` lists what of the contract is not there yet. It must be exactly right, so that it only
//! shrinks: who adds an operation takes its line out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use parquote::operation::{Access, Limits, Operation, Param, ParamType, Tier, Value};
use serde_json::{Value as Json, json};

use crate::server::SERVER;

const UNCOVERED: &str = include_str!("../contract/uncovered.txt");

/// The operations of the contract, by name: the route, or the tool where there is no route.
static CONTRACT: LazyLock<BTreeMap<String, Json>> = LazyLock::new(|| {
    let document: Json = serde_json::from_str(include_str!("../contract/operations.json")).unwrap();
    let operations = document["operations"].as_array().unwrap();
    let name = |operation: &Json| {
        let path = operation["path"].as_str().map(|path| path.trim_start_matches('/').to_owned());
        path.unwrap_or_else(|| format!("tool {}", operation["tool"].as_str().unwrap()))
    };
    operations.iter().map(|operation| (name(operation), operation.clone())).collect()
});

fn present() -> impl Iterator<Item = (usize, &'static Operation, String)> {
    SERVER.service().catalogue().operations().iter().enumerate().map(|(index, operation)| {
        let tool = || format!("tool {}", operation.tool.clone().unwrap_or_default());
        (index, operation, if operation.has_route { operation.name.clone() } else { tool() })
    })
}

#[test]
fn the_contract_counts_what_it_says() {
    let count = |keep: &dyn Fn(&Json) -> bool| CONTRACT.values().filter(|operation| keep(operation)).count();
    assert_eq!(count(&|operation| operation["path"].is_string()), 86);
    assert_eq!(count(&|operation| operation["tool"].is_string()), 88);
}

#[test]
fn what_is_not_there_yet_is_listed() {
    let there: BTreeSet<String> = present().map(|(_, _, name)| name).collect();
    let missing: Vec<&str> =
        CONTRACT.keys().filter(|name| !there.contains(*name)).map(String::as_str).collect();
    let listed: Vec<&str> =
        UNCOVERED.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let (missing_set, listed_set) =
        (missing.iter().collect::<BTreeSet<_>>(), listed.iter().collect::<BTreeSet<_>>());
    let done: Vec<_> = listed_set.difference(&missing_set).collect();
    let lost: Vec<_> = missing_set.difference(&listed_set).collect();
    assert!(done.is_empty(), "these are there; take them out of tests/contract/uncovered.txt: {done:?}");
    assert!(lost.is_empty(), "these are in the contract, but neither there nor listed: {lost:?}");
    assert_eq!(listed.len(), missing.len(), "a line is there twice");
}

#[test]
fn every_operation_is_as_the_contract_says() {
    let mut problems = Vec::new();
    for (index, operation, name) in present() {
        let Some(contract) = CONTRACT.get(&name) else {
            problems.push(format!("{name} is not in the contract"));
            continue;
        };
        let tier = match operation.access {
            Access::Public => "none",
            Access::From(tier) => tier.word(),
        };
        let mut hold = |what: &str, found: Json, wanted: &Json| {
            if found != *wanted {
                problems.push(format!("{name}: {what} is {found}, the contract says {wanted}"));
            }
        };
        hold("tool", json!(operation.tool), &contract["tool"]);
        hold("tier", json!(tier), &contract["tier"]);
        hold("group", json!(operation.group), &contract["group"]);
        hold("market", json!(operation.market.word()), &contract["market"]);
        hold("free_symbols", json!(operation.free_symbols), &json!(contract["free_symbols"] == true));
        let wanted = contract["params"].as_array().unwrap();
        let names: BTreeSet<&str> = operation.params.iter().map(|param| param.name.as_str()).collect();
        let wanted_names: BTreeSet<&str> =
            wanted.iter().map(|param| param["name"].as_str().unwrap()).collect();
        hold("set of parameters", json!(names), &json!(wanted_names));
        for wanted in wanted {
            let Some(param) = operation.param(wanted["name"].as_str().unwrap()) else { continue };
            for (key, found) in facts(param) {
                let wanted = wanted.get(key).unwrap_or(if key == "required" || key == "rest_only" {
                    &Json::Bool(false)
                } else {
                    &Json::Null
                });
                hold(&format!("{} of {}", key, param.name), found, wanted);
            }
            let capped = wanted["doc"].as_str().is_some_and(|doc| doc.contains("tier-capped"));
            let caps = Tier::ALL.map(|tier| param.cap_for(tier));
            let free_max = wanted["tier_max"]["free"].as_i64();
            let wanted_caps = match (capped, free_max) {
                (true, _) => Tier::ALL.map(|tier| Some(tier.row_cap())),
                (_, Some(free)) => {
                    Tier::ALL.map(|tier| if tier == Tier::Free { Some(free) } else { wanted["max"].as_i64() })
                }
                _ => [None; 5],
            };
            hold(&format!("caps of {}", param.name), json!(caps), &json!(wanted_caps));
        }
        fields(index, operation, contract, &mut hold);
    }
    assert!(problems.is_empty(), "{} problems:\n  {}", problems.len(), problems.join("\n  "));
}

/// A bound as the contract writes it: 10 and not 10.0.
fn bound(number: f64) -> Json {
    if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
}

/// A parameter in the contract's words; null is what the contract leaves out.
fn facts(param: &Param) -> [(&'static str, Json); 7] {
    let ty = match param.ty {
        ParamType::Text | ParamType::Period | ParamType::List => "string",
        ParamType::Int => "integer",
        ParamType::Number => "number",
        ParamType::Bool => "boolean",
        ParamType::Date => "date",
    };
    let (min, max) = match (&param.limits, param.ty) {
        (Limits::Range(min, max), ParamType::Int) => {
            (json!(min.map(|n| n as i64)), json!(max.map(|n| n as i64)))
        }
        (Limits::Range(min, max), ParamType::Number) => {
            (min.map_or(Json::Null, bound), max.map_or(Json::Null, bound))
        }
        // A length is ours to limit: the contract says nothing of it but for one query.
        _ => (Json::Null, Json::Null),
    };
    let default = match &param.default {
        None => Json::Null,
        Some(Value::Int(number)) => json!(number),
        Some(Value::Number(number)) => json!(number),
        Some(Value::Bool(flag)) => json!(flag),
        Some(value) => {
            let mut text = String::new();
            value.write(&mut text);
            json!(text)
        }
    };
    [
        ("type", json!(ty)),
        ("required", json!(param.required())),
        ("rest_only", json!(param.rest_only)),
        ("default", default),
        ("min", min),
        ("max", max),
        ("enum", json!(param.words_allowed())),
    ]
}

/// The fields that the contract names are among those that are answered.
fn fields(index: usize, operation: &Operation, contract: &Json, hold: &mut impl FnMut(&str, Json, &Json)) {
    if operation.statements.is_empty() {
        return;
    }
    let snapshot = SERVER.service().snapshot();
    let columns = snapshot.columns(index).iter().flatten().map(|column| column.name.clone());
    let around = operation
        .statements
        .iter()
        .flat_map(|statement| statement.wrap.iter().map(|field| field.name.clone()));
    let found: BTreeSet<String> =
        columns.chain(around).chain(["stocks".to_owned(), "count".to_owned()]).collect();
    let wanted = contract["returns"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap());
    for name in wanted {
        hold(&format!("the field `{name}`"), json!(found.contains(name)), &json!(true));
    }
}
