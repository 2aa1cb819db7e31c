//! `symbol,industry`: an optional file that says the industry of each symbol.
//!
//! India's lists have no such level: their `Industry` is our `sector`.

use super::cells::{Header, Record};
use super::fact::{Fact, FactFile, ListColumns};
use super::reason::Reason;

pub(crate) struct IndustryFile {
    columns: ListColumns,
}

impl IndustryFile {
    pub(crate) fn of(header: &Header) -> Option<Self> {
        let mut columns = ListColumns::new(header, header.column(&["SYMBOL"])?);
        columns.industry = Some(header.column(&["INDUSTRY"])?);
        (header.len() == 2).then_some(Self { columns })
    }
}

impl FactFile for IndustryFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        self.columns.listed(record).map(Fact::Listed)
    }

    fn fields(&self) -> usize {
        self.columns.fields
    }

    fn symbol(&self) -> usize {
        self.columns.symbol
    }
}
