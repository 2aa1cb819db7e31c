//! Extracts of results: a profit and the earnings per share by the end of the quarter, one file a company.
//!
//! They do not say whose figures they are, the group's or the company's, and quarters of both stand in one file. No row can
//! therefore become part of a series; each is refused for that reason, so that whoever drops such files in learns it.

use super::super::cells::{Header, Record};
use super::super::fact::{Fact, FactFile};
use super::super::reason::Reason;

pub(crate) struct ResultsExtract {
    fields: usize,
}

impl ResultsExtract {
    pub(crate) fn of(header: &Header) -> Option<Self> {
        header.column(&["DATEOFENDOFREPORTINGPERIOD"])?;
        header.column(&["PROFITLOSSFORTHEPERIOD"])?;
        let says_basis = header.column(&["NATUREOFREPORTSTANDALONECONSOLIDATED", "BASIS"]).is_some();
        (!says_basis).then_some(Self { fields: header.len() })
    }
}

impl FactFile for ResultsExtract {
    fn fact(&self, _: &Record) -> Result<Fact, Reason> {
        Err(Reason::UnknownBasis)
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        0
    }
}
