//! Filings with the SEC: a company's list of submissions, and the indexes of EDGAR.
//!
//! Both have form, date and filer; only the list has the period of a filing. Dates and times stay as the SEC writes them, in New York time.
//! Filers are matched to symbols when all files are read.

use chrono::NaiveDate;

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::provenance::Provenance;
use crate::domain::reason::Reason;
use crate::records::columns::NamedColumns;
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::records::table_row::TableRecord;
use crate::reference_data::ReferenceData;
use parquote_encodings::text::{accession, cik, filing_items};

/// A submission of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filing {
    /// The main symbol of the filer; empty until it is known.
    pub(crate) symbol: String,
    /// The filer.
    pub(crate) cik: u64,
    /// The accession number.
    pub(crate) accession: String,
    /// The form, such as `8-K` or `10-K/A`.
    pub(crate) form: String,
    /// The day of filing.
    pub(crate) filed_on: NaiveDate,
    /// The time of acceptance by the SEC, such as `2026-10-29T16:42:36`.
    pub(crate) accepted_at: Option<String>,
    /// The end of the reported period, or the day of the event.
    pub(crate) report_date: Option<NaiveDate>,
    /// Numbers of the items of an 8-K, such as `2.02,9.01`.
    pub(crate) items: Option<String>,
    /// Its title, in words.
    pub(crate) title: String,
    /// Its address.
    pub(crate) url: Option<String>,
    /// Source of the row.
    pub(crate) source: Provenance,
    /// The SIC code of the filer, if the list has it.
    pub(crate) sic: Option<u16>,
}

/// Returns the address of a filing: the document itself, else the text of the submission at a path in the archives.
fn url(cik: u64, accession: &str, document: Option<&str>, path: Option<&str>) -> Option<String> {
    const ARCHIVES: &str = "https://www.sec.gov/Archives";
    let document = document
        .map(|document| format!("{ARCHIVES}/edgar/data/{cik}/{}/{document}", accession.replace('-', "")));
    document.or_else(|| path.map(|path| format!("{ARCHIVES}/{path}")))
}

impl PlainRecord<11> for Filing {
    const RECORD: &'static str = "filing";
    const COLUMNS: [&'static str; 11] = [
        "accession text?",
        // The path in the archives, in indexes only.
        "path text?",
        // If a row lacks it, it is taken from the file's name.
        "cik text",
        "form text",
        "filed_on date",
        "accepted_at text?",
        "report_date date?",
        "items text?",
        "document text?",
        "description text?",
        "sic text?",
    ];
    const FILLS: Option<&'static str> = Some(Self::TABLE);

    fn from_cells(cells: [PlainCell<'_>; 11], file: &FileFacts) -> Result<Self, Reason> {
        let [accession, path, cik, form, filed_on, accepted_at, report_date, rest @ ..] = cells;
        let [items, document, description, sic] = rest;
        let form = form.owned().ok_or(Reason::NoForm)?;
        let of_name = || file.word.as_deref().and_then(|digits| cik::number(digits.as_bytes()));
        let cik = cik.cik().or_else(of_name).ok_or(Reason::NoFiler)?;
        let accession = accession
            .accession()
            .or_else(|| path.text().and_then(accession::in_path))
            .ok_or(Reason::NoAccession)?;
        let items = items.text().map(|items| items.replace(' ', ""));
        let report_date = report_date.date();
        Ok(Self {
            symbol: String::new(),
            cik,
            url: url(cik, &accession, document.text(), path.text()),
            accession,
            filed_on: filed_on.date().ok_or(Reason::BadDate)?,
            accepted_at: accepted_at.text().map(|time| time.get(..19).unwrap_or(time).to_owned()),
            report_date,
            title: filing_items::title(&form, items.as_deref(), report_date, description.text()),
            form,
            items,
            source: Provenance::default(),
            sic: sic.text().and_then(|cell| cell.parse().ok()),
        })
    }
}

impl RawRecord for Filing {
    fn date(&self) -> Option<NaiveDate> {
        Some(self.filed_on)
    }

    fn keep(mut self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        self.source.clone_from(at.provenance);
        self.sic.into_iter().for_each(|sic| into.sectors.add_sic(self.cik, sic));
        into.records.add(*self, at);
    }
}

impl TableRecord for Filing {
    const TABLE: &'static str = "sec_filings";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::for_rows(rows)
            .text("symbol", |filing| Some(&filing.symbol))
            .made_text("cik", |filing| cik::text(filing.cik))
            .text("form", |filing| Some(&filing.form))
            .date("filed_on", |filing| Some(filing.filed_on))
            .text("accepted_at", |filing| filing.accepted_at.as_deref())
            .date("report_date", |filing| filing.report_date)
            .text("title", |filing| Some(&filing.title))
            .text("items", |filing| filing.items.as_deref())
            .text("accession", |filing| Some(&filing.accession))
            .text("document", |filing| filing.url.as_deref())
            .text("source", |filing| filing.source.words())
            .done()
    }
}
