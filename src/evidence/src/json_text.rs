//! Extracts JSON objects from a model's text, which may have thoughts before them, fences and words around them, and trailing commas. The
//! result never contains more than the text: an object that cannot be JSON is skipped.

use serde_json::{Map, Value as Json};

/// Opening and closing marks that models put around their thoughts.
const THOUGHTS: [(&str, &str); 6] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
];
/// Maximum number of opening braces at which parsing is attempted. The words before an answer have fewer.
const MOST_STARTS: usize = 500;

/// Returns the objects of a text in order: the objects after the thoughts, or those within the thoughts if there are none after them.
pub fn objects_in_order(text: &str) -> Vec<Json> {
    let objects = objects_in(&without_thoughts(text));
    if objects.is_empty() { objects_in(text) } else { objects }
}

/// Converts a value to a schema where the intent is clear: a single value where the schema has a list, a number where it has a text, a word
/// in another case, an object that is the only field of another one.
pub fn fit_to_schema(value: Json, schema: &Json) -> Json {
    let part = |name: &str| schema.get(name).unwrap_or(&Json::Null);
    match (part("type").as_str().unwrap_or_default(), value) {
        ("array", Json::Array(values)) => {
            values.into_iter().map(|one| fit_to_schema(one, part("items"))).collect()
        }
        ("array", Json::Null) => Json::Array(Vec::new()),
        ("array", one) => Json::Array(vec![fit_to_schema(one, part("items"))]),
        ("string", number @ (Json::Number(_) | Json::Bool(_))) => Json::String(number.to_string()),
        ("string", Json::String(text)) => {
            let mut words = part("enum").as_array().into_iter().flatten().filter_map(Json::as_str);
            let word = words.find(|word| word.eq_ignore_ascii_case(text.trim())).map(str::to_owned);
            Json::String(word.unwrap_or(text))
        }
        ("object", Json::Object(fields)) => fitted_fields(fields, schema),
        (_, value) => value,
    }
}

fn fitted_fields(fields: Map<String, Json>, schema: &Json) -> Json {
    let property = |name: &str| schema.get("properties")?.get(name);
    let is_wrapped =
        fields.len() == 1 && fields.iter().all(|(name, inner)| property(name).is_none() && inner.is_object());
    if let (true, Some((_, inner))) = (is_wrapped, fields.iter().next()) {
        return fit_to_schema(inner.clone(), schema);
    }
    let fit = |(name, value): (String, Json)| {
        let value = match property(&name) {
            Some(schema) => fit_to_schema(value, schema),
            None => value,
        };
        (name, value)
    };
    Json::Object(fields.into_iter().map(fit).collect())
}

/// Removes thoughts with their marks. Some servers strip the opening mark: then all text before the closing one is removed.
pub fn without_thoughts(text: &str) -> String {
    let mut remaining = text.to_owned();
    for (open, close) in THOUGHTS {
        while let Some(end) = remaining.find(close) {
            let begin = remaining.get(..end).and_then(|before| before.rfind(open)).unwrap_or_default();
            remaining.replace_range(begin..end + close.len(), "");
        }
    }
    remaining
}

fn objects_in(text: &str) -> Vec<Json> {
    let mut objects = Vec::new();
    let mut rest = text;
    for _ in 0..MOST_STARTS {
        let Some(from) = rest.find('{').and_then(|start| rest.get(start..)) else { break };
        let parsed = strict_json(from).and_then(|(json, end)| Some((serde_json::from_str(&json).ok()?, end)));
        let end = parsed.as_ref().map_or(1, |(_, end)| *end);
        objects.extend(parsed.map(|(object, _): (Json, usize)| object));
        rest = from.get(end..).unwrap_or_default();
    }
    objects
}

