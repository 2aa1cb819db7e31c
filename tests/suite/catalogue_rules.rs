//! Rules for every operation: loops over the catalogue, so that they cover new operations automatically.
//! Each rule collects all violations, with operation and parameter.

use std::collections::BTreeMap;

use parquote::operation::{Operation, Param, ParamType, PartitionBy, TableOrigin, Unit, ValueLimits};

use crate::server::{Reply, SERVER, query};

type Pairs = Vec<(String, String)>;

/// Returns the operations that the demo market can answer as calls; `status` is not a call.
pub(crate) fn calls() -> impl Iterator<Item = &'static Operation> {
    let operations = SERVER.service().catalogue().operations().iter().map(AsRef::as_ref);
    let snapshot = SERVER.service().snapshot();
    operations.filter(move |operation: &&Operation| {
        operation.has_route && operation.answers_from_select() && snapshot.missing(operation).is_empty()
    })
}

#[test]
fn the_demo_market_has_what_every_operation_needs() {
    let snapshot = SERVER.service().snapshot();
    for operation in SERVER.service().catalogue().operations() {
        assert!(
            snapshot.missing(operation).is_empty(),
            "{} needs {:?}",
            operation.name,
            snapshot.missing(operation)
        );
    }
}

/// Returns the required parameters of a call with example values.
pub(crate) fn required(operation: &Operation) -> Pairs {
    pairs(operation, false)
}

