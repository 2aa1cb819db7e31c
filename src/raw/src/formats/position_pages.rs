//! The pages before the lines in the SEC's data sets of Form 13F (`2023q4_form13f.zip`): `SUBMISSION.tsv`, `COVERPAGE.tsv` and
//! `SUMMARYPAGE.tsv`.
//!
//! A submission is a cover as in positions; the manager, and whether an amendment adds holdings, is on the cover page.

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::formats::positions::{self, Cover, InvestorPosition};
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::records::table_row::TableRecord;
use crate::reference_data::ReferenceData;

/// The cover page of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoverPage {
    pub(crate) accession: String,
    pub(crate) manager: Option<String>,
    /// True if it is an amendment with omitted holdings.
    pub(crate) adds: bool,
}

/// Total value of all lines of a report, as filed, in dollars or thousands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReportTotal {
    pub(crate) accession: String,
    pub(crate) value: f64,
}

impl PlainRecord<7> for Cover {
    const RECORD: &'static str = "position cover";
    const COLUMNS: [&'static str; 7] = [
        "cik text",
        "accession text",
        "filed_on date",
        "form text",
        "report_date date",
        "amendment text?",
        "manager text?",
    ];
    const FILLS: Option<&'static str> = Some(InvestorPosition::TABLE);

    fn from_cells(cells: [PlainCell<'_>; 7], file: &FileFacts) -> Result<Self, Reason> {
        let cover = Self::in_cells(cells, file)?.ok_or(Reason::NoFiler)?;
        if cover.accession.is_none() { Err(Reason::NoAccession) } else { Ok(cover) }
    }
}

impl PlainRecord<3> for CoverPage {
    const RECORD: &'static str = "position cover page";
    const COLUMNS: [&'static str; 3] = ["manager text", "accession text", "amendment text"];
    const FILLS: Option<&'static str> = Some(InvestorPosition::TABLE);

    fn from_cells(
        [manager, accession, amendment]: [PlainCell<'_>; 3],
        _: &FileFacts,
    ) -> Result<Self, Reason> {
        Ok(Self {
            accession: accession.accession().ok_or(Reason::NoAccession)?,
            manager: manager.words(),
            adds: amendment.text().is_some_and(positions::adds_holdings),
        })
    }
}

impl PlainRecord<2> for ReportTotal {
    const RECORD: &'static str = "position total";
    const COLUMNS: [&'static str; 2] = ["value number", "accession text"];
    const FILLS: Option<&'static str> = Some(InvestorPosition::TABLE);

    fn from_cells([value, accession]: [PlainCell<'_>; 2], _: &FileFacts) -> Result<Self, Reason> {
        let accession = accession.accession().ok_or(Reason::NoAccession)?;
        // A notice has no lines and leaves the value empty.
        let value = match value.bytes() {
            b"" => 0.0,
            _ => value.number().filter(|value| *value >= 0.0).ok_or(Reason::BadNumber)?,
        };
        Ok(Self { accession, value })
    }
}

impl RawRecord for CoverPage {
    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl RawRecord for ReportTotal {
    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}
