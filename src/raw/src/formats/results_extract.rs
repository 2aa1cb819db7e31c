//! Extracts of results: a profit and the earnings per share by the end of the quarter, one file a company.
//!
//! They do not say whose figures they are, the group's or the company's, and quarters of both stand in one file. No row can
//! therefore become part of a series; each is refused for that reason, so that whoever drops such files in learns it.

use crate::domain::reason::Reason;
use crate::records::raw_format::{BOTH, Format, Layout};
use crate::statements::record::{StatementFile, StatementRecord};
use parquote_encodings::text::cells::{CellRecord, HeaderLine};

pub(crate) struct ResultsExtract;

impl ResultsExtract {
    pub(crate) fn of(header: &HeaderLine) -> Option<Self> {
        header.column(&["DATEOFENDOFREPORTINGPERIOD"])?;
        header.column(&["PROFITLOSSFORTHEPERIOD"])?;
        let says_basis = header.column(&["NATUREOFREPORTSTANDALONECONSOLIDATED", "BASIS"]).is_some();
        (!says_basis).then_some(Self)
    }
}

impl StatementFile for ResultsExtract {
    fn record(&self, _: &CellRecord) -> Result<StatementRecord, Reason> {
        Err(Reason::UnknownBasis)
    }

    fn symbol(&self) -> usize {
        0
    }
}

/// Extracts of results.
pub(super) static RESULTS_EXTRACTS: Format = Format {
    recognise: |head| Layout::statements(ResultsExtract::of(head.header)),
    ..Format::new("results, extracted", BOTH)
};
