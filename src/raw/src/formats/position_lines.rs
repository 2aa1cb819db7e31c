//! The lines in the SEC's data sets of Form 13F: `INFOTABLE.tsv`.
//!
//! A quarter has some three million of them. Only those of followed institutions are stored, so that memory does not grow with the file.
//! The pages, which are read before, determine these reports.

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::formats::followed_reports::FollowedReports;
use crate::formats::positions::{InvestorPosition, PositionLine};
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::records::table_row::TableRecord;
use crate::reference_data::ReferenceData;

/// A line that is stored if its institution is followed.
pub(super) struct DataSetLine(PositionLine);

impl PlainRecord<8> for DataSetLine {
    const RECORD: &'static str = "position line";
    const COLUMNS: [&'static str; 8] = PositionLine::COLUMNS;
    const FILLS: Option<&'static str> = Some(InvestorPosition::TABLE);

    fn from_cells(cells: [PlainCell<'_>; 8], file: &FileFacts) -> Result<Self, Reason> {
        PositionLine::in_cells(cells, file).map(Self)
    }
}

impl RawRecord for DataSetLine {
    fn keep(mut self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        if into.records.rows::<FollowedReports>().is_empty() {
            let reports = FollowedReports::from_records(&into.records);
            into.records.add(reports, at);
        }
        let accession = self.0.accession.as_deref();
        let mut reports = into.records.rows_mut::<FollowedReports>().iter_mut();
        if reports.next().is_some_and(|reports| reports.row.takes(accession)) {
            self.0.source.clone_from(at.provenance);
            into.records.add(self.0, at);
        }
    }
}
