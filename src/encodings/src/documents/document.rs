//! Converts files that are one document to rows, so that the readers of rows can process them.
//!
//! A document is recognised by its first bytes, running text by its folder. Each kind has a fixed header, mostly with the
//! names that the SEC gives the same fields in its data sets, so that the same code reads those (and CSV files with such a header). A cell
//! is the document's text; nothing is validated here.

use std::io::{self, Read};
use std::sync::OnceLock;

use csv::ByteRecord;

use crate::documents::put_rows::DocumentRows;
use crate::documents::{
    company_facts, data_set, data_sheet, edgar_index, filed_text, form13f, fund_holdings, ownership, pdf,
    results, shareholding, submission_text, submissions, symbol_directory, tickers,
};
use crate::text::cells::{CellRecord, HeaderLine};
use crate::unpack_bounds::{self, DOCUMENT};

/// A kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawDocument {
    /// The SEC's list of CIKs and symbols.
    Tickers,
    /// A company's filings from the SEC's API.
    Submissions,
    /// An index of EDGAR filings, with fields in columns or separated by `|`.
    EdgarIndex,
    /// Form 3, 4 or 5.
    Ownership,
    /// Form 13F: cover, information table or both.
    Form13F,
    /// Form N-PORT: the holdings of a fund.
    FundHoldings,
    /// The SEC's company facts.
    CompanyFacts,
    /// `num.txt` of the SEC's financial-statement data sets.
    DataSetFigures,
    /// `sub.txt` of the same data sets.
    DataSetFilings,
    /// Results of an Indian company in XBRL.
    Results,
    /// A shareholding pattern of an Indian company in XBRL.
    Shareholding,
    /// A workbook with a sheet of statements.
    DataSheet,
    /// Nasdaq's symbol directory.
    SymbolDirectory,
    /// Running text: any file in a folder for documents, whatever its first bytes.
    FiledText,
}

impl RawDocument {
    /// Returns the kind of document that starts with these bytes, if any.
    pub(crate) fn detect(head: &[u8]) -> Option<Self> {
        if is_workbook(head) {
            return Some(Self::DataSheet);
        }
        let head = decode_text(head.to_vec());
        let head = head.trim_start_matches('\u{feff}').trim_start();
        match head.chars().next()? {
            '{' if tickers::detect(head) => Some(Self::Tickers),
            '{' if submissions::detect(head) => Some(Self::Submissions),
            '{' if company_facts::detect(head) => Some(Self::CompanyFacts),
            'a' if data_set::has_figures(head) => Some(Self::DataSetFigures),
            'a' if data_set::has_filings(head) => Some(Self::DataSetFilings),
            '<' | '-' => {
                let by_form = submission_text::form_of(head).and_then(kind_of_form);
                by_form.or_else(|| kind_of_root(root_name(head)?, head))
            }
            _ if symbol_directory::detect(head) => Some(Self::SymbolDirectory),
            _ => edgar_index::detect(head).then_some(Self::EdgarIndex),
        }
    }

    /// Returns true if a whole file is of this kind; false for workbooks of other programs, which have the same first bytes.
    ///
    /// # Errors
    /// As `data_sheet::has_sheet`.
    pub(crate) fn matches_whole(self, whole: &[u8]) -> io::Result<bool> {
        if self == Self::DataSheet { data_sheet::has_sheet(whole) } else { Ok(true) }
    }

    /// Returns the names of the columns.
    pub(crate) fn header(self) -> HeaderLine {
        static HEADERS: [OnceLock<HeaderLine>; 14] = [const { OnceLock::new() }; 14];
        let names: &[&str] = match self {
            Self::Tickers => &tickers::COLUMNS,
            Self::Submissions => &submissions::COLUMNS,
            Self::EdgarIndex => &edgar_index::COLUMNS,
            Self::Ownership => &ownership::COLUMNS,
            Self::Form13F => &form13f::COLUMNS,
            Self::FundHoldings => &fund_holdings::COLUMNS,
            Self::CompanyFacts => &company_facts::COLUMNS,
            Self::DataSetFigures => &data_set::FIGURES,
            Self::DataSetFilings => &data_set::FILINGS,
            Self::Results => &results::COLUMNS,
            Self::Shareholding => &shareholding::COLUMNS,
            Self::DataSheet => &data_sheet::COLUMNS,
            Self::SymbolDirectory => &symbol_directory::COLUMNS,
            Self::FiledText => &filed_text::COLUMNS,
        };
        let new = || HeaderLine::new(&ByteRecord::from(names));
        HEADERS.get(self as usize).map_or_else(new, |header| header.get_or_init(new).clone())
    }

