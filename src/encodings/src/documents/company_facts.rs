//! The SEC's company facts: every figure that a company ever filed, by taxonomy, tag and unit, each with its filing.
//!
//! The whole file is held in memory; the largest have some ten thousand figures.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Read};

use chrono::NaiveDate;
use serde::Deserialize;
use serde_json::Value;

use crate::documents::json;
use crate::documents::put_rows::DocumentRows;
use crate::documents::statement_columns::{FIGURE_OF_COMPANY_FACTS, columns, has_years, is_foreign};
use crate::documents::statement_tags::{COVER, COVER_OF_FOREIGN};

pub(super) const COLUMNS: [&str; 12] = columns(FIGURE_OF_COMPANY_FACTS);

/// Returns true if a JSON object starts like company facts.
pub(super) fn detect(head: &str) -> bool {
    let text: String = head.chars().take(400).filter(|c| !c.is_whitespace()).collect();
    text.starts_with("{\"cik\":") && text.contains("\"facts\":{")
}

#[derive(Deserialize)]
struct CompanyFactsFile {
    cik: Value,
    facts: BTreeMap<String, BTreeMap<String, Concept>>,
}

#[derive(Deserialize)]
struct Concept {
    units: BTreeMap<String, Vec<FactFigure>>,
}

#[derive(Deserialize)]
struct FactFigure {
    #[serde(default)]
    start: Value,
    #[serde(default)]
    end: Value,
    #[serde(default)]
    val: Value,
    #[serde(default)]
    accn: Value,
    #[serde(default)]
    filed: Value,
    form: Option<String>,
}

pub(super) fn push_rows(reader: &mut dyn Read, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    let company: CompanyFactsFile = json::read(reader)?;
    let cik = value_as_cell(&company.cik);
    for (taxonomy, tags) in &company.facts {
        for (tag, concept) in tags {
            for (unit, figures) in &concept.units {
                for figure in figures {
                    let FactFigure { start, end, val, accn, filed, .. } = figure;
                    let [start, end, value, accession, filed] =
                        [start, end, val, accn, filed].map(value_as_cell);
                    // An end that is not a date is passed on; the reader of the row refuses it.
                    let duration = match (start.parse(), end.parse()) {
                        (Ok(start), Ok(end)) => quarters(Some(start), end),
                        (Err(_), Ok(end)) if start.is_empty() => quarters(None, end),
                        (_, Ok(_)) => "",
                        _ => "0",
                    };
                    let quarters = match duration {
                        "4" if figure.form.as_deref().is_some_and(|form| !has_years(form)) => "",
                        quarters => quarters,
                    };
                    let taxonomy = match figure.form.as_deref() {
                        Some(form) if taxonomy == COVER && is_foreign(form) => COVER_OF_FOREIGN,
                        _ => taxonomy.as_str(),
                    };
                    let filing_cells = ["", &*cik, "", &*accession, &*filed];
                    let figure_cells = [taxonomy, tag, &*end, quarters, "", unit, &*value];
                    if !rows.push_row(&filing_cells.into_iter().chain(figure_cells).collect::<Vec<&str>>()) {
                        return Ok(());
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns a value as a cell: texts unchanged, empty for null.
fn value_as_cell(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// Returns the number of quarters of a span, as data sets write it: `0` for a day; empty for spans other than one to four quarters.
///
/// Fiscal quarters of whole weeks have 12 to 14 weeks, years up to 53.
pub(super) fn quarters(start: Option<NaiveDate>, end: NaiveDate) -> &'static str {
    let Some(start) = start else { return "0" };
    match (end - start).num_days() + 1 {
        80..=102 => "1",
        168..=196 => "2",
        258..=287 => "3",
        345..=380 => "4",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::document::RawDocument;
    use crate::documents::document::tests::read;

    #[test]
    fn figures_are_rows_with_their_filing() {
        let text = r#"{"cik": 77, "entityName": "AROHI INC", "facts": {"us-gaap": {"Assets": {"label": "x", "description": "y",
            "units": {"USD": [{"end": "2024-12-31", "val": 5000, "accn": "0000000077-25-000001", "fy": 2024, "fp": "FY",
            "form": "10-K", "filed": "2025-02-20", "frame": "CY2024Q4I"}]}},
            "EarningsPerShareBasic": {"label": null, "description": null, "units": {"USD/shares": [
            {"start": "2024-01-01", "end": "2024-12-31", "val": 1.25, "accn": "0000000077-25-000001", "filed": "2025-02-20"},
            {"start": "2023-10-01", "end": "2024-09-30", "val": 1.5, "accn": "0000000077-24-000009", "form": "10-Q", "filed": "2024-11-01"},
            {"start": "2024-05-01", "end": "2024-12-31", "val": null, "accn": "0000000077-25-000001", "filed": "2025-02-20"}]}}}}}"#;
        let (kind, rows) = read(text);
        assert_eq!(kind, RawDocument::CompanyFacts);
        assert_eq!(
            rows,
            [
                ",77,,0000000077-25-000001,2025-02-20,us-gaap,Assets,2024-12-31,0,,USD,5000",
                ",77,,0000000077-25-000001,2025-02-20,us-gaap,EarningsPerShareBasic,2024-12-31,4,,USD/shares,1.25",
                ",77,,0000000077-24-000009,2024-11-01,us-gaap,EarningsPerShareBasic,2024-09-30,,,USD/shares,1.5",
                ",77,,0000000077-25-000001,2025-02-20,us-gaap,EarningsPerShareBasic,2024-12-31,,,USD/shares,",
            ]
        );
    }
}
