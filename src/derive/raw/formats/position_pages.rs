//! The pages before the lines in the SEC's data sets of Form 13F (`2023q4_form13f.zip`): `SUBMISSION.tsv`, `COVERPAGE.tsv` and
//! `SUMMARYPAGE.tsv`.
//!
//! A submission is a cover as positions have it; who the manager is, and whether an amendment adds holdings, the cover page says.

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::formats::positions::{self, Cover, CoverColumns, InvestorPosition};
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{FileHead, Format, Layout, US};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::records::table_row::TableRecord;
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::text::accession;
use crate::derive::raw::text::cells::{self, CellRecord, HeaderLine};

/// What the cover page of a report says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoverPage {
    pub(crate) accession: String,
    pub(crate) manager: Option<String>,
    /// Whether it is an amendment with holdings that were left out.
    pub(crate) adds: bool,
}

/// What all lines of a report are worth, as the filing writes it, dollars or thousands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReportTotal {
    pub(crate) accession: String,
    pub(crate) value: f64,
}

struct SubmissionPages(CoverColumns);

struct CoverPages {
    accession: usize,
    manager: usize,
    amendment: usize,
}

struct SummaryPages {
    accession: usize,
    value: usize,
}

impl RecordFile for SubmissionPages {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let cover: Cover = self.0.cover(record, None)?.ok_or(Reason::NoFiler)?;
        if cover.accession.is_none() {
            return Err(Reason::NoAccession);
        }
        Ok(Box::new(cover))
    }

    fn symbol(&self) -> usize {
        self.0.cik
    }
}

impl CoverPages {
    fn of(header: &HeaderLine) -> Option<Self> {
        let column = |name: &str| header.column(&[name]);
        Some(Self {
            accession: column("ACCESSION_NUMBER")?,
            manager: column("FILINGMANAGER_NAME")?,
            amendment: column("AMENDMENTTYPE")?,
        })
    }
}

impl RecordFile for CoverPages {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        Ok(Box::new(CoverPage {
            accession: record.text(self.accession).and_then(accession::in_cell).ok_or(Reason::NoAccession)?,
            manager: record.words(self.manager),
            adds: record.text(self.amendment).is_some_and(positions::adds_holdings),
        }))
    }

    fn symbol(&self) -> usize {
        self.manager
    }
}

impl SummaryPages {
    fn of(header: &HeaderLine) -> Option<Self> {
        let column = |name: &str| header.column(&[name]);
        Some(Self { accession: column("ACCESSION_NUMBER")?, value: column("TABLEVALUETOTAL")? })
    }
}

impl RecordFile for SummaryPages {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        Ok(Box::new(ReportTotal {
            accession: record.text(self.accession).and_then(accession::in_cell).ok_or(Reason::NoAccession)?,
            // A notice has no lines and leaves it open.
            value: match record.cell(self.value) {
                b"" => 0.0,
                cell => cells::number(cell).filter(|value| *value >= 0.0).ok_or(Reason::BadNumber)?,
            },
        }))
    }

    fn symbol(&self) -> usize {
        self.value
    }
}

impl RawRecord for CoverPage {
    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl RawRecord for ReportTotal {
    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

fn recognise(head: &FileHead<'_>) -> Option<Layout> {
    Layout::records(CoverColumns::of(head.header).map(SubmissionPages))
        .or_else(|| Layout::records(CoverPages::of(head.header)))
        .or_else(|| Layout::records(SummaryPages::of(head.header)))
}

/// The pages of reports in the SEC's data sets.
pub(super) static POSITION_PAGES: Format = Format {
    recognise,
    table: Some(InvestorPosition::TABLE),
    ..Format::new("institutional positions, pages of data sets", US)
};
