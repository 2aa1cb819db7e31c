//! NSE's `symbolchange`: the company's name, the old symbol, the new one and the first day under it.
//!
//! The file has no header line; it is recognised by its four columns, the last of which is a date.

use chrono::NaiveDate;

use super::cells::{Header, Record};
use super::dates;
use super::fact::{Fact, FactFile};
use super::reason::Reason;

/// A company's symbol changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SymbolChange {
    /// The first day under the new symbol.
    pub(crate) date: NaiveDate,
    pub(crate) old: String,
    pub(crate) new: String,
}

pub(crate) struct SymbolChangeFile;

const COLUMNS: usize = 4;

impl SymbolChangeFile {
    /// `first` is the first line of the file.
    pub(crate) fn of(first: &Header) -> Option<Self> {
        let [_, old, new, date] = first.cells() else { return None };
        let is_symbol = |text: &str| !text.is_empty() && !text.contains(' ');
        dates::in_cell(date.as_bytes())?;
        (is_symbol(old) && is_symbol(new)).then_some(Self)
    }
}

impl FactFile for SymbolChangeFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let symbol = |column| record.text(column).map(str::to_uppercase).ok_or(Reason::NoSymbol);
        let change = SymbolChange {
            date: dates::in_cell(record.cell(3)).ok_or(Reason::BadDate)?,
            old: symbol(1)?,
            new: symbol(2)?,
        };
        if change.old == change.new { Err(Reason::SameSymbol) } else { Ok(Fact::SymbolChange(change)) }
    }

    fn fields(&self) -> usize {
        COLUMNS
    }

    fn symbol(&self) -> usize {
        1
    }
}
