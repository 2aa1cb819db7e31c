//! The documents that a list of a company's filings names: those of the declared forms, and of the declared items of Form 8-K.
//!
//! A Form 8-K is fetched as the whole submission, which has its exhibits; of other forms the main document alone is fetched, because their
//! submissions repeat every figure as data. Amendments that are no declared form, and filings in the older lists of a company, are skipped.

use chrono::NaiveDate;
use serde::Deserialize;

use super::path_template::{PathTemplate, Placeholder, Values};

/// The form that is fetched with its exhibits.
const WITH_EXHIBITS: &str = "8-K";

/// Number of characters of an accession number, such as 0000320193-26-000071.
const ACCESSION_CHARACTERS: usize = 20;
/// Longest symbol, and longest name of a document.
const LONGEST_SYMBOL: usize = 12;
const LONGEST_DOCUMENT_NAME: usize = 100;

/// The forms and items of the documents to fetch, and the template of their URLs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilingListRules {
    /// URL of a document: `{each}` is the company's number without zeros before it, `{name}` the path of the document.
    url: PathTemplate,
    forms: Vec<String>,
    /// Items of Form 8-K; a filing needs one of them.
    #[serde(default)]
    items: Vec<String>,
    /// Usual number of documents of a company in a year, for plans before its list is fetched.
    #[serde(default = "default_yearly")]
    pub(crate) yearly: u64,
}

const fn default_yearly() -> u64 {
    16
}

/// A document to fetch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FiledDocument {
    /// The company's symbol or CIK, then form, accession number and day: `ALFA/8-K_000000007726000071_2026-08-05.txt`.
    pub(crate) name: String,
    /// The day on which it was filed.
    pub(crate) date: NaiveDate,
    /// Its official URL.
    pub(crate) url: String,
    /// Its length in bytes; `None` if the list does not state it.
    pub(crate) bytes: Option<u64>,
}

/// A list of filings in the format of the SEC's API.
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

/// Columns of equal length, one position for each filing.
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

/// Returns the day in the name of a document; `None` for other names.
pub(crate) fn date_in(name: &str) -> Option<NaiveDate> {
    name.split(['_', '.']).rev().nth(1)?.parse().ok()
}

impl FilingListRules {
    /// Checks the declaration.
    pub(crate) fn check(&self) -> Result<(), String> {
        let has_placeholders = self.url.has(Placeholder::Each) && self.url.has(Placeholder::Name);
        if has_placeholders { Ok(()) } else { Err("`filed.url` needs {each} and {name}".to_owned()) }
    }

    /// Returns the template of a document's URL.
    pub(crate) fn url(&self) -> &str {
        self.url.text()
    }

