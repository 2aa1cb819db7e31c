//! The documents that a list of a company's filings names: those of the declared forms, and of the declared items of Form 8-K.
//!
//! A Form 8-K is fetched as the whole submission, which has its exhibits; of other forms the main document alone is fetched, because their
//! submissions repeat every figure as data. Amendments, and filings in the older lists of a company, are left out.

use chrono::NaiveDate;
use serde::Deserialize;

use super::path_template::{PathTemplate, Placeholder, Values};

/// Number of documents that most companies file in a year. A plan assumes it for a company whose list is not fetched yet.
pub(crate) const DOCUMENTS_A_YEAR: u64 = 16;

/// The form that is fetched with its exhibits.
const WITH_EXHIBITS: &str = "8-K";

/// Number of characters of an accession number, such as 0000320193-26-000071.
const ACCESSION_CHARACTERS: usize = 20;
/// Longest symbol, and longest name of a document.
const LONGEST_SYMBOL: usize = 12;
const LONGEST_DOCUMENT_NAME: usize = 100;

/// Rules for the documents to fetch from a list of filings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilingListRules {
    /// URL of a document: `{each}` is the company's number without zeros before it, `{name}` the path of the document.
    url: PathTemplate,
    forms: Vec<String>,
    /// Items of Form 8-K; a filing needs one of them.
    items: Vec<String>,
}

/// A document of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FiledDocument {
    /// Its symbol or number, then its form, accession number and day: `ALFA/8-K_000000007726000071_2026-08-05.txt`.
    pub(crate) name: String,
    /// The day on which it was filed.
    pub(crate) date: NaiveDate,
    /// Its official URL.
    pub(crate) url: String,
    /// Its size, if the list has it.
    pub(crate) bytes: Option<u64>,
}

/// A list of filings, as the SEC's API has it.
#[derive(Deserialize)]
struct CompanyList {
    cik: serde_json::Value,
    #[serde(default)]
    tickers: Vec<String>,
    filings: RecentFilings,
}

#[derive(Deserialize)]
struct RecentFilings {
    recent: FilingColumns,
}

/// Columns of equal length.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FilingColumns {
    accession_number: Vec<String>,
    form: Vec<String>,
    filing_date: Vec<NaiveDate>,
    #[serde(default)]
    items: Vec<String>,
    #[serde(default)]
    primary_document: Vec<String>,
    #[serde(default)]
    size: Vec<u64>,
}

/// Returns the name of a company's list in the manifest.
pub(crate) fn list_item(each: &str) -> String {
    format!("list {each}")
}

/// Returns the day in the name of a document.
pub(crate) fn date_in(name: &str) -> Option<NaiveDate> {
    name.split(['_', '.']).rev().nth(1)?.parse().ok()
}

impl FilingListRules {
    /// Checks the declaration.
    pub(crate) fn check(&self) -> Result<(), String> {
        let is_whole = self.url.has(Placeholder::Each) && self.url.has(Placeholder::Name);
        if is_whole { Ok(()) } else { Err("`filed.url` needs {each} and {name}".to_owned()) }
    }

    /// Returns the template of a document's URL.
    pub(crate) fn url(&self) -> &str {
        self.url.text()
    }

    /// Returns the documents of a list, in its order.
    ///
    /// # Errors
    /// The bytes are no list of filings.
    pub(crate) fn of_list(&self, list: &[u8]) -> Result<Vec<FiledDocument>, String> {
        let list: CompanyList =
            serde_json::from_slice(list).map_err(|error| format!("it is no list of filings: {error}"))?;
        let digits: String = list.cik.to_string().chars().filter(char::is_ascii_digit).collect();
        let cik = digits.trim_start_matches('0');
        let symbol = list.tickers.first().map(|ticker| ticker.to_uppercase());
        let owner = symbol.filter(|symbol| is_symbol(symbol)).unwrap_or_else(|| format!("cik{cik}"));
        let filings = list.filings.recent;
        let rows = filings.accession_number.iter().zip(&filings.form).zip(&filings.filing_date).enumerate();
        let documents = rows.filter_map(|(at, ((accession, form), date))| {
            let items = filings.items.get(at).map_or("", String::as_str);
            if !is_accession(accession) || !self.is_wanted(form, items) {
                return None;
            }
            let plain = accession.replace('-', "");
            let main = filings.primary_document.get(at).filter(|name| form != WITH_EXHIBITS && is_page(name));
            let (path, ending, bytes) = match main {
                Some(main) => (format!("{plain}/{main}"), "htm", None),
                None => (format!("{accession}.txt"), "txt", filings.size.get(at).copied()),
            };
            let url = self.url.fill(&Values { each: cik, name: &path, ..Values::default() })?;
            Some(FiledDocument {
                name: format!("{owner}/{form}_{plain}_{date}.{ending}"),
                date: *date,
                url,
                bytes,
            })
        });
        Ok(documents.collect())
    }