/// Returns the example of an operation: its required parameters, or all parameters that have an example.
pub(crate) fn pairs(operation: &Operation, whole: bool) -> Pairs {
    operation.example_pairs(whole).into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the pairs with one of them set to another value.
pub(crate) fn with(pairs: &Pairs, name: &str, value: &str) -> Pairs {
    let others = pairs.iter().filter(|(known, _)| known != name).cloned();
    others.chain([(name.to_owned(), value.to_owned())]).collect()
}

pub(crate) fn ask(operation: &Operation, pairs: &Pairs) -> Reply {
    SERVER.get(&format!("{}?{}", operation.name, query(pairs)))
}

/// Sends a call and expects a 400 whose message contains these parts.
fn refused(operation: &Operation, pairs: &Pairs, parts: &[&str], problems: &mut Vec<String>) {
    let reply = ask(operation, pairs);
    let message = String::from_utf8_lossy(&reply.body).into_owned();
    let missing: Vec<_> = parts.iter().filter(|part| !message.contains(**part)).collect();
    if reply.status != 400 || !missing.is_empty() {
        problems.push(format!(
            "{}?{}: {} {message}, lacks {missing:?}",
            operation.name,
            query(pairs),
            reply.status
        ));
    }
}

pub(crate) fn none(problems: &[String]) {
    assert!(problems.is_empty(), "{} problems:\n  {}", problems.len(), problems.join("\n  "));
}

/// Visits every parameter of every call, with the pairs that the call requires.
fn each_param(mut visit: impl FnMut(&'static Operation, &'static Param, Pairs)) {
    for operation in calls() {
        for param in &operation.params {
            visit(operation, param, required(operation));
        }
    }
}

#[test]
fn a_wrong_type_is_refused_by_name() {
    let mut problems = Vec::new();
    each_param(|operation, param, base| {
        let wrong: &[&str] = match param.ty {
            ParamType::Int => &["x", "1.5", "1e3", "0x10", "99999999999999999999", "1 2"],
            ParamType::Number => &["x", "NaN", "inf", "-Infinity", "1,000", "1e999"],
            ParamType::Bool => &["maybe", "2", "yes"],
            ParamType::Date => {
                &["x", "2026-13-01", "2026-02-30", "26-01-01", "2026-1-1", "2026/01/01", "20260101"]
            }
            ParamType::Text | ParamType::Period | ParamType::List => &[],
        };
        for value in wrong {
            refused(
                operation,
                &with(&base, &param.name, value),
                &[&format!("`{}`", param.name), value],
                &mut problems,
            );
        }
    });
    none(&problems);
}

#[test]
fn a_value_out_of_range_is_refused_with_the_range() {
    let mut problems = Vec::new();
    let mut tried = 0;
    each_param(|operation, param, base| {
        let ValueLimits::Range(low, high) = param.limits else { return };
        // The range of a list limits its number of values, which is checked below.
        if param.ty == ParamType::List {
            return;
        }
        let shown = |bound: Option<f64>| bound.map(|bound| bound.to_string()).unwrap_or_default();
        let (low_text, high_text, name) = (shown(low), shown(high), format!("`{}`", param.name));
        let outside = [low.map(|low| low - 1.0), high.map(|high| high + 1.0)];
        for value in outside.into_iter().flatten() {
            tried += 1;
            let value = match param.ty {
                ParamType::Text if value < 1.0 => continue,
                ParamType::Text => "a".repeat(value as usize),
                _ => value.to_string(),
            };
            refused(
                operation,
                &with(&base, &param.name, &value),
                &[&name, &low_text, &high_text],
                &mut problems,
            );
        }
        for bound in [low, high].into_iter().flatten().filter(|_| param.ty != ParamType::Text) {
            let reply = ask(operation, &with(&base, &param.name, &bound.to_string()));
            if reply.status != 200 {
                problems.push(format!(
                    "{}: {}={bound} is within the range, but {}",
                    operation.name, param.name, reply.status
                ));
            }
        }
    });
    assert!(tried > 10);
    none(&problems);
}

/// Every integer and every text is bounded, in operations of all kinds.
#[test]
fn every_number_and_text_has_bounds() {
    let mut problems = Vec::new();
    for operation in SERVER.service().catalogue().operations() {
        for param in &operation.params {
            let is_bounded = match param.ty {
                ParamType::Int => matches!(param.limits, ValueLimits::Range(Some(_), Some(_))),
                ParamType::Text | ParamType::Period => {
                    // A SELECT may be long.
                    let most = if operation.run_returns_rows || param.name == "sql" { 16_384 } else { 2_000 };
                    param.longest().is_some_and(|longest| longest <= most)
                }
                ParamType::List => param.longest().is_some() && param.most_items().is_some(),
                ParamType::Number | ParamType::Bool | ParamType::Date => true,
            };
            if !is_bounded {
                problems.push(format!("{}: {} has no bounds", operation.name, param.name));
            }
        }
    }
    each_param(|operation, param, base| {
        let Some(longest) = param.longest() else { return };
        if param.allowed_words().is_none() {
            let long = with(&base, &param.name, &"a".repeat(longest + 1));
            let parts = [format!("`{}`", param.name), (longest + 1).to_string(), longest.to_string()];
            refused(operation, &long, &parts.each_ref().map(String::as_str), &mut problems);
        }
        if let Some(most) = param.most_items() {
            let many = (0..=most).map(|number| format!("a{number}")).collect::<Vec<_>>().join(",");
            refused(operation, &with(&base, &param.name, &many), &[&most.to_string()], &mut problems);
        }
    });
    none(&problems);
}

#[test]
fn a_word_that_is_no_choice_is_refused_with_the_choices() {
    let mut problems = Vec::new();
    each_param(|operation, param, base| {
        let Some(words) = param.allowed_words() else { return };
        let misspelt = format!("{}s", words[0]);
        let upper = words[0].to_uppercase();
        let cased = if upper == words[0] { words[0].to_lowercase() } else { upper };
        // A number has no capitals.
        for value in ["zzz", &cased, &misspelt].into_iter().filter(|value| *value != words[0]) {
            let name = format!("`{}`", param.name);
            let parts: Vec<&str> = words.iter().map(String::as_str).chain([name.as_str(), value]).collect();
            refused(operation, &with(&base, &param.name, value), &parts, &mut problems);
        }
        let near = format!("did you mean `{}`", words[0]);
        refused(operation, &with(&base, &param.name, &misspelt), &[&near], &mut problems);
        for word in words {
            let reply = ask(operation, &with(&base, &param.name, word));
            if reply.status != 200 {
                problems.push(format!("{}: {}={word}: {}", operation.name, param.name, reply.status));
            }
        }
    });
    none(&problems);
}

#[test]
fn an_unknown_parameter_is_refused_with_the_nearest() {
    let mut problems = Vec::new();
    for operation in calls() {
        let base = required(operation);
        refused(operation, &with(&base, "zzzzzz", "1"), &["`zzzzzz`", "not a parameter"], &mut problems);
        refused(operation, &with(&base, "zzzzzz", ""), &["`zzzzzz`"], &mut problems);
        for param in operation.params.iter().filter(|param| param.name.len() > 3) {
            let near = format!("did you mean `{}`", param.name);
            for wrong in [format!("{}s", param.name), param.name.to_uppercase().to_lowercase() + "_"] {
                refused(operation, &with(&base, &wrong, "1"), &[&format!("`{wrong}`"), &near], &mut problems);
            }
        }
        // Parameter names are case-sensitive, as in every query string.
        if let Some(param) = operation.params.first() {
            let wrong = param.name.to_uppercase();
            refused(operation, &with(&base, &wrong, "1"), &[&format!("`{wrong}`")], &mut problems);
        }
    }
    none(&problems);
}

#[test]
fn a_repeated_parameter_is_refused() {
    let mut problems = Vec::new();
    each_param(|operation, param, mut base| {
        let value = param.example.clone().unwrap_or_else(|| "1".to_owned());
        base.retain(|(name, _)| *name != param.name);
        base.extend([(param.name.clone(), value.clone()), (param.name.clone(), value)]);
        refused(operation, &base, &[&format!("`{}`", param.name), "once"], &mut problems);
    });
    none(&problems);
}

#[test]
fn a_missing_parameter_is_refused_by_name_and_an_empty_one_is_missing() {
    let mut problems = Vec::new();
    each_param(|operation, param, base| {
        let mut without = base.clone();
        without.retain(|(name, _)| *name != param.name);
        for empty in ["", "  "] {
            let emptied = with(&base, &param.name, empty);
            if param.is_required() {
                refused(operation, &emptied, &[&format!("`{}` is required", param.name)], &mut problems);
            } else if ask(operation, &emptied).header("etag") != ask(operation, &without).header("etag") {
                problems.push(format!("{}: an empty {} is not the same as none", operation.name, param.name));
            }
        }
        if param.is_required() {
            refused(operation, &without, &[&format!("`{}` is required", param.name)], &mut problems);
        }
    });
    none(&problems);
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let mut problems = Vec::new();
    for operation in calls() {
        let ints = operation.params.iter().filter(|param| param.ty == ParamType::Int);
        let wrong: Pairs = ints.map(|param| (param.name.clone(), "x".to_owned())).collect();
        let pairs: Pairs = wrong.iter().cloned().chain([("zzz".to_owned(), "1".to_owned())]).collect();
        let names: Vec<String> = pairs.iter().map(|(name, _)| format!("`{name}`")).collect();
        refused(operation, &pairs, &names.iter().map(String::as_str).collect::<Vec<_>>(), &mut problems);
    }
    none(&problems);
}

#[test]
fn an_unknown_symbol_is_not_found_and_others_are_named() {
    let mut tried = 0;
    for operation in calls() {
        if !operation.params.iter().any(|param| param.is_symbol() && param.is_required()) {
            continue;
        }
        tried += 1;
        let known = required(operation).into_iter().find(|(name, _)| name == "symbol").unwrap().1;
        let reply = ask(operation, &with(&required(operation), "symbol", &format!("{known}X")));
        assert_eq!(reply.status, 404, "{}", operation.name);
        assert!(reply.message().contains(&format!("near it are {known}")), "{}", reply.message());
        let reply = ask(operation, &with(&required(operation), "symbol", "::::"));
        assert!(reply.status == 404 && reply.message().contains("companies"), "{}", reply.message());
        // Case and surrounding spaces of a symbol are ignored.
        let plain = ask(operation, &required(operation));
        let lower =
            ask(operation, &with(&required(operation), "symbol", &format!(" {} ", known.to_lowercase())));
        assert_eq!(plain.body, lower.body, "{}", operation.name);
    }
    assert!(tried >= 3);
}

/// Operations over documents and a ledger, which the demo market lacks.
const WITHOUT_ROWS: [&str; 4] =
    ["explore/document", "explore/documents", "explore/ledger", "explore/text-evidence"];

#[test]
fn every_operation_answers_its_examples() {
    let mut problems = Vec::new();
    for operation in calls() {
        let mut queries = vec![query(&pairs(operation, false)), query(&pairs(operation, true))];
        queries.extend(operation.examples.iter().cloned());
        for query in queries {
            let reply = SERVER.get(&format!("{}?{query}", operation.name));
            let text = String::from_utf8_lossy(&reply.body).into_owned();
            let is_empty = text.contains("\"data\":[]") || text.contains("\"stocks\":[]");
            if reply.status != 200
                || is_empty && !WITHOUT_ROWS.contains(&operation.name.trim_start_matches("us/"))
            {
                problems.push(format!("{}?{query}: {} {text}", operation.name, reply.status));
            }
        }
    }
    none(&problems);
}

#[test]
fn every_column_of_an_answer_has_words_and_one_unit() {
    let snapshot = SERVER.service().snapshot();
    let mut units: BTreeMap<String, (Unit, &str)> = BTreeMap::new();
    for operation in calls() {
        assert_eq!(snapshot.columns(operation).len(), operation.selects.len(), "{}", operation.name);
        for column in snapshot.columns(operation).iter().flatten() {
            let words = &column.words;
            assert!(
                words.len() > 5 && words.ends_with('.'),
                "{}: {} is {words:?}",
                operation.name,
                column.name
            );
            let (unit, other) = units.entry(column.name.clone()).or_insert((column.unit, &operation.name));
            assert_eq!(*unit, column.unit, "{} in {} and {other}", column.name, operation.name);
        }
    }
}

#[test]
fn no_number_is_beyond_json() {
    for operation in calls() {
        for whole in [false, true] {
            let reply = ask(operation, &pairs(operation, whole));
            let text = String::from_utf8(reply.body).unwrap();
            for word in ["NaN", "nan,", "Infinity", "inf,", "inf}"] {
                assert!(!text.contains(word), "{}: {word}", operation.name);
            }
        }
    }
}

#[test]
fn a_limit_is_kept() {
    each_param(|operation, param, base| {
        if param.name != "limit" {
            return;
        }
        let rows = |limit: &str| {
            let data = ask(operation, &with(&base, "limit", limit)).data();
            data.get("stocks").unwrap_or(&data).as_array().unwrap().clone()
        };
        let (one, three) = (rows("1"), rows("3"));
        assert!(one.len() <= 1 && three.len() <= 3, "{}", operation.name);
        assert_eq!(three[..one.len()], one, "{}: fewer rows are the first of more", operation.name);
    });
}

#[test]
fn a_text_of_any_letters_is_only_a_text() {
    const TEXTS: [&str; 13] =
        ["'", "\"", "' OR 1=1 --", "%", "_", "\\", "\\%", "$limit", "\u{0}", "\u{1f}-", "नमस्ते", "😀", "-"];
    let mut problems = Vec::new();
    each_param(|operation, param, base| {
        if !matches!(param.ty, ParamType::Text | ParamType::Period | ParamType::List)
            || param.allowed_words().is_some()
        {
            return;
        }
        for text in TEXTS {
            let reply = ask(operation, &with(&base, &param.name, text));
            let is_unknown = reply.status == 400 && reply.message().contains(&format!("`{}`", param.name));
            if !matches!(reply.status, 200 | 404) && !is_unknown {
                problems.push(format!("{}: {}={text:?}: {}", operation.name, param.name, reply.status));
            }
        }
    });
    none(&problems);
}

/// `as_of` of the rotation is `1m` or a session's date.
#[test]
fn a_moment_that_is_none_is_refused() {
    for as_of in ["2m", "1w", "2026-02-30", "yesterday", "2027-01-01", "1990-01-01"] {
        let reply = SERVER.get(&format!("market/rrg?as_of={as_of}"));
        assert!(reply.status == 400 && reply.message().contains("`as_of`"), "{as_of}: {}", reply.status);
    }
}

/// A table without a lookback makes every derivation compute all bars again, for all tables made by symbol.
#[test]
fn every_table_made_by_symbol_says_how_far_it_looks_back() {
    let tables = SERVER.service().catalogue().tables().iter();
    let by_symbol = tables.filter(|table| {
        table.per == Some(PartitionBy::Symbol) && matches!(table.origin, TableOrigin::Derived(_))
    });
    let (with, without): (Vec<_>, Vec<_>) = by_symbol.partition(|table| table.lookback.is_some());
    let without: Vec<&str> = without.into_iter().map(|table| table.name.as_str()).collect();
    assert!(with.len() >= 4 && without.is_empty(), "{without:?}");
}
