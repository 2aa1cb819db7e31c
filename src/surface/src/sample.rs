//! An answer abridged and formatted for a reader: the first two items of every list, one row per line.

use serde_json::Value as Json;

/// Most items that remain of a list.
const ITEMS_SHOWN: usize = 2;

/// Returns the abridged answer as JSON text.
pub fn sample(answer: &Json) -> String {
    match shorten_lists(answer) {
        Json::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                let value = match value {
                    Json::Array(rows) if rows.iter().any(Json::is_object) => format_rows(rows, "    ", "  "),
                    other => other.to_string(),
                };
                format!("  {}: {value}", Json::from(name.as_str()))
            });
            format!("{{\n{}\n}}", fields.collect::<Vec<_>>().join(",\n"))
        }
        Json::Array(rows) if !rows.is_empty() => format_rows(&rows, "  ", ""),
        other => other.to_string(),
    }
}

fn format_rows(rows: &[Json], indent: &str, end: &str) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("{indent}{row}")).collect();
    format!("[\n{}\n{end}]", rows.join(",\n"))
}

fn shorten_lists(json: &Json) -> Json {
    match json {
        Json::Array(items) => items.iter().take(ITEMS_SHOWN).map(shorten_lists).collect(),
        Json::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), shorten_lists(value))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_cut_and_rows_have_lines() {
        assert_eq!(sample(&json!([])), "[]");
        assert_eq!(
            sample(&json!([{"a": [1, 2, 3]}, {"a": null}, {"a": []}])),
            "[\n  {\"a\":[1,2]},\n  {\"a\":null}\n]"
        );
        let around = json!({"stocks": [{"s": "A"}], "count": 1, "tags": ["x", "y", "z"]});
        let expected =
            "{\n  \"stocks\": [\n    {\"s\":\"A\"}\n  ],\n  \"count\": 1,\n  \"tags\": [\"x\",\"y\"]\n}";
        assert_eq!(sample(&around), expected);
        assert_eq!(
            serde_json::from_str::<Json>(expected).unwrap(),
            json!({"stocks": [{"s": "A"}], "count": 1, "tags": ["x", "y"]})
        );
    }
}
