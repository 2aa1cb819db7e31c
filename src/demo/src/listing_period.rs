//! A company's time on the exchange: listing, delisting, suspension, sessions without a trade, a period in the BE series.
//!
//! Prices are not modelled here. Sessions have the numbers of the market's calendar.

use std::ops::Range;

use chrono::{Days, NaiveDate};

use super::calendar::SessionCalendar;
use super::company::{Board, InventedCompany};
use super::draw::{Draw, Purpose};
use parquote_catalogue::operation::Market;

/// The periods of a company on the exchange.
#[derive(Debug)]
pub(crate) struct ListingPeriod {
    /// The sessions from listing to delisting.
    pub(crate) listed: Range<usize>,
    /// The listing date; before the first session for most companies.
    pub(crate) listing_date: NaiveDate,
    /// A trading suspension; empty for most companies.
    pub(crate) suspended: Range<usize>,
    /// A period in the BE series (trade for trade, 5 % band, no delivery figure); empty for most companies.
    pub(crate) trade_to_trade: Range<usize>,
    /// The probability of a session without a trade.
    pub(crate) no_trade_chance: f64,
}

impl ListingPeriod {
    /// Draws the periods of a company.
    pub(crate) fn generate(seed: u64, company: &InventedCompany, calendar: &SessionCalendar) -> Self {
        let mut draw = Draw::new(seed, company.market, Purpose::Life, company.ordinal);
        let sessions = calendar.dates().len();
        let session_at = |part: f64| (part * sessions as f64) as usize;
        let (is_new, is_gone) = (draw.chance(0.1), draw.chance(0.012));
        let first = if is_new { session_at(draw.between(0.05, 0.98)) } else { 0 };
        let end = if is_gone { session_at(draw.between(0.5, 0.97)).max(first + 1) } else { sessions };
        let age = Days::new(draw.between(200.0, 11_000.0) as u64);
        let before = calendar.date(0).checked_sub_days(age).unwrap_or_default();
        let is_small = company.target_cap < if company.market == Market::India { 600.0 } else { 0.15 };
        let is_india_main = company.market == Market::India && company.board == Board::Main;
        let mut spell = |probability: f64, least: f64, most: f64| {
            let (happens, start) = (draw.chance(probability), session_at(draw.between(0.1, 0.99)));
            let length = draw.between(least, most) as usize;
            if happens { start..start + length } else { 0..0 }
        };
        Self {
            listed: first..end.min(sessions),
            listing_date: if first > 0 { calendar.date(first) } else { before },
            suspended: spell(0.012, 8.0, 60.0),
            trade_to_trade: if is_india_main { spell(0.05, 20.0, 120.0) } else { 0..0 },
            no_trade_chance: if is_small && draw.chance(0.5) { draw.between(0.002, 0.06) } else { 0.0 },
        }
    }

    /// Returns true if the stock may trade in a session.
    pub(crate) fn is_open(&self, session: usize) -> bool {
        self.listed.contains(&session) && !self.suspended.contains(&session)
    }
}
