//! Corporate actions: `symbol,ex_date,action,factor`.
//!
//! `factor` multiplies prices before the ex-date (a split 1:5 is 0.2); 1 marks a real move that is no action.

use super::cells::{self, Header, Record};
use super::dates;
use super::fact::{Fact, FactFile};
use super::reason::Reason;

pub(crate) struct ActionFile {
    fields: usize,
    symbol: usize,
    ex_date: usize,
    action: usize,
    factor: usize,
}

impl ActionFile {
    pub(crate) fn of(header: &Header) -> Option<Self> {
        Some(Self {
            fields: header.len(),
            symbol: header.column(&["SYMBOL"])?,
            ex_date: header.column(&["EX_DATE", "EX-DATE", "EX DATE"])?,
            action: header.column(&["ACTION"])?,
            factor: header.column(&["FACTOR"])?,
        })
    }
}

impl FactFile for ActionFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let factor = cells::number(record.cell(self.factor)).ok_or(Reason::BadNumber)?;
        if factor <= 0.0 {
            return Err(Reason::BadFactor);
        }
        Ok(Fact::Action {
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            ex_date: dates::in_cell(record.cell(self.ex_date)).ok_or(Reason::BadDate)?,
            words: record.text(self.action).unwrap_or_default().to_owned(),
            factor,
        })
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}
