//! The catalogue against the contract, `tests/contract/operations.json`: routes, tools, parameters, tiers, groups, fields.
//!
//! `tests/contract/uncovered.txt` lists the missing parts of the contract. It must be exact, so that it only shrinks: a commit that adds an
//! operation removes its line.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use parquote::operation::{Access, Answer, Operation, Param, ParamType, Tier, Value, ValueLimits};
use serde_json::{Value as Json, json};

use crate::catalogue_rules::{ask, calls, required};
use crate::server::SERVER;

/// Notes of the contract on operations whose parameters it does not list completely.
const OURS: [&str; 2] = ["ours to design", "shape not given"];

/// Parameters that the contract does not have; none is required.
const ADDED: [(&str, &str); 20] = [
    ("committee/cancel", "market"),
    ("company/corporate-actions", "upcoming"),
    ("feeds/corporate-actions", "upcoming"),
    ("market/conviction", "liquidity"),
    ("market/momentum", "liquidity"),
    ("market/rs-changes", "liquidity"),
    ("market/top-movers", "liquidity"),
    ("market/trader-scan", "explain"),
    ("market/trader-scan", "liquidity"),
    ("market/trader-scan", "list"),
    ("screener", "explain"),
    ("screener", "liquidity"),
    ("us/market/conviction", "liquidity"),
    ("us/market/momentum", "liquidity"),
    ("us/market/top-movers", "liquidity"),
    ("us/market/trader-scan", "explain"),
    ("us/market/trader-scan", "liquidity"),
    ("us/market/trader-scan", "list"),
    ("us/screener", "explain"),
    ("us/screener", "liquidity"),
];

/// Operations that the contract does not have: data of the explorer, of pictures and of chats. None is a tool.
const ADDED_OPERATIONS: [&str; 84] = [
    "chat/companies",
    "chat/correlations",
    "chat/drawdowns",
    "chat/events",
    "chat/history",
    "chat/levels",
    "chat/market-history",
    "chat/movers",
    "chat/moves",
    "chat/owners",
    "chat/scans",
    "chat/sectors",
    "chat/statements",
    "chat/texts",
    "chat/texts-on-file",
    "explore/breadth",
    "explore/calendar",
    "explore/chart",
    "explore/company-deals",
    "explore/compare",
    "explore/coverage",
    "explore/deals",
    "explore/deals-by-stock",
    "explore/document",
    "explore/documents",
    "explore/event-study",
    "explore/heat-map",
    "explore/index-chart",
    "explore/indices",
    "explore/ledger",
    "explore/peers",
    "explore/rotation",
    "explore/rs-changes",
    "explore/screen",
    "explore/screen-file",
    "explore/screen-words",
    "explore/sector-ratios",
    "explore/sparks",
    "explore/statements",
    "explore/stock-rotation",
    "explore/text-evidence",
    "explore/universe",
    "explore/week-ahead",
    "explore/year-highs",
    "us/chat/companies",
    "us/chat/correlations",
    "us/chat/drawdowns",
    "us/chat/events",
    "us/chat/history",
    "us/chat/holders",
    "us/chat/levels",
    "us/chat/market-history",
    "us/chat/movers",
    "us/chat/moves",
    "us/chat/scans",
    "us/chat/sectors",
    "us/chat/statements",
    "us/chat/texts",
    "us/chat/texts-on-file",
    "us/explore/breadth",
    "us/explore/calendar",
    "us/explore/chart",
    "us/explore/compare",
    "us/explore/coverage",
    "us/explore/document",
    "us/explore/documents",
    "us/explore/event-study",
    "us/explore/heat-map",
    "us/explore/index-chart",
    "us/explore/indices",
    "us/explore/ledger",
    "us/explore/peers",
    "us/explore/rotation",
    "us/explore/rs-changes",
    "us/explore/screen",
    "us/explore/screen-file",
    "us/explore/screen-words",
    "us/explore/sector-ratios",
    "us/explore/sparks",
    "us/explore/statements",
    "us/explore/stock-rotation",
    "us/explore/text-evidence",
    "us/explore/week-ahead",
    "us/explore/year-highs",
];

