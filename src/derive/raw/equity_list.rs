//! `EQUITY_L`: NSE's listed companies with listing date and ISIN.
//!
//! Lists of other instruments (infrastructure trusts, close-ended funds) have the same header; their rows have other series.

use super::cells::{Header, Record};
use super::dates;
use super::fact::{Fact, FactFile, ListColumns, is_common_series};
use super::reason::Reason;

pub(crate) struct EquityList {
    columns: ListColumns,
    listed_on: usize,
}

impl EquityList {
    pub(crate) fn of(header: &Header) -> Option<Self> {
        let mut columns = ListColumns::new(header, header.column(&["SYMBOL"])?);
        columns.name = Some(header.column(&["NAME OF COMPANY"])?);
        columns.isin = Some(header.column(&["ISIN NUMBER"])?);
        columns.series = Some(header.column(&["SERIES"])?);
        Some(Self { columns, listed_on: header.column(&["DATE OF LISTING"])? })
    }
}

impl FactFile for EquityList {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let mut listed = self.columns.listed(record)?;
        if !listed.series.as_deref().is_some_and(is_common_series) {
            return Err(Reason::NotCommonSeries);
        }
        listed.since = Some(dates::in_cell(record.cell(self.listed_on)).ok_or(Reason::BadDate)?);
        Ok(Fact::Listed(listed))
    }

    fn fields(&self) -> usize {
        self.columns.fields
    }

    fn symbol(&self) -> usize {
        self.columns.symbol
    }
}
