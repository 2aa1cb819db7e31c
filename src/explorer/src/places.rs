//! Links of values: a symbol to its company, a sector to its stocks. `{column}` in an address is replaced by the value of that column.

use super::page_rows::PageRow;
use super::request::{PageRequest, segment};
use parquote_picture::sheet::NO_SECTOR;

/// Columns that are links in every table.
const LEADS: [(&str, &str); 4] = [
    ("symbol", "company/{symbol}"),
    ("sector", "screener?sector={sector}"),
    ("industry", "screener?industry={industry}"),
    ("preset", "presets/start?preset={preset}"),
];

/// Returns the link of a column's value, by the links of its table, then by those of all tables.
pub(super) fn lead(
    request: &PageRequest,
    column: &str,
    row: &PageRow,
    own: &[(String, String)],
) -> Option<String> {
    let own = own.iter().map(|(column, pattern)| (column.as_str(), pattern.as_str()));
    let (_, pattern) = own.chain(LEADS).find(|(named, _)| *named == column)?;
    filled(pattern, row).map(|path| request.elsewhere(&path))
}

/// Fills the values of a row into an address; `None` if one of them is unknown.
pub fn filled(pattern: &str, row: &PageRow) -> Option<String> {
    with_values(pattern, row, segment)
}

/// Fills the values of a row into a text; empty if one of them is unknown.
pub(super) fn worded(pattern: &str, row: &PageRow) -> String {
    with_values(pattern, row, str::to_owned).unwrap_or_default()
}

fn with_values(pattern: &str, row: &PageRow, write: fn(&str) -> String) -> Option<String> {
    let mut path = String::new();
    let mut rest = pattern;
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}')?;
        let value = match row.get(name)? {
            serde_json::Value::String(text) if !text.is_empty() && text != NO_SECTOR => text.clone(),
            serde_json::Value::Number(number) => number.to_string(),
            _ => return None,
        };
        path.push_str(before);
        path.push_str(&write(&value));
        rest = after;
    }
    path.push_str(rest);
    Some(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_encoded_and_what_is_not_known_leads_nowhere() {
        let row = json!({"symbol": "M&M", "sector": null, "job_id": 7});
        let row = row.as_object().unwrap();
        assert_eq!(filled("company/{symbol}", row).as_deref(), Some("company/M%26M"));
        assert_eq!(filled("committee/run?job_id={job_id}", row).as_deref(), Some("committee/run?job_id=7"));
        assert_eq!(filled("screener?sector={sector}", row), None);
        assert_eq!(filled("x/{nothing}", row), None);
    }
}
