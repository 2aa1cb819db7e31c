//! The filings of a company from the SEC's API: `CIK##########.json`, and the files with older filings to which it refers.
//!
//! The lists are columns of equal length; other fields are not read.

use std::io::{self, Read};

use serde::Deserialize;

use crate::documents::json;
use crate::documents::put_rows::DocumentRows;

pub(super) const COLUMNS: [&str; 12] = [
    "CIK", "NAME", "TICKER", "ACCESSIONNUMBER", "FORM", "FILINGDATE", "ACCEPTANCEDATETIME", "REPORTDATE",
    "ITEMS", "PRIMARYDOCUMENT", "PRIMARYDOCDESCRIPTION", "SIC",
];

/// Returns true if a JSON object starts like such a file.
pub(super) fn detect(head: &str) -> bool {
    let is_company = head.contains("\"cik\"") && (head.contains("\"sic\"") || head.contains("\"filings\""));
    is_company || head.trim_start_matches('{').trim_start().starts_with("\"accessionNumber\"")
}

/// Columns of equal length, one position for each filing.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct FilingLists {
    accession_number: Vec<String>,
    form: Vec<String>,
    filing_date: Vec<String>,
    acceptance_date_time: Vec<String>,
    report_date: Vec<String>,
    items: Vec<String>,
    primary_document: Vec<String>,
    primary_doc_description: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Filings {
    recent: FilingLists,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SubmissionsFile {
    cik: NumberOrText,
    sic: Option<NumberOrText>,
    name: String,
    tickers: Vec<String>,
    filings: Filings,
    /// The columns of a file with older filings, which has them at its top level.
    #[serde(flatten)]
    older: FilingLists,
}

/// A code such as a CIK: a number in older files, a text in newer ones.
#[derive(Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Whole(u64),
    Text(String),
}

impl Default for NumberOrText {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl NumberOrText {
    fn into_text(self) -> String {
        match self {
            Self::Whole(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
}

pub(super) fn rows(reader: &mut dyn Read, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    let company: SubmissionsFile = json::read(reader)?;
    let cik = company.cik.into_text();
    let sic = company.sic.map(NumberOrText::into_text).unwrap_or_default();
    let ticker = company.tickers.first().map(String::as_str).unwrap_or_default();
    for lists in [&company.filings.recent, &company.older] {
        for at in 0..lists.accession_number.len() {
            let cell = |column: &'_ [String]| column.get(at).cloned().unwrap_or_default();
            let cells = [
                cik.clone(),
                company.name.clone(),
                ticker.to_owned(),
                cell(&lists.accession_number),
                cell(&lists.form),
                cell(&lists.filing_date),
                cell(&lists.acceptance_date_time),
                cell(&lists.report_date),
                cell(&lists.items),
                cell(&lists.primary_document),
                cell(&lists.primary_doc_description),
                sic.clone(),
            ];
            if !rows.push_row(&cells) {
                return Ok(());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::documents::document::tests::read;

    #[test]
    fn filings_stand_in_columns() {
        let recent = r#"{"cik":"9000000001","entityType":"operating","sic":"3711","name":"Alfa Inc.","tickers":["ALFA","ALFB"],
            "filings":{"recent":{"accessionNumber":["9000000001-26-000002","9000000001-26-000001"],"filingDate":["2026-10-29","2026-07-30"],
            "reportDate":["2026-10-28",""],"acceptanceDateTime":["2026-10-29T16:42:36.000Z",""],"form":["8-K","CORRESP"],"size":[1,2],
            "items":["2.02,9.01",""],"primaryDocument":["a8k.htm",""],"primaryDocDescription":["8-K",""]},"files":[]}}"#;
        assert_eq!(
            read(recent).1,
            [
                "9000000001,Alfa Inc.,ALFA,9000000001-26-000002,8-K,2026-10-29,2026-10-29T16:42:36.000Z,2026-10-28,2.02,9.01,a8k.htm,8-K,3711",
                "9000000001,Alfa Inc.,ALFA,9000000001-26-000001,CORRESP,2026-07-30,,,,,,3711",
            ]
        );
        let older =
            r#"{"accessionNumber":["9000000001-06-000002"],"filingDate":["2006-10-29"],"form":["10-K"]}"#;
        assert_eq!(read(older).1, [",,,9000000001-06-000002,10-K,2006-10-29,,,,,,"]);
    }
}
