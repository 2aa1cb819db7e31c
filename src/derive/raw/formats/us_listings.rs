//! US listings: `symbol,name,sector,industry,market_cap`, with or without `exchange`; so are the screener's JSON files.
//!
//! The name decides what is common stock. Market caps are in dollars; `$` and digit groups are read over. Without a column
//! the exchange is the one that the file's name says. Sectors are those of the exchanges' screener; GICS's are put into its words.

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::listed::ListColumns;
use crate::derive::raw::records::raw_format::{Format, Layout, US};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::sectors::words;
use crate::derive::raw::text::cells::{self, CellRecord, HeaderLine};

pub(crate) struct UsListings {
    columns: ListColumns,
    market_cap: usize,
    /// The exchange that the file's name says.
    exchange: Option<&'static str>,
}

/// Exchanges that files are named after.
const EXCHANGES: [&str; 3] = ["NASDAQ", "NYSE", "AMEX"];

impl UsListings {
    pub(crate) fn of(header: &HeaderLine, name: &str) -> Option<Self> {
        let mut columns = ListColumns::new(header.column(&["SYMBOL", "TICKER"])?);
        columns.name = Some(header.column(&["NAME"])?);
        columns.sector = Some(header.column(&["SECTOR"])?);
        columns.industry = Some(header.column(&["INDUSTRY"])?);
        columns.exchange = header.column(&["EXCHANGE"]);
        let market_cap = header.column(&["MARKET_CAP", "MARKET CAP", "MARKETCAP"])?;
        let name = name.to_uppercase();
        let exchange = EXCHANGES.into_iter().find(|exchange| name.contains(exchange));
        Some(Self { columns, market_cap, exchange })
    }
}

impl RecordFile for UsListings {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let mut listed = self.columns.listed(record)?;
        listed.sector = listed
            .sector
            .map(|sector| words::of_us(&sector, listed.industry.as_deref()).map_or(sector, str::to_owned));
        listed.exchange = listed.exchange.or_else(|| self.exchange.map(str::to_owned));
        listed.market_cap = match record.cell(self.market_cap) {
            b"" => None,
            cell => Some(cells::money(cell).ok_or(Reason::BadNumber)?).filter(|cap| *cap > 0.0),
        };
        Ok(Box::new(listed))
    }

    fn symbol(&self) -> usize {
        self.columns.symbol
    }
}

/// US listings.
pub(super) static US_LISTED: Format = Format {
    recognise: |head| Layout::records(UsListings::of(head.header, head.name())),
    ..Format::new("US listings", US)
};