    /// Passes each row to `each` until it returns false.
    ///
    /// # Errors
    /// A file that is not such a document; rows before the fault have been passed on.
    pub(crate) fn records(
        self,
        reader: &mut dyn Read,
        each: &mut dyn FnMut(&CellRecord) -> bool,
    ) -> io::Result<()> {
        let mut rows = DocumentRows { record: CellRecord::new(), line: 0, each };
        match self {
            Self::Tickers => tickers::rows(reader, &mut rows),
            Self::Submissions => submissions::rows(reader, &mut rows),
            Self::EdgarIndex => edgar_index::rows(&read_text(reader)?, &mut rows),
            Self::Ownership => ownership::rows(&read_text(reader)?, &mut rows),
            Self::Form13F => form13f::rows(&read_text(reader)?, &mut rows),
            Self::FundHoldings => fund_holdings::rows(&read_text(reader)?, &mut rows),
            Self::CompanyFacts => company_facts::push_rows(reader, &mut rows),
            Self::DataSetFigures => data_set::push_figures(reader, &mut rows),
            Self::DataSetFilings => data_set::push_filings(reader, &mut rows),
            Self::Results => results::rows(&read_text(reader)?, &mut rows),
            Self::Shareholding => shareholding::rows(&read_text(reader)?, &mut rows),
            Self::DataSheet => data_sheet::rows(reader, &mut rows),
            Self::SymbolDirectory => symbol_directory::rows(reader, &mut rows),
            Self::FiledText => {
                let bytes = unpack_bounds::read_whole(reader, filed_text::MOST_BYTES)?;
                if pdf::detect(&bytes) {
                    return filed_text::pdf_rows(bytes, &mut rows);
                }
                filed_text::rows(&decode_text(bytes), &mut rows)
            }
        }
    }
}

/// Returns true if bytes start like a workbook: an archive with a workbook's first members.
fn is_workbook(head: &[u8]) -> bool {
    let has = |name: &[u8]| head.windows(name.len()).any(|part| part == name);
    head.starts_with(b"PK\x03\x04") && (has(b"[Content_Types].xml") || has(b"xl/"))
}

/// Returns the document kind of a submission's form, if supported.
fn kind_of_form(form: &str) -> Option<RawDocument> {
    match form {
        "3" | "3/A" | "4" | "4/A" | "5" | "5/A" => Some(RawDocument::Ownership),
        "NPORT-P" | "NPORT-P/A" => Some(RawDocument::FundHoldings),
        form if form.starts_with("13F") => Some(RawDocument::Form13F),
        _ => None,
    }
}

/// Returns the kind of XML document with this root element.
fn kind_of_root(root: &str, head: &str) -> Option<RawDocument> {
    match root {
        "ownershipDocument" => Some(RawDocument::Ownership),
        "xbrl" if shareholding::detect(head) => Some(RawDocument::Shareholding),
        "xbrl" => Some(RawDocument::Results),
        "edgarSubmission" if fund_holdings::detect(head) => Some(RawDocument::FundHoldings),
        "informationTable" | "edgarSubmission" => Some(RawDocument::Form13F),
        _ => None,
    }
}

/// Returns the local name of the first element.
fn root_name(head: &str) -> Option<&str> {
    let mut rest = head;
    loop {
        let tag = rest.get(rest.find('<')? + 1..)?;
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.get(comment.find("-->")?..)?;
        } else if tag.starts_with(['?', '!']) {
            rest = tag;
        } else {
            let end = tag.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))?;
            let name = tag.get(..end)?;
            return Some(name.rsplit(':').next().unwrap_or(name));
        }
    }
}

fn read_text(reader: &mut dyn Read) -> io::Result<String> {
    Ok(decode_text(unpack_bounds::read_whole(reader, DOCUMENT)?))
}

/// Decodes UTF-8, or Latin-1 for older filings; a character cut off at the end of a head is replaced.
fn decode_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let is_cut = error.utf8_error().error_len().is_none();
        let bytes = error.into_bytes();
        if is_cut {
            String::from_utf8_lossy(&bytes).into_owned()
        } else {
            bytes.into_iter().map(char::from).collect()
        }
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns the kind and the rows of a document.
    pub(in crate::documents) fn read(text: &str) -> (RawDocument, Vec<String>) {
        let document = RawDocument::detect(text.as_bytes()).unwrap();
        let mut rows = Vec::new();
        let width = document.header().len();
        document
            .records(&mut text.as_bytes(), &mut |record| {
                assert!(record.fits(width));
                rows.push(record.source_text());
                true
            })
            .unwrap();
        (document, rows)
    }

    #[test]
    fn a_document_is_known_by_its_beginning() {
        for (head, kind) in [
            ("<?xml version=\"1.0\"?>\n<!-- a > b --><ownershipDocument>", Some(RawDocument::Ownership)),
            ("\n<n:informationTable xmlns:n='x'>", Some(RawDocument::Form13F)),
            ("<!DOCTYPE html><html><head>", None),
            ("<derivativeHolding><securityTitle>", None),
            ("{\"0\": {\"cik_str\": 5,", Some(RawDocument::Tickers)),
            ("{\"cik\":5,\"entityName\":\"A\",\"facts\":{", Some(RawDocument::CompanyFacts)),
            ("symbol,name\nA,B\n", None),
        ] {
            assert_eq!(RawDocument::detect(head.as_bytes()), kind, "{head}");
        }
    }

    #[test]
    fn tickers_keep_their_order() {
        let numbered = r#"{"0":{"cik_str":9,"ticker":"BB","title":"B"},"10":{"cik_str":8,"ticker":"C","title":"C"},"2":{"cik_str":9,"ticker":"BB-A","title":"B"}}"#;
        assert_eq!(read(numbered).1, ["9,BB,B", "9,BB-A,B", "8,C,C"]);
        let columnar = r#"{"fields":["cik","name","ticker","exchange"],"data":[[9,"B","BB","NYSE"],[10,"C",null,null]]}"#;
        assert_eq!(read(columnar).1, ["9,BB,B", "10,,C"]);
    }
}
