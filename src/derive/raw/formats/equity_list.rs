//! `EQUITY_L`: NSE's listed companies with listing date and ISIN.
//!
//! Lists of other instruments (trusts, close-ended funds) have the same header. Their rows are refused one by one: by their
//! series, or by an ISIN that is not one of an Indian share.

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::listed::{ListColumns, is_common_series};
use crate::derive::raw::records::raw_format::{Format, INDIA, Layout};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};
use crate::derive::raw::text::dates;

pub(crate) struct EquityList {
    columns: ListColumns,
    listed_on: usize,
}

impl EquityList {
    pub(crate) fn of(header: &HeaderLine) -> Option<Self> {
        let mut columns = ListColumns::new(header.column(&["SYMBOL"])?);
        columns.name = Some(header.column(&["NAME OF COMPANY"])?);
        columns.isin = Some(header.column(&["ISIN NUMBER"])?);
        columns.series = Some(header.column(&["SERIES"])?);
        Some(Self { columns, listed_on: header.column(&["DATE OF LISTING"])? })
    }
}

/// Whether an ISIN is one of shares: of a company (`INE`, or `IN9` for partly paid and differential ones), not of a fund,
/// and not of the kinds of security that trusts (`23`, `25`) issue under a company's ISIN.
fn is_of_a_share(isin: &str) -> bool {
    let of_company = isin.starts_with("INE") || isin.starts_with("IN9");
    of_company && !matches!(isin.get(7..9), Some("23" | "25"))
}

impl RecordFile for EquityList {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let mut listed = self.columns.listed(record)?;
        if !listed.series.as_deref().is_some_and(is_common_series) {
            return Err(Reason::NotCommonSeries);
        }
        if !listed.isin.as_deref().is_some_and(is_of_a_share) {
            return Err(Reason::IsinNotIne);
        }
        listed.since = Some(dates::in_cell(record.cell(self.listed_on)).ok_or(Reason::BadDate)?);
        Ok(Box::new(listed))
    }

    fn symbol(&self) -> usize {
        self.columns.symbol
    }
}

/// NSE `EQUITY_L` and lists with its header.
pub(super) static LISTED_COMPANIES: Format = Format {
    recognise: |head| Layout::records(EquityList::of(head.header)),
    ..Format::new("listed companies", INDIA)
};
