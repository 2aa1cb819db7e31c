//! Closes of the days in filings, used to check the figures of the filings.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{Days, NaiveDate};

use crate::domain::bar::{StockSpan, SymbolBars};
use crate::domain::session::Session;
use crate::error::RawError;
use crate::spool::SpooledValue;

/// Maximum age of a close, in days.
const OLDEST_CLOSE_DAYS: u64 = 10;

#[derive(Clone, Copy)]
pub(crate) struct MarketBars<'a> {
    pub(crate) stocks: &'a [StockSpan],
    /// In the order of the stocks.
    pub(crate) bars: &'a [SpooledValue<SymbolBars>],
    pub(crate) sessions: &'a [Session],
}

/// Closes by symbol and day, unadjusted.
#[derive(Debug, Default)]
pub(crate) struct DayPrices(HashMap<(String, NaiveDate), f64>);

impl MarketBars<'_> {
    /// Returns the close of the last bar up to each day, if it is not older than `OLDEST_CLOSE_DAYS`.
    pub(super) fn closes<'s>(
        self,
        days: impl Iterator<Item = (&'s str, NaiveDate)>,
    ) -> Result<DayPrices, RawError> {
        let mut requested: BTreeMap<&str, BTreeSet<NaiveDate>> = BTreeMap::new();
        for (symbol, day) in days {
            requested.entry(symbol).or_default().insert(day);
        }
        let mut closes = HashMap::new();
        for (stock, bars) in self.stocks.iter().zip(self.bars) {
            let Some(days) = requested.get(stock.symbol.as_str()) else { continue };
            let bars = bars.get()?;
            let date = |session: u32| self.sessions.get(session as usize).map(|session| session.date);
            for day in days {
                let after = bars.session.partition_point(|session| date(*session) <= Some(*day));
                let Some(at) = after.checked_sub(1) else { continue };
                let valid_until = bars
                    .session
                    .get(at)
                    .and_then(|session| date(*session)?.checked_add_days(Days::new(OLDEST_CLOSE_DAYS)));
                if let Some(close) = bars.close.get(at).filter(|_| valid_until >= Some(*day)) {
                    closes.insert((stock.symbol.clone(), *day), *close);
                }
            }
        }
        Ok(DayPrices(closes))
    }
}

impl DayPrices {
    pub(super) fn close(&self, symbol: &str, day: NaiveDate) -> Option<f64> {
        self.0.get(&(symbol.to_owned(), day)).copied()
    }
}
