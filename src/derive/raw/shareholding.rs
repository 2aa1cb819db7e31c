//! Shareholding patterns: what promoters, the public and employees' trusts hold of a company, by quarter.
//!
//! Others may hold some (custodians of depositary receipts, members of an exchange), so the three may come to less than 100;
//! a row in which they come to more is refused.

use chrono::NaiveDate;

use super::cells::{self, Header, Record};
use super::dates;
use super::fact::{Fact, FactFile};
use super::reason::Reason;

/// Rounding of three figures to two decimals, and a figure that a filing cuts instead.
const SLACK: f64 = 0.1;

/// Who holds a company at the end of a quarter.
#[derive(Debug, Clone, PartialEq)]
pub struct Holding {
    /// The symbol.
    pub symbol: String,
    /// The day that the figures are of.
    pub period_end: NaiveDate,
    /// Percent of the shares that promoters hold.
    pub promoter_pct: f64,
    /// Percent of the shares that the public holds.
    pub public_pct: f64,
    /// Percent of the shares that employees' trusts hold.
    pub trusts_pct: Option<f64>,
}

pub(crate) struct HoldingFile {
    fields: usize,
    symbol: usize,
    period_end: usize,
    promoter: usize,
    public: usize,
    trusts: Option<usize>,
}

impl HoldingFile {
    pub(crate) fn of(header: &Header) -> Option<Self> {
        Some(Self {
            fields: header.len(),
            symbol: header.column(&["SYMBOL"])?,
            period_end: header.column(&["DATE", "PERIOD_END", "AS ON DATE"])?,
            promoter: header.column(&["PROMOTER_PCT"])?,
            public: header.column(&["PUBLIC_PCT"])?,
            trusts: header.column(&["EMPLOYEE_TRUSTS_PCT", "TRUSTS_PCT"]),
        })
    }
}

impl FactFile for HoldingFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let figure = |column| cells::number(record.cell(column));
        let promoter_pct = figure(self.promoter).ok_or(Reason::BadNumber)?;
        let public_pct = figure(self.public).ok_or(Reason::BadNumber)?;
        let trusts_pct = self.trusts.and_then(figure);
        let parts = [promoter_pct, public_pct, trusts_pct.unwrap_or(0.0)];
        let are_parts = parts.iter().all(|part| (0.0..=100.0).contains(part));
        if !are_parts || parts.iter().sum::<f64>() > 100.0 + SLACK {
            return Err(Reason::HoldingsBeyondAll);
        }
        Ok(Fact::Holding(Holding {
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            period_end: dates::in_day_first_cell(record.cell(self.period_end)).ok_or(Reason::BadDate)?,
            promoter_pct,
            public_pct,
            trusts_pct,
        }))
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}
