//! The lines in the SEC's data sets of Form 13F: `INFOTABLE.tsv`.
//!
//! A quarter has some three million of them, and tables have those of the institutions that are followed: only these are kept, so
//! that memory does not grow with the file. Which reports are theirs, the pages say, which are read before.

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::formats::followed_reports::FollowedReports;
use crate::derive::raw::formats::positions::{InvestorPosition, LineColumns, PositionLine};
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{Format, Layout, US};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::records::table_row::TableRecord;
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::text::cells::CellRecord;

/// A line that is kept where its institution is followed.
struct DataSetLine(PositionLine);

struct LineTable(LineColumns);

impl RecordFile for LineTable {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        Ok(Box::new(DataSetLine(self.0.line(record, None)?)))
    }

    fn symbol(&self) -> usize {
        self.0.cusip
    }
}

impl RawRecord for DataSetLine {
    fn keep(mut self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        if into.records.rows::<FollowedReports>().is_empty() {
            let reports = FollowedReports::of(&into.records);
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

/// The lines of the SEC's data sets.
pub(super) static POSITION_LINES: Format = Format {
    recognise: |head| Layout::records(LineColumns::of(head.header).map(LineTable)),
    table: Some(InvestorPosition::TABLE),
    is_late: true,
    ..Format::new("institutional positions, lines of data sets", US)
};