/// Operations on lists that owners store, which the contract does not have; those with figures exist for both markets. All are tools too.
const ADDED_LISTS: [&str; 19] = [
    "drawings/add", "drawings/list", "drawings/remove", "lists/add", "lists/changes", "lists/delete",
    "lists/get", "lists/list", "lists/remove", "lists/set", "lists/share", "notes/list", "notes/set",
    "screens/ledger", "screens/list", "screens/remove", "screens/save", "us/lists/changes", "us/lists/get",
];

const UNCOVERED: &str = include_str!("../contract/uncovered.txt");

static WHOLE: LazyLock<Json> =
    LazyLock::new(|| serde_json::from_str(include_str!("../contract/operations.json")).unwrap());

/// The operations of the contract, by name: the route, or the tool if there is no route.
static CONTRACT: LazyLock<BTreeMap<String, Json>> = LazyLock::new(|| {
    let operations = WHOLE["operations"].as_array().unwrap();
    let name = |operation: &Json| {
        let path = operation["path"].as_str().map(|path| path.trim_start_matches('/').to_owned());
        path.unwrap_or_else(|| format!("tool {}", operation["tool"].as_str().unwrap()))
    };
    operations.iter().map(|operation| (name(operation), operation.clone())).collect()
});

/// Further operations that the contract does not have: the usage of keys, the caller's own SELECT, rows from documents, and back-tests, which
/// are tools too.
const ADDED_BESIDE: [&str; 6] =
    ["account/usage", "backtest", "backtest/tried", "query", "us/backtest", "write/start"];

/// Returns the implemented operations of the contract.
fn present() -> impl Iterator<Item = (&'static Operation, String)> {
    let operations = SERVER.service().catalogue().operations().iter();
    operations.filter(|operation| !is_ours(&operation.name)).map(|operation| {
        let tool = || format!("tool {}", operation.tool.clone().unwrap_or_default());
        (&**operation, if operation.has_route { operation.name.clone() } else { tool() })
    })
}

fn is_ours(name: &str) -> bool {
    ADDED_OPERATIONS.contains(&name) || ADDED_LISTS.contains(&name) || ADDED_BESIDE.contains(&name)
}

/// Added operations are recognizable: they are in a list above, their title and group say so, and no tool of the contract calls them.
#[test]
fn operations_of_ours_are_named_as_ours() {
    let catalogue = SERVER.service().catalogue();
    for name in ADDED_OPERATIONS {
        assert!(!CONTRACT.contains_key(name), "{name} is in the contract");
        let operation = catalogue.operation(name).unwrap_or_else(|| panic!("there is no {name}"));
        let group = if name.contains("chat/") { "Chat" } else { "Explorer" };
        assert!(operation.title.starts_with(&format!("{group}: ")), "{name}: {}", operation.title);
        assert!(group == "Chat" || operation.prose.contains("An operation of the explorer"), "{name}");
        assert_eq!((operation.group.as_str(), &operation.tool), (group, &None), "{name}");
    }
    for name in ADDED_LISTS {
        assert!(!CONTRACT.contains_key(name), "{name} is in the contract");
        assert_eq!(catalogue.operation(name).unwrap().group, "Lists", "{name}");
    }
    let is_of_group = |operation: &Operation| ["Explorer", "Chat"].contains(&operation.group.as_str());
    let of_group = catalogue.operations().iter().filter(|operation| is_of_group(operation));
    assert_eq!(of_group.count(), ADDED_OPERATIONS.len());
}

#[test]
fn the_contract_counts_what_it_says() {
    let operations = WHOLE["operations"].as_array().unwrap();
    assert_eq!(operations.len(), CONTRACT.len(), "a route or a tool stands twice in the contract");
    let count = |key: &str, market: Option<&str>| {
        let of_market = |operation: &&Json| market.is_none_or(|market| operation["market"] == market);
        operations.iter().filter(of_market).filter(|operation| operation[key].is_string()).count()
    };
    for (key, name) in [("path", "rest"), ("tool", "tools")] {
        assert_eq!(json!(count(key, None)), WHOLE["counts"][name]);
        for market in ["india", "us"] {
            assert_eq!(json!(count(key, Some(market))), WHOLE["counts"][format!("{name}_{market}")]);
        }
    }
    let tools: BTreeSet<&str> =
        operations.iter().filter_map(|operation| operation["tool"].as_str()).collect();
    assert_eq!(tools.len(), count("tool", None), "a tool stands twice in the contract");
}

