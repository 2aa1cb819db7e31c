//! Links of values: a symbol to its company, a sector to its stocks. `{column}` in an address is replaced by the value of that column.

use super::page_rows::{PageRow, text};
use super::part_view::PartView;
use super::request::segment;
use parquote_picture::sheet::NO_SECTOR;

/// Columns that are links in every table.
const LINKED_COLUMNS: [(&str, &str); 4] = [
    ("symbol", "company/{symbol}"),
    ("sector", "screener?sector={sector}"),
    ("industry", "screener?industry={industry}"),
    ("preset", "presets/start?preset={preset}"),
];

/// Returns the address to which a value links, by the links of its table, then by those of all tables; `None` if it is not a link.
pub(super) fn value_address(
    view: PartView<'_>,
    column: &str,
    row: &PageRow,
    table_links: &[(String, String)],
) -> Option<String> {
    let request = view.request;
    // These rows are sectors, though their column is called `industry`.
    if column == "industry" && text(row, "grouped_by") == "sector" {
        return fill_address("screener?sector={industry}", row).map(|path| request.market_address(&path));
    }
    // The symbol of a benchmark may be that of a fund, which has no page.
    let has_no_page = |symbol: &str| view.snapshot.has_symbol(request.market, symbol) == Some(false);
    if column == "symbol" && has_no_page(text(row, column)) {
        return None;
    }
    // A run that writes rows has no preset.
    if column == "preset" && text(row, column) == "write" {
        return None;
    }
    let table_links = table_links.iter().map(|(column, pattern)| (column.as_str(), pattern.as_str()));
    let (_, pattern) = table_links.chain(LINKED_COLUMNS).find(|(linked, _)| *linked == column)?;
    fill_address(pattern, row).map(|path| request.market_address(&path))
}

/// Returns the path of a company's page, below the market.
pub(super) fn company(symbol: &str) -> String {
    format!("company/{}", segment(symbol))
}

/// Fills the values of a row into an address; `None` if one of them is unknown.
pub fn fill_address(pattern: &str, row: &PageRow) -> Option<String> {
    with_values(pattern, row, segment)
}

/// Fills the values of a row into a text; empty if one of them is unknown. A value that is true adds nothing, and one that is false counts
/// as unknown, so that a text can depend on it.
pub fn fill_words(pattern: &str, row: &PageRow) -> String {
    with_values(pattern, row, str::to_owned).unwrap_or_default()
}

fn with_values(pattern: &str, row: &PageRow, write: fn(&str) -> String) -> Option<String> {
    let mut path = String::new();
    let mut rest = pattern;
    while let Some((before, rest_of_pattern)) = rest.split_once('{') {
        let (name, after) = rest_of_pattern.split_once('}')?;
        let value = match row.get(name)? {
            serde_json::Value::String(text) if !text.is_empty() && text != NO_SECTOR => text.clone(),
            serde_json::Value::Number(number) => number.to_string(),
            serde_json::Value::Bool(true) => String::new(),
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
        assert_eq!(fill_address("company/{symbol}", row).as_deref(), Some("company/M%26M"));
        assert_eq!(
            fill_address("committee/run?job_id={job_id}", row).as_deref(),
            Some("committee/run?job_id=7")
        );
        assert_eq!(fill_address("screener?sector={sector}", row), None);
        assert_eq!(fill_address("x/{nothing}", row), None);
        let row = json!({"saved": true, "works": false, "provider": "groq"});
        let row = row.as_object().unwrap();
        assert_eq!(fill_words("{saved}The key of {provider} is saved.", row), "The key of groq is saved.");
        assert_eq!(fill_words("{works}It works.", row), "");
    }
}
