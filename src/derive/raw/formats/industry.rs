//! `symbol,sector`, `symbol,industry` or all three: an optional file of the user's own that settles what a company does.
//!
//! India's lists have no industries: their `Industry` is our `sector`. A sector may be in the words of any classification that
//! lists of the market use; it is put into those of the market.

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::listed::{ListColumns, ListedCompany};
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{BOTH, Format, Layout};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::sectors::words;
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};
use crate::operation::Market;

/// What a user says of a company.
struct OwnSector(ListedCompany);

pub(crate) struct IndustryFile {
    columns: ListColumns,
    market: Market,
}

impl IndustryFile {
    pub(crate) fn of(header: &HeaderLine, market: Market) -> Option<Self> {
        let mut columns = ListColumns::new(header.column(&["SYMBOL"])?);
        columns.industry = header.column(&["INDUSTRY"]);
        columns.sector = header.column(&["SECTOR"]);
        let said = columns.industry.iter().chain(&columns.sector).count();
        (said > 0 && header.len() == 1 + said).then_some(Self { columns, market })
    }
}

impl RecordFile for IndustryFile {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let mut listed = self.columns.listed(record)?;
        listed.sector = listed.sector.map(|sector| {
            words::of_market(self.market, &sector, listed.industry.as_deref()).unwrap_or(sector)
        });
        Ok(Box::new(OwnSector(listed)))
    }

    fn symbol(&self) -> usize {
        self.columns.symbol
    }
}

impl RawRecord for OwnSector {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.0.symbol)
    }

    fn keep(self: Box<Self>, _: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.sectors.add_own(self.0);
    }
}

/// Sectors and industries by symbol, of the user's own.
pub(super) static OWN_SECTORS: Format = Format {
    recognise: |head| Layout::records(IndustryFile::of(head.header, head.market)),
    ..Format::new("own sectors and industries", BOTH)
};
