//! Members of an index, which is named in the file name of the list.
//!
//! A sector is used if it is one of the market's or can be mapped to one: some lists have industries in that column, and NSE's had others
//! before 2022.

use std::sync::Arc;

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::records::listed::{ListedCompany, listed_symbol};
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::reference_data::ReferenceData;
use crate::sectors::words;

/// A member of an index.
pub(super) struct ListedMember {
    index: Arc<str>,
    listed: ListedCompany,
}

impl PlainRecord<6> for ListedMember {
    const RECORD: &'static str = "index member";
    const COLUMNS: [&'static str; 6] =
        ["symbol text", "name text", "sector text?", "industry text?", "isin text?", "cik text?"];

    fn from_cells(cells: [PlainCell<'_>; 6], file: &FileFacts) -> Result<Self, Reason> {
        let [symbol, name, sector, industry, isin, cik] = cells;
        let listed = ListedCompany {
            symbol: listed_symbol(symbol)?,
            name: name.owned(),
            sector: sector.text().and_then(|word| words::of_market(file.market, word, industry.text())),
            industry: industry.owned(),
            isin: isin.owned(),
            cik: cik.cik(),
            ..ListedCompany::default()
        };
        Ok(Self { index: file.word.clone().ok_or(Reason::NoSymbol)?, listed })
    }
}

impl RawRecord for ListedMember {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.listed.symbol)
    }

    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.add_member(self.listed, &self.index, at.path);
    }
}
