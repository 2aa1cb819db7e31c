//! Filings with the SEC: a company's list of submissions, and the indexes of EDGAR.
//!
//! Both say form, date and filer; only the list says what a filing reports on. Dates and times stay as the SEC writes them, in
//! the time of New York. Which filer has which symbol is decided when all files are read.

use chrono::NaiveDate;

use crate::derive::raw::domain::provenance::Provenance;
use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::columns::NamedColumns;
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{Format, Layout, US};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::records::table_row::TableRecord;
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};
use crate::derive::raw::text::{accession, cik, dates, filing_items};

/// A submission of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filing {
    /// The main symbol of the filer; empty until it is known.
    pub(crate) symbol: String,
    /// The filer.
    pub(crate) cik: u64,
    /// The accession number.
    pub(crate) accession: String,
    /// The form, as `8-K` or `10-K/A`.
    pub(crate) form: String,
    /// The day of filing.
    pub(crate) filed_on: NaiveDate,
    /// When the SEC accepted it, `2026-10-29T16:42:36`.
    pub(crate) accepted_at: Option<String>,
    /// The end of the period that it reports on, or the day of the event.
    pub(crate) report_date: Option<NaiveDate>,
    /// Numbers of the items of an 8-K, as `2.02,9.01`.
    pub(crate) items: Option<String>,
    /// What it is, in words.
    pub(crate) title: String,
    /// Where it lies.
    pub(crate) url: Option<String>,
    /// Where the row is from.
    pub(crate) source: Provenance,
    /// The industry under which the filer is classified, where the list says it.
    pub(crate) sic: Option<u16>,
}

pub(crate) struct FilingFile {
    cik: usize,
    form: usize,
    filed_on: usize,
    accession: Option<usize>,
    accepted_at: Option<usize>,
    report_date: Option<usize>,
    items: Option<usize>,
    document: Option<usize>,
    description: Option<usize>,
    sic: Option<usize>,
    /// The path in the archives, which indexes have.
    file: Option<usize>,
    /// The filer of a list that does not say it, from its name.
    of_name: Option<u64>,
}

impl FilingFile {
    pub(crate) fn of(header: &HeaderLine, name: &str) -> Option<Self> {
        let (accession, file) =
            (header.column(&["ACCESSIONNUMBER"]), header.column(&["FILE NAME", "FILENAME"]));
        accession.or(file)?;
        let digits = name.strip_prefix("CIK").and_then(|rest| rest.get(..10));
        Some(Self {
            cik: header.column(&["CIK"])?,
            form: header.column(&["FORM", "FORM TYPE"])?,
            filed_on: header.column(&["FILINGDATE", "DATE FILED"])?,
            accession,
            accepted_at: header.column(&["ACCEPTANCEDATETIME"]),
            report_date: header.column(&["REPORTDATE"]),
            items: header.column(&["ITEMS"]),
            document: header.column(&["PRIMARYDOCUMENT"]),
            description: header.column(&["PRIMARYDOCDESCRIPTION"]),
            sic: header.column(&["SIC"]),
            file,
            of_name: digits.and_then(|digits| cik::number(digits.as_bytes())),
        })
    }

    /// Where the filing lies: the document itself, else the submission's text.
    fn url(&self, record: &CellRecord, cik: u64, accession: &str) -> Option<String> {
        const ARCHIVES: &str = "https://www.sec.gov/Archives";
        let text = |column: Option<usize>| column.and_then(|column| record.text(column));
        let document = text(self.document)
            .map(|document| format!("{ARCHIVES}/edgar/data/{cik}/{}/{document}", accession.replace('-', "")));
        document.or_else(|| text(self.file).map(|file| format!("{ARCHIVES}/{file}")))
    }
}

impl RecordFile for FilingFile {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let text = |column: Option<usize>| column.and_then(|column| record.text(column));
        let form = record.text(self.form).ok_or(Reason::NoForm)?.to_owned();
        let cik = cik::number(record.cell(self.cik)).or(self.of_name).ok_or(Reason::NoFiler)?;
        let accession = text(self.accession)
            .and_then(accession::in_cell)
            .or_else(|| text(self.file).and_then(accession::in_path))
            .ok_or(Reason::NoAccession)?;
        let items = text(self.items).map(|items| items.replace(' ', ""));
        let report_date = text(self.report_date).and_then(|cell| dates::in_cell(cell.as_bytes()));
        Ok(Box::new(Filing {
            symbol: String::new(),
            cik,
            url: self.url(record, cik, &accession),
            accession,
            filed_on: dates::in_cell(record.cell(self.filed_on)).ok_or(Reason::BadDate)?,
            accepted_at: text(self.accepted_at).map(|time| time.get(..19).unwrap_or(time).to_owned()),
            report_date,
            title: filing_items::title(&form, items.as_deref(), report_date, text(self.description)),
            form,
            items,
            source: Provenance::default(),
            sic: text(self.sic).and_then(|cell| cell.parse().ok()),
        }))
    }

    fn symbol(&self) -> usize {
        self.accession.or(self.file).unwrap_or(self.cik)
    }
}

impl RawRecord for Filing {
    fn date(&self) -> Option<NaiveDate> {
        Some(self.filed_on)
    }

    fn keep(mut self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        self.source.clone_from(at.provenance);
        self.sic.into_iter().for_each(|sic| into.sectors.add_sic(self.cik, sic));
        into.records.add(*self, at);
    }
}

impl TableRecord for Filing {
    const TABLE: &'static str = "sec_filings";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::of(rows)
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

/// Filings with the SEC.
pub(super) static FILINGS: Format = Format {
    recognise: |head| Layout::records(FilingFile::of(head.header, head.name())),
    table: Some(Filing::TABLE),
    ..Format::new("SEC filings", US)
};
