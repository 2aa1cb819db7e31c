//! The SEC's `company_tickers.json`, an object of numbered objects, and `company_tickers_exchange.json`, which has arrays of cells.
//!
//! Rows are in the file's order, in which a company's main class of shares comes first.

use std::io::{self, Read};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::documents::json;
use crate::documents::put_rows::DocumentRows;
use crate::json_rows::value_as_cell;

pub(super) const COLUMNS: [&str; 3] = ["CIK_STR", "TICKER", "TITLE"];

/// Returns true if a JSON object starts like one of these lists.
pub(super) fn detect(head: &str) -> bool {
    let text: String = head.chars().take(400).filter(|c| !c.is_whitespace()).collect();
    text.starts_with("{\"0\":{\"cik_str\":") || text.starts_with("{\"fields\":[\"cik\"")
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Tickers {
    Columnar { fields: Vec<String>, data: Vec<Vec<Value>> },
    Numbered(Map<String, Value>),
}

pub(super) fn rows(reader: &mut dyn Read, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    match json::read(reader)? {
        Tickers::Columnar { fields, data } => {
            let index = |names: &[&str]| fields.iter().position(|field| names.contains(&field.as_str()));
            let columns = [index(&["cik"]), index(&["ticker"]), index(&["name", "title"])];
            for company in &data {
                let cells =
                    columns.map(|column| value_as_cell(column.and_then(|column| company.get(column))));
                if !rows.push_row(&cells) {
                    break;
                }
            }
        }
        Tickers::Numbered(companies) => {
            let mut companies: Vec<(u64, &Value)> = companies
                .iter()
                .filter_map(|(number, company)| Some((number.parse().ok()?, company)))
                .collect();
            companies.sort_by_key(|(number, _)| *number);
            for (_, company) in companies {
                let cells = ["cik_str", "ticker", "title"].map(|name| value_as_cell(company.get(name)));
                if !rows.push_row(&cells) {
                    break;
                }
            }
        }
    }
    Ok(())
}
