//! The pattern language of the cases: JSON that states the known parts of an answer and leaves out the rest.
//!
//! - A number, a text, a boolean or null matches itself; numbers compare by value, so `1` equals `1.0`.
//! - `"*"` matches anything, including null.
//! - An object matches an object with at least these fields, if their values match.
//! - An array matches an array whose first elements match these; it may have more.
//! - Keys of an object that start with `@` are conditions on the value at that place:
//!   - `{"@exactly": x}`: equal to `x`, without further fields or elements;
//!   - `{"@len": 5}`: 5 elements, or `{"@len": [2, 5]}` at least 2 and at most 5;
//!   - `{"@rows": [p, q]}`: the first element matches `p`, the second `q`, and there is no other;
//!   - `{"@each": p}`: every element matches `p`, and there is at least one;
//!   - `{"@first": p}`, `{"@last": p}`: the first or last element matches `p`;
//!   - `{"@sorted": "rs_rating desc, symbol asc"}`: elements in this order, nulls last;
//!   - `{"@keys": ["a", "b"]}`: exactly these fields, in this order;
//!   - `{"@has": "text"}` or `{"@has": ["a", "b"]}`: a text with these parts; `{"@lacks": ...}`: without;
//!   - `{"@in": [1, 99]}`: a number from the first to the second; `{"@not": p}`: anything that does not match `p`.

use std::cmp::Ordering;

use serde_json::{Map, Value as Json};

/// Checks that a document matches; the error names the first difference and its path.
pub(crate) fn matches(pattern: &Json, json: &Json, at: &str) -> Result<(), String> {
    match (pattern, json) {
        (Json::String(any), _) if any == "*" => Ok(()),
        (Json::Object(wanted), _) => {
            let (conditions, wanted): (Vec<_>, Vec<_>) =
                wanted.iter().partition(|(name, _)| name.starts_with('@'));
            conditions.iter().try_for_each(|(name, value)| condition(name, value, json, at))?;
            match json.as_object() {
                Some(fields) => wanted.iter().try_for_each(|(name, pattern)| {
                    let value =
                        fields.get(*name).ok_or_else(|| format!("{at}: there is no field `{name}`"))?;
                    matches(pattern, value, &format!("{at}.{name}"))
                }),
                None if wanted.is_empty() && !conditions.is_empty() => Ok(()),
                None => Err(format!("{at}: {} is no object", shortened(json))),
            }
        }
        (Json::Array(wanted), Json::Array(items)) => {
            wanted.iter().enumerate().try_for_each(|(index, pattern)| {
                let item =
                    items.get(index).ok_or_else(|| format!("{at}: it has only {} elements", items.len()))?;
                matches(pattern, item, &format!("{at}[{index}]"))
            })
        }
        (Json::Number(a), Json::Number(b)) if a.as_f64() == b.as_f64() => Ok(()),
        (a, b) if a == b => Ok(()),
        (a, b) => Err(format!("{at}: {} where {a} is expected", shortened(b))),
    }
}

fn condition(name: &str, value: &Json, json: &Json, at: &str) -> Result<(), String> {
    let fails = |what: String| Err(format!("{at}: {what}"));
    match (name, json) {
        ("@exactly", _) if same(value, json) => Ok(()),
        ("@exactly", _) => fails(format!("{} where exactly {value} is expected", shortened(json))),
        ("@not", _) if matches(value, json, at).is_err() => Ok(()),
        ("@not", _) => fails(format!("{} is just what is not expected", shortened(json))),
        ("@len", Json::Array(items)) => {
            let bound = |index: usize| value.get(index).unwrap_or(value).as_u64().unwrap() as usize;
            if (bound(0)..=bound(1)).contains(&items.len()) {
                return Ok(());
            }
            fails(format!("{} elements where {value} are expected", items.len()))
        }
        ("@rows", Json::Array(items)) => {
            matches(value, json, at)?;
            let wanted = value.as_array().unwrap().len();
            if items.len() == wanted {
                Ok(())
            } else {
                fails(format!("{} elements, not {wanted}", items.len()))
            }
        }
        ("@each", Json::Array(items)) if items.is_empty() => fails("it has no element".to_owned()),
        ("@each", Json::Array(items)) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| matches(value, item, &format!("{at}[{index}]"))),
        ("@first", Json::Array(items)) => {
            matches(value, items.first().unwrap_or(&Json::Null), &format!("{at}[0]"))
        }
        ("@last", Json::Array(items)) => {
            matches(value, items.last().unwrap_or(&Json::Null), &format!("{at}[last]"))
        }
        ("@sorted", Json::Array(items)) => sorted(value.as_str().unwrap(), items, at),
        ("@keys", Json::Object(fields)) => {
            let found: Vec<&str> = fields.keys().map(String::as_str).collect();
            if texts(value) == found {
                Ok(())
            } else {
                fails(format!("the fields are {found:?}, not {value}"))
            }
        }
        ("@has", Json::String(text)) => match texts(value).into_iter().find(|part| !text.contains(part)) {
            None => Ok(()),
            Some(part) => fails(format!("{text:?} lacks {part:?}")),
        },
        ("@lacks", Json::String(text)) => match texts(value).into_iter().find(|part| text.contains(part)) {
            None => Ok(()),
            Some(part) => fails(format!("{text:?} has {part:?}")),
        },
        ("@in", Json::Number(number)) => {
            let bound = |index: usize| value[index].as_f64().unwrap();
            if (bound(0)..=bound(1)).contains(&number.as_f64().unwrap()) {
                return Ok(());
            }
            fails(format!("{number} is not in {value}"))
        }
        _ => fails(format!("`{name}` does not go with {}", shortened(json))),
    }
}

