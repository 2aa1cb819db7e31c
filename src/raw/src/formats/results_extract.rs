//! Extracts of results: a profit and the earnings per share by the end of the quarter, one file per company.
//!
//! They do not state whether their figures are the group's or the company's, and one file mixes quarters of both. No row can therefore
//! become part of a series; each is refused with that reason, so that the user learns it.

use crate::domain::reason::Reason;
use crate::records::raw_format::{BOTH, Format, Layout};
use crate::statements::record::{StatementFile, StatementRecord};
use parquote_encodings::text::cells::{CellRecord, HeaderLine};

pub(crate) struct ResultsExtract;

impl ResultsExtract {
    pub(crate) fn from_header(header: &HeaderLine) -> Option<Self> {
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
    recognise: |head| Layout::statements(ResultsExtract::from_header(head.header)),
    ..Format::new("results, extracted", BOTH)
};
