//! `symbol,sector`, `symbol,industry` or all three: an optional file of the user's own that settles what a company does.
//!
//! India's lists have no industries: their `Industry` is our `sector`. A sector may be in the words of any classification that
//! lists of the market use; it is put into those of the market.

use super::cells::{Header, Record};
use super::fact::{Fact, FactFile, ListColumns};
use super::reason::Reason;
use super::sector_words;
use crate::operation::Market;

pub(crate) struct IndustryFile {
    columns: ListColumns,
    market: Market,
}

impl IndustryFile {
    pub(crate) fn of(header: &Header, market: Market) -> Option<Self> {
        let mut columns = ListColumns::new(header, header.column(&["SYMBOL"])?);
        columns.industry = header.column(&["INDUSTRY"]);
        columns.sector = header.column(&["SECTOR"]);
        let said = columns.industry.iter().chain(&columns.sector).count();
        (said > 0 && header.len() == 1 + said).then_some(Self { columns, market })
    }
}

impl FactFile for IndustryFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let mut listed = self.columns.listed(record)?;
        listed.sector = listed.sector.map(|sector| {
            sector_words::of_market(self.market, &sector, listed.industry.as_deref()).unwrap_or(sector)
        });
        Ok(Fact::Listed(listed))
    }

    fn fields(&self) -> usize {
        self.columns.fields
    }

    fn symbol(&self) -> usize {
        self.columns.symbol
    }
}