/// The comparison covers every key of the contract's operations and parameters, except for prose.
#[test]
fn nothing_in_the_contract_is_passed_over() {
    let keys = ["market", "group", "path", "tier", "tool", "params", "returns", "free_symbols", "note"];
    let of_param =
        ["name", "type", "required", "rest_only", "default", "min", "max", "enum", "tier_max", "doc"];
    for (name, operation) in CONTRACT.iter() {
        for key in operation.as_object().unwrap().keys() {
            assert!(keys.contains(&key.as_str()), "{name}: nothing looks at `{key}`");
        }
        for param in operation["params"].as_array().unwrap() {
            for key in param.as_object().unwrap().keys() {
                assert!(of_param.contains(&key.as_str()), "{name}: nothing looks at `{key}` of {param}");
            }
        }
    }
}

#[test]
fn what_is_not_there_yet_is_listed() {
    let there: BTreeSet<String> = present().map(|(_, name)| name).collect();
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
    for (operation, name) in present() {
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
        let is_added = |name: &str| ADDED.contains(&(operation.name.as_str(), name));
        let names = operation.params.iter().map(|param| param.name.as_str());
        let names: BTreeSet<&str> = names.filter(|name| !is_added(name)).collect();
        let wanted_names: BTreeSet<&str> =
            wanted.iter().map(|param| param["name"].as_str().unwrap()).collect();
        // If the contract leaves the parameters open, those that it names must be among ours.
        let is_ours =
            contract["note"].as_str().is_some_and(|note| OURS.iter().any(|words| note.contains(words)));
        let compared: BTreeSet<&str> =
            if is_ours { names.intersection(&wanted_names).copied().collect() } else { names };
        hold("set of parameters", json!(compared), &json!(wanted_names));
        for wanted in wanted {
            let Some(param) = operation.param(wanted["name"].as_str().unwrap()) else { continue };
            for (key, found) in facts(param, wanted) {
                // If the contract sets no bound, ours may limit numbers to what data can have.
                if matches!(key, "min" | "max") && wanted.get(key).is_none() {
                    continue;
                }
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
        fields(operation, contract, &mut hold);
    }
    assert!(problems.is_empty(), "{} problems:\n  {}", problems.len(), problems.join("\n  "));
}

/// Writes a bound as the contract does: 10 and not 10.0.
fn bound(number: f64) -> Json {
    if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
}

/// Returns a parameter in the contract's words; null for keys that the contract omits.
fn facts(param: &Param, wanted: &Json) -> [(&'static str, Json); 7] {
    let ty = match param.ty {
        ParamType::Text | ParamType::Period | ParamType::List => "string",
        ParamType::Int => "integer",
        ParamType::Number => "number",
        ParamType::Bool => "boolean",
        ParamType::Date => "date",
    };
    let (min, max) = match (&param.limits, param.ty) {
        (ValueLimits::Range(min, max), ParamType::Int) => {
            (json!(min.map(|n| n as i64)), json!(max.map(|n| n as i64)))
        }
        (ValueLimits::Range(min, max), ParamType::Number) => {
            (min.map_or(Json::Null, bound), max.map_or(Json::Null, bound))
        }
        (ValueLimits::Range(min, max), _) => {
            // If the contract does not limit a length, any limit is allowed.
            let said =
                |key: &str, bound: Option<f64>| wanted.get(key).map(|_| json!(bound.map(|n| n as i64)));
            (said("min", *min).unwrap_or_default(), said("max", *max).unwrap_or_default())
        }
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
        ("required", json!(param.is_required())),
        ("rest_only", json!(param.rest_only)),
        ("default", default),
        ("min", min),
        ("max", max),
        ("enum", json!(param.allowed_words())),
    ]
}

/// The fields of the contract are declared: by a SELECT's columns, or by `column:` if Rust code answers.
fn fields(operation: &Operation, contract: &Json, hold: &mut impl FnMut(&str, Json, &Json)) {
    if operation.name == "status" {
        // Its answer is compared as a whole below.
        return;
    }
    let snapshot = SERVER.service().snapshot();
    let columns = snapshot.columns(operation).iter().flatten().map(|column| column.name.clone());
    let around =
        operation.selects.iter().flat_map(|select| select.wrap.iter().map(|field| field.name.clone()));
    let declared = operation.columns.iter().map(|column| column.name.clone());
    let is_around = operation.selects.iter().any(|select| select.answer == Answer::Stocks);
    let always = ["stocks", "count"].into_iter().filter(|_| is_around).map(str::to_owned);
    let found: BTreeSet<String> = columns.chain(around).chain(declared).chain(always).collect();
    let wanted = contract["returns"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap());
    for name in wanted {
        hold(&format!("the field `{name}`"), json!(found.contains(name)), &json!(true));
    }
}

/// Answers have the fields of the contract: in the object, or in the first row.
#[test]
fn answers_have_the_fields_of_the_contract() {
    let mut problems = Vec::new();
    for operation in calls() {
        let returns = CONTRACT.get(&operation.name).map_or(&Json::Null, |contract| &contract["returns"]);
        let Some(returns) = returns.as_array() else { continue };
        let data = ask(operation, &required(operation)).data();
        let row = data.get(0).unwrap_or(&data);
        for name in returns.iter().map(|name| name.as_str().unwrap()) {
            if row.get(name).is_none() {
                problems.push(format!("{}: `{name}` is not in {row}", operation.name));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let health = SERVER.get("status").json();
    let names: Vec<&String> = health.as_object().unwrap().keys().collect();
    // The version is the contract's; the program's version is in a header.
    assert_eq!(json!(names), CONTRACT["status"]["returns"]);
    assert_eq!(health["version"].as_str(), Some("1.0.0"));
}

/// The OpenAPI document agrees with the contract for every operation, and names no other routes.
#[test]
fn the_openapi_document_is_as_the_contract_says() {
    let document = SERVER.get("openapi.json").json();
    let paths = document["paths"].as_object().unwrap();
    let there = present().filter(|(operation, _)| operation.has_route).count();
    let (ours, paths): (Vec<_>, Vec<_>) =
        paths.iter().partition(|(path, _)| is_ours(path.trim_start_matches('/')));
    let added = ADDED_OPERATIONS.len() + ADDED_LISTS.len() + ADDED_BESIDE.len();
    assert_eq!((paths.len(), ours.len()), (there, added));
    for (path, item) in paths {
        let (contract, get) = (&CONTRACT[path.trim_start_matches('/')], &item["get"]);
        assert_eq!(get["x-tier"], contract["tier"], "{path}");
        assert_eq!(get["tags"], json!([contract["group"]]), "{path}");
        if contract["tool"].is_string() {
            assert_eq!(get["operationId"], contract["tool"], "{path}");
        }
        let is_added = |it: &Json| {
            ADDED.iter().any(|(of, name)| path.trim_start_matches('/') == *of && it["name"] == *name)
        };
        let own: Vec<&Json> = get["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it.get("$ref").is_none() && !is_added(it))
            .collect();
        let wanted = contract["params"].as_array().unwrap();
        let is_ours =
            contract["note"].as_str().is_some_and(|note| OURS.iter().any(|words| note.contains(words)));
        assert!(own.len() == wanted.len() || is_ours && own.len() > wanted.len(), "{path}");
        for wanted in wanted {
            let at = format!("{path}: {}", wanted["name"]);
            let found = own.iter().find(|it| it["name"] == wanted["name"]);
            let found = found.unwrap_or_else(|| panic!("{at} is missing"));
            let schema = &found["schema"];
            assert_eq!(found["required"], json!(wanted["required"] == true), "{at}");
            // If the contract leaves the values open, exactly the declared values are allowed.
            let is_declared = ["preset", "provider"].contains(&wanted["name"].as_str().unwrap());
            if !wanted["enum"].is_null() || !is_ours && !is_declared {
                assert_eq!(schema["enum"], wanted["enum"], "{at}");
            }
            if !wanted["default"].is_null() {
                assert_eq!(schema["default"], wanted["default"], "{at}");
            }
            let ty = match (wanted["type"].as_str().unwrap(), schema["type"].as_str().unwrap()) {
                ("date", _) => "string",
                // Several values, separated by commas.
                ("string", "array") => "array",
                (ty, _) => ty,
            };
            assert_eq!(schema["type"], ty, "{at}");
            let [low, high] =
                if ty == "string" { ["minLength", "maxLength"] } else { ["minimum", "maximum"] };
            for (key, name) in [("min", low), ("max", high)] {
                if !wanted[key].is_null() {
                    assert_eq!(schema[name].as_f64(), wanted[key].as_f64(), "{at}: {key}");
                }
            }
        }
    }
}