/// Returns the text from a brace to its closing brace as strict JSON, without trailing commas and comments and with escaped line breaks in
/// strings; also the byte offset after the closing brace.
fn strict_json(text: &str) -> Option<(String, usize)> {
    let (mut json, mut depth, mut in_text) = (String::new(), 0_u32, false);
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let after = text.get(at + c.len_utf8()..).unwrap_or_default();
        match c {
            '\\' if in_text => {
                json.push(c);
                json.extend(chars.next().map(|(_, escaped)| escaped));
                continue;
            }
            '"' => in_text = !in_text,
            _ if in_text && c.is_ascii_control() => {
                let escaped = format!("\\u{:04x}", u32::from(c));
                json.push_str(&escaped);
                continue;
            }
            _ if in_text => {}
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.checked_sub(1)?,
            ',' if after.trim_start().starts_with(['}', ']']) => continue,
            '/' if after.starts_with('/') => {
                chars.by_ref().find(|(_, c)| *c == '\n');
                continue;
            }
            _ => {}
        }
        json.push(c);
        if depth == 0 {
            return Some((json, at + c.len_utf8()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_object_is_found_in_what_models_write_around_it() {
        let whole = json!({"risks": ["a {b}"], "n": 1});
        for text in [
            r#"{"risks": ["a {b}"], "n": 1}"#,
            "<think>\nI could answer {like this}.\n</think>\n{\"risks\": [\"a {b}\"], \"n\": 1}",
            "I could { answer. </think>{\"risks\": [\"a {b}\"], \"n\": 1}",
            "<think>Never closed {\"risks\": } {x} {\"risks\": [\"a {b}\"], \"n\": 1}",
            "[THINK]{\"risks\": []}[/THINK]{\"risks\": [\"a {b}\"], \"n\": 1} I hope \"this} helps.",
            "Here it is:\n```json\n{\"risks\": [\"a {b}\",], \"n\": 1,\n}\n```\nAnything else?",
            "{\"risks\": [\"a {b}\"], // one\n \"n\": 1}<think>done {now}</think>",
            "<|channel|>analysis<|message|>{so}<|end|><|channel|>final<|message|>{\"risks\":[\"a {b}\"],\"n\":1}",
            "{{\"risks\": [\"a {b}\"], \"n\": 1}}",
        ] {
            assert_eq!(objects_in_order(text).last(), Some(&whole), "{text}");
        }
        // The only object is in the thoughts, or the mark is in the string.
        assert_eq!(objects_in_order("<think>{\"n\": 1}</think>"), [json!({"n": 1})]);
        assert_eq!(objects_in_order("{\"n\": \"</think>\"}"), [json!({"n": "</think>"})]);
        assert_eq!(objects_in_order("{\"n\": \"two\nlines \\\" {\"}"), [json!({"n": "two\nlines \" {"})]);
        assert_eq!(objects_in_order("{\"n\": 1} and {\"n\": 2}"), [json!({"n": 1}), json!({"n": 2})]);
        for none in ["", "no", "{", "{\"n\": ", "{like this}", "}{", "{\"n\": 1]", &"{".repeat(60_000)] {
            assert_eq!(objects_in_order(none), Vec::<Json>::new());
        }
    }

    #[test]
    fn single_values_numbers_and_words_are_fitted_to_their_schema() {
        let schema = json!({"type": "object", "properties": {
            "risks": {"type": "array", "items": {"type": "string"}},
            "vote": {"type": "string", "enum": ["buy", "avoid"]},
        }});
        for (written, meant) in [
            (json!({"risks": "one", "vote": "Buy "}), json!({"risks": ["one"], "vote": "buy"})),
            (json!({"risks": null, "vote": "hold"}), json!({"risks": [], "vote": "hold"})),
            (json!({"risks": [1, true, "x"]}), json!({"risks": ["1", "true", "x"]})),
            (json!({"answer": {"risks": 2.5, "more": 1}}), json!({"risks": ["2.5"], "more": 1})),
            (json!({"risks": {"a": 1}}), json!({"risks": [{"a": 1}]})),
            (json!([{"risks": []}]), json!([{"risks": []}])),
        ] {
            assert_eq!(fit_to_schema(written, &schema), meant);
        }
    }
}