    /// Returns the documents to fetch from a list, in the order of the list.
    ///
    /// # Errors
    /// The bytes are not a list of filings.
    pub(crate) fn documents_in_list(&self, list: &[u8]) -> Result<Vec<FiledDocument>, String> {
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
            let main = filings.primary_document.get(at).filter(|_| form != WITH_EXHIBITS);
            let main = main.map(|main| without_style(main)).and_then(|main| Some((main, ending_of(main)?)));
            let (path, ending, bytes) = match main {
                Some((main, ending)) => (format!("{plain}/{main}"), ending, None),
                None => (format!("{accession}.txt"), "txt", filings.size.get(at).copied()),
            };
            let url = self.url.fill(&Values { each: cik, name: &path, ..Values::default() })?;
            Some(FiledDocument {
                name: format!("{owner}/{}_{plain}_{date}.{ending}", form.replace('/', "-")),
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

/// Returns the name of the XML behind a page that the SEC makes of it, such as `xslFormNPORT-P_X01/primary_doc.xml`.
fn without_style(name: &str) -> &str {
    name.split_once('/').filter(|(folder, _)| folder.starts_with("xsl")).map_or(name, |(_, name)| name)
}

/// Returns the ending of the saved file of a page or of XML; `None` for other names, and those that are not safe in a URL.
fn ending_of(name: &str) -> Option<&'static str> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let is_safe =
        (1..=LONGEST_DOCUMENT_NAME).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(fits);
    let ending = name.rsplit('.').next().filter(|_| is_safe)?;
    let endings = [("htm", "htm"), ("html", "htm"), ("xml", "xml")];
    endings.into_iter().find(|(written, _)| written.eq_ignore_ascii_case(ending)).map(|(_, saved)| saved)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the documents of an invented list with one filing.
    fn read(tickers: &str, filing: &[(&str, &str)]) -> Vec<FiledDocument> {
        let filed: FilingListRules = toml::from_str(
            "url = \"https://files.test/data/{each}/{name}\"\nforms = [\"8-K\", \"10-Q\", \"N/A\"]\nitems = [\"2.02\", \"8.01\"]",
        )
        .unwrap();
        let columns: Vec<String> =
            filing.iter().map(|(name, value)| format!("\"{name}\":[{value}]")).collect();
        let list = format!(
            "{{\"cik\":\"0000000077\",\"tickers\":[{tickers}],\"filings\":{{\"recent\":{{{}}}}}}}",
            columns.join(",")
        );
        filed.documents_in_list(list.as_bytes()).unwrap()
    }

    const QUARTER: [(&str, &str); 4] = [
        ("accessionNumber", "\"0000000077-26-000071\""),
        ("form", "\"10-Q\""),
        ("filingDate", "\"2026-08-05\""),
        ("primaryDocument", "\"alfa-20260630.htm\""),
    ];

    fn with_column(name: &'static str, value: &'static str) -> Vec<(&'static str, &'static str)> {
        let changed = QUARTER.into_iter().filter(|(column, _)| *column != name);
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
        let mut current = with_column("form", "\"8-K\"");
        current.extend([("items", "\"2.02,9.01\""), ("size", "4321")]);
        let current = read("\"ALFA\"", &current).remove(0);
        assert_eq!((current.url.as_str(), current.bytes), (whole, Some(4321)));
        assert_eq!(current.name, "ALFA/8-K_000000007726000071_2026-08-05.txt");
        // An old filing has no page, and a company may have no symbol.
        for main in ["\"\"", "\"a.txt\"", "\"../x.htm\"", "\"a/b.htm\"", "\"xsl/../b.xml\""] {
            let old = read("", &with_column("primaryDocument", main)).remove(0);
            assert_eq!(
                (old.url.as_str(), old.name.as_str()),
                (whole, "cik77/10-Q_000000007726000071_2026-08-05.txt")
            );
        }
    }

    #[test]
    fn the_xml_of_a_form_is_taken_rather_than_the_page_made_of_it() {
        let mut holdings = with_column("form", "\"N/A\"");
        holdings.retain(|(column, _)| *column != "primaryDocument");
        holdings.push(("primaryDocument", "\"xslFormN_X01/primary_doc.xml\""));
        let found = read("\"ALFA\"", &holdings).remove(0);
        assert_eq!(found.url, "https://files.test/data/77/000000007726000071/primary_doc.xml");
        assert_eq!(found.name, "ALFA/N-A_000000007726000071_2026-08-05.xml", "a form is no folder");
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
            assert_eq!(read("\"ALFA\"", &with_column(name, value)), [], "{name} {value}");
        }
        let mut other = with_column("form", "\"8-K\"");
        other.push(("items", "\"5.02, 12.02\""));
        assert_eq!(read("\"ALFA\"", &other), []);
        assert!(read("\"../A\"", &QUARTER)[0].name.starts_with("cik77/"), "no name climbs");
        let filed = FilingListRules {
            url: "https://a/{each}".to_owned().try_into().unwrap(),
            forms: vec![],
            items: vec![],
            yearly: 1,
        };
        assert!(
            filed.check().is_err()
                && filed.documents_in_list(b"<html>").is_err()
                && filed.documents_in_list(b"{}").is_err()
        );
    }
}
