//! Filings with the SEC: a company's list of submissions, and the indexes of EDGAR.
//!
//! Both have form, date and filer; only the list has the period of a filing. Dates and times stay as the SEC writes them, in New York time.
//! Filers are matched to symbols after all files are read.

use chrono::NaiveDate;
use serde::Deserialize;

use crate::domain::provenance::Provenance;
use crate::records::columns::NamedColumns;
use crate::records::positioned_row::RecordPosition;
use crate::records::table_row::TableRecord;
use crate::reference_data::ReferenceData;
use parquote_encodings::text::{cik, filing_items};

/// A submission of a company.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Filing {
    /// The main symbol of the filer; empty until it is known.
    #[serde(skip)]
    pub(crate) symbol: String,
    pub(crate) cik: u64,
    pub(crate) accession: String,
    /// The form, such as `8-K` or `10-K/A`.
    pub(crate) form: String,
    pub(crate) filed_on: NaiveDate,
    /// The time of acceptance by the SEC, such as `2026-10-29T16:42:36`.
    pub(crate) accepted_at: Option<String>,
    /// The end of the reported period, or the day of the event.
    pub(crate) report_date: Option<NaiveDate>,
    /// Numbers of the items of an 8-K, such as `2.02,9.01`.
    pub(crate) items: Option<String>,
    /// The title, made of form, items and description.
    #[serde(skip)]
    pub(crate) title: String,
    /// The description of the document; `None` after the title is made.
    description: Option<String>,
    /// The URL of the document.
    pub(crate) url: Option<String>,
    #[serde(skip)]
    pub(crate) source: Provenance,
    /// The SIC code of the filer, if the list has it.
    pub(crate) sic: Option<u16>,
}

impl Filing {
    /// Stores the filing with its title.
    pub(super) fn store(mut self, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        let (items, description) = (self.items.as_deref(), self.description.take());
        self.title = filing_items::title(&self.form, items, self.report_date, description.as_deref());
        self.source.clone_from(at.provenance);
        self.sic.into_iter().for_each(|sic| into.sectors.add_sic(self.cik, sic));
        into.records.add(self, at);
    }
}

impl TableRecord for Filing {
    const TABLE: &'static str = "sec_filings";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::for_rows(rows)
            .text("symbol", |filing| Some(&filing.symbol))
            .computed_text("cik", |filing| cik::text(filing.cik))
            .text("form", |filing| Some(&filing.form))
            .date("filed_on", |filing| Some(filing.filed_on))
            .text("accepted_at", |filing| filing.accepted_at.as_deref())
            .date("report_date", |filing| filing.report_date)
            .text("title", |filing| Some(&filing.title))
            .text("items", |filing| filing.items.as_deref())
            .text("accession", |filing| Some(&filing.accession))
            .text("document", |filing| filing.url.as_deref())
            .text("source", |filing| filing.source.words())
            .finish()
    }
}
