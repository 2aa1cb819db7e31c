//! An answer of parts as Markdown, for clients that take the text of a document: a list for one row, a table for several.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

/// Returns the text of an answer under a title: single values first, then a section for each part.
pub(super) fn markdown(title: &str, answer: &Json) -> String {
    let mut text = format!("# {title}\n\n");
    let fields = || answer.as_object().into_iter().flatten();
    for (name, value) in fields().filter(|(_, value)| !value.is_object()) {
        let _ = writeln!(text, "- {name}: {}", cell(value));
    }
    for (name, part) in fields().filter_map(|(name, value)| Some((name, value.as_object()?))) {
        let _ = writeln!(text, "\n## {name}\n");
        section(&mut text, part);
    }
    text
}

fn section(text: &mut String, part: &Map<String, Json>) {
    for (name, value) in part.iter().filter(|(name, _)| !["columns", "rows"].contains(&name.as_str())) {
        let _ = writeln!(text, "- {name}: {}", cell(value));
    }
    let cells = |value: &Json| value.as_array().into_iter().flatten().map(cell).collect::<Vec<String>>();
    let columns = part.get("columns").map(cells).unwrap_or_default();
    let rows: Vec<Vec<String>> =
        part.get("rows").and_then(Json::as_array).into_iter().flatten().map(cells).collect();
    if let [row] = rows.as_slice() {
        for (column, cell) in columns.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            let _ = writeln!(text, "- {column}: {cell}");
        }
    } else if !rows.is_empty() {
        let _ = writeln!(text, "\n| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len()));
        for row in rows {
            let _ = writeln!(text, "| {} |", row.join(" | "));
        }
    }
}

/// Returns a value in one line; a missing one is blank.
fn cell(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "/"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_row_is_a_list_and_several_are_a_table() {
        let answer = json!({
            "as_of": "2026-10-30",
            "company": {"columns": ["symbol", "pe", "pb"], "rows": [["ABC", 12.5, null]], "units": {"pb": "x"}},
            "events": {"columns": ["kind", "what"], "rows": [["deal", "a|b\nc"], ["order", null]]},
            "nothing": {"texts": "no rows"},
        });
        let expected = "# ABC\n\n- as_of: 2026-10-30\n\n## company\n\n- units: {\"pb\":\"x\"}\n- symbol: ABC\n- pe: 12.5\n\n## events\n\n\n\
                        | kind | what |\n|---|---|\n| deal | a/b c |\n| order |  |\n\n## nothing\n\n- texts: no rows\n";
        assert_eq!(markdown("ABC", &answer), expected);
    }
}
