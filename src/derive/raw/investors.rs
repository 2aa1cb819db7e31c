//! The institutional investors that are followed: a list of `cik,investor,style`.

use super::cells::{Header, Record};
use super::cik;
use super::fact::{Fact, FactFile};
use super::reason::Reason;

/// An institutional investor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Investor {
    /// The number under which it files.
    pub cik: u64,
    /// Its name.
    pub name: String,
    /// How it invests.
    pub style: Option<String>,
}

pub(crate) struct InvestorFile {
    fields: usize,
    cik: usize,
    name: usize,
    style: usize,
}

impl InvestorFile {
    pub(crate) fn of(header: &Header) -> Option<Self> {
        Some(Self {
            fields: header.len(),
            cik: header.column(&["CIK"])?,
            name: header.column(&["INVESTOR", "NAME"])?,
            style: header.column(&["STYLE"])?,
        })
    }
}

impl FactFile for InvestorFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        Ok(Fact::Investor(Investor {
            cik: cik::number(record.cell(self.cik)).ok_or(Reason::NoFiler)?,
            name: record.words(self.name).ok_or(Reason::NoFiler)?,
            style: record.words(self.style),
        }))
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.cik
    }
}