    fn is_wanted(&self, form: &str, items: &str) -> bool {
        let has_item = || items.split(',').any(|item| self.items.iter().any(|wanted| wanted == item.trim()));
        self.forms.iter().any(|wanted| wanted == form) && (form != WITH_EXHIBITS || has_item())
    }
}

fn is_symbol(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-');
    (1..=LONGEST_SYMBOL).contains(&text.len()) && !text.starts_with(['.', '-']) && text.bytes().all(fits)
}

fn is_accession(text: &str) -> bool {
    text.len() == ACCESSION_CHARACTERS && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// Returns true for the name of a page that is safe in a URL.
fn is_page(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let ending = name.rsplit('.').next().unwrap_or_default();
    (1..=LONGEST_DOCUMENT_NAME).contains(&name.len())
        && !name.starts_with('.')
        && name.bytes().all(fits)
        && ["htm", "html"].contains(&ending.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the documents of an invented list with one filing.
    fn read(tickers: &str, filing: &[(&str, &str)]) -> Vec<FiledDocument> {
        let filed: FilingListRules = toml::from_str(
            "url = \"https://files.test/data/{each}/{name}\"\nforms = [\"8-K\", \"10-Q\"]\nitems = [\"2.02\", \"8.01\"]",
        )
        .unwrap();
        let columns: Vec<String> =
            filing.iter().map(|(name, value)| format!("\"{name}\":[{value}]")).collect();
        let list = format!(
            "{{\"cik\":\"0000000077\",\"tickers\":[{tickers}],\"filings\":{{\"recent\":{{{}}}}}}}",
            columns.join(",")
        );
        filed.of_list(list.as_bytes()).unwrap()
    }

    const QUARTER: [(&str, &str); 4] = [
        ("accessionNumber", "\"0000000077-26-000071\""),
        ("form", "\"10-Q\""),
        ("filingDate", "\"2026-08-05\""),
        ("primaryDocument", "\"alfa-20260630.htm\""),
    ];

    fn with(name: &'static str, value: &'static str) -> Vec<(&'static str, &'static str)> {
        let changed = QUARTER.into_iter().filter(|(known, _)| *known != name);
        changed.chain([(name, value)]).collect()
    }

    #[test]
    fn reports_are_their_main_document_and_current_reports_their_submission() {
        let date = NaiveDate::from_ymd_opt(2026, 8, 5).unwrap();
        let report = FiledDocument {
            name: "ALFA/10-Q_000000007726000071_2026-08-05.htm".to_owned(),
            date,
            url: "https://files.test/data/77/000000007726000071/alfa-20260630.htm".to_owned(),
            bytes: None,
        };
        assert_eq!(date_in(&report.name), Some(date));
        assert_eq!(read("\"alfa\",\"ALFB\"", &QUARTER), [report]);
        let whole = "https://files.test/data/77/0000000077-26-000071.txt";
        let mut current = with("form", "\"8-K\"");
        current.extend([("items", "\"2.02,9.01\""), ("size", "4321")]);
        let current = read("\"ALFA\"", &current).remove(0);
        assert_eq!((current.url.as_str(), current.bytes), (whole, Some(4321)));
        assert_eq!(current.name, "ALFA/8-K_000000007726000071_2026-08-05.txt");
        // An old filing has no page, and a company may have no symbol.
        for main in ["\"\"", "\"a.txt\"", "\"../x.htm\"", "\"a/b.htm\""] {
            let old = read("", &with("primaryDocument", main)).remove(0);
            assert_eq!(
                (old.url.as_str(), old.name.as_str()),
                (whole, "cik77/10-Q_000000007726000071_2026-08-05.txt")
            );
        }
    }

    #[test]
    fn other_forms_and_items_are_left_out() {
        for (name, value) in [
            ("form", "\"10-Q/A\""),
            ("form", "\"4\""),
            ("form", "\"8-K\""),
            ("accessionNumber", "\"../../../0000000077\""),
            ("accessionNumber", "\"\""),
        ] {
            assert_eq!(read("\"ALFA\"", &with(name, value)), [], "{name} {value}");
        }
        let mut other = with("form", "\"8-K\"");
        other.push(("items", "\"5.02, 12.02\""));
        assert_eq!(read("\"ALFA\"", &other), []);
        assert!(read("\"../A\"", &QUARTER)[0].name.starts_with("cik77/"), "no name climbs");
        let filed = FilingListRules {
            url: "https://a/{each}".to_owned().try_into().unwrap(),
            forms: vec![],
            items: vec![],
        };
        assert!(filed.check().is_err() && filed.of_list(b"<html>").is_err() && filed.of_list(b"{}").is_err());
    }
}