/// Returns true if two values are equal, numbers by value.
fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

fn sorted(by: &str, items: &[Json], at: &str) -> Result<(), String> {
    let keys: Vec<(&str, bool)> = by
        .split(',')
        .map(|key| {
            let (name, direction) = key.trim().split_once(' ').unwrap_or((key.trim(), "asc"));
            (name, direction == "desc")
        })
        .collect();
    let order = |a: &Map<String, Json>, b: &Map<String, Json>| {
        keys.iter()
            .map(|(name, descending)| match (&a[*name], &b[*name]) {
                (Json::Null, Json::Null) => Ordering::Equal,
                (Json::Null, _) => Ordering::Greater,
                (_, Json::Null) => Ordering::Less,
                (a, b) if *descending => compare(b, a),
                (a, b) => compare(a, b),
            })
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    for (index, pair) in items.windows(2).enumerate() {
        let [Json::Object(a), Json::Object(b)] = pair else { return Err(format!("{at}: rows are objects")) };
        if order(a, b) == Ordering::Greater {
            return Err(format!("{at}[{}]: out of order ({by})", index + 1));
        }
    }
    Ok(())
}

fn compare(a: &Json, b: &Json) -> Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => match (a.as_str(), b.as_str()) {
            (Some(a), Some(b)) => a.cmp(b),
            _ => a.to_string().cmp(&b.to_string()),
        },
    }
}

fn texts(value: &Json) -> Vec<&str> {
    value.as_array().map_or_else(
        || vec![value.as_str().unwrap()],
        |all| all.iter().map(|t| t.as_str().unwrap()).collect(),
    )
}

fn shortened(json: &Json) -> String {
    let text = json.to_string();
    if text.len() > 300 { format!("{}...", text.chars().take(300).collect::<String>()) } else { text }
}

#[test]
fn the_pattern_language_does_what_it_says() {
    use serde_json::json;
    let rows = json!([{"a": 3, "b": "x"}, {"a": 2, "b": null}, {"a": 2, "b": null}]);
    for (pattern, fits) in [
        (json!("*"), true),
        (json!([{"a": 3.0}]), true),
        (json!([{"a": 2}]), false),
        (json!([{}, {}, {}, {}]), false),
        (json!({"@len": 3, "@sorted": "a desc, b"}), true),
        (json!({"@len": [1, 2]}), false),
        (json!({"@rows": [{"a": 3}, {"a": 2}, {"b": null}]}), true),
        (json!({"@rows": [{"a": 3}, {"a": 2}]}), false),
        (json!({"@rows": [{"a": 3}, {"a": 2}, {}, {}]}), false),
        (json!({"@sorted": "a"}), false),
        (json!({"@each": {"a": {"@in": [2, 3]}}}), true),
        (json!({"@each": {"b": {"@has": "x"}}}), false),
        (json!({"@first": {"b": {"@has": ["x"], "@lacks": "y"}}, "@last": {"b": null}}), true),
        (json!([{"@keys": ["a", "b"]}]), true),
        (json!([{"@keys": ["b", "a"]}]), false),
        (json!([{"@exactly": {"a": 3, "b": "x"}}]), true),
        (json!({"@exactly": [{"a": 3, "b": "x"}]}), false),
        (json!([{"a": {"@not": 4}}]), true),
    ] {
        assert_eq!(matches(&pattern, &rows, "rows").is_ok(), fits, "{pattern}");
    }
    assert!(matches(&json!({"@each": "*"}), &json!([]), "rows").is_err());
}
