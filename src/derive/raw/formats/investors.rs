//! The institutional investors that are followed: a list of `cik,investor,style`.

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::columns::NamedColumns;
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{Format, Layout, US};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::records::table_row::TableRecord;
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};
use crate::derive::raw::text::cik;

/// Institutions that are followed where no list says which: as many as the largest by their newest portfolio.
pub(crate) const FOLLOWED: usize = 14;

/// An institutional investor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Investor {
    /// The number under which it files.
    pub(crate) cik: u64,
    /// Its name.
    pub(crate) name: String,
    /// How it invests.
    pub(crate) style: Option<String>,
}

pub(crate) struct InvestorFile {
    cik: usize,
    name: usize,
    style: usize,
}

impl InvestorFile {
    pub(crate) fn of(header: &HeaderLine) -> Option<Self> {
        Some(Self {
            cik: header.column(&["CIK"])?,
            name: header.column(&["INVESTOR", "NAME"])?,
            style: header.column(&["STYLE"])?,
        })
    }
}

impl RecordFile for InvestorFile {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        Ok(Box::new(Investor {
            cik: cik::number(record.cell(self.cik)).ok_or(Reason::NoFiler)?,
            name: record.words(self.name).ok_or(Reason::NoFiler)?,
            style: record.words(self.style),
        }))
    }

    fn symbol(&self) -> usize {
        self.cik
    }
}

impl RawRecord for Investor {
    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl TableRecord for Investor {
    const TABLE: &'static str = "investors";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::of(rows)
            .made_text("cik", |investor| cik::text(investor.cik))
            .text("investor", |investor| Some(&investor.name))
            .text("style", |investor| investor.style.as_deref())
            .done()
    }
}

/// Institutions that are followed.
pub(super) static INVESTORS: Format = Format {
    recognise: |head| Layout::records(InvestorFile::of(head.header)),
    table: Some(Investor::TABLE),
    ..Format::new("institutional investors", US)
};
