//! A user-written file with sectors and industries of companies.
//!
//! India's lists have no industries: their `Industry` is the column `sector` here. A sector may be named as in any classification that
//! lists of the market use; it is mapped to those of the market.

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::records::listed::{ListedCompany, listed_symbol};
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::reference_data::ReferenceData;
use crate::sectors::words;

/// A user's classification of a company.
pub(super) struct UserSector(ListedCompany);

impl PlainRecord<3> for UserSector {
    const RECORD: &'static str = "own sector";
    const COLUMNS: [&'static str; 3] = ["symbol text", "industry text?", "sector text?"];

    fn from_cells([symbol, industry, sector]: [PlainCell<'_>; 3], file: &FileFacts) -> Result<Self, Reason> {
        let in_words = |word: &str| {
            words::of_market(file.market, word, industry.text()).unwrap_or_else(|| word.to_owned())
        };
        Ok(Self(ListedCompany {
            symbol: listed_symbol(symbol)?,
            sector: sector.text().map(in_words),
            industry: industry.owned(),
            ..ListedCompany::default()
        }))
    }
}

impl RawRecord for UserSector {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.0.symbol)
    }

    fn keep(self: Box<Self>, _: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.sectors.add_own(self.0);
    }
}
