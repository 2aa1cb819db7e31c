//! The finished market in memory: calendar, companies with their histories, index fund and bonds.
//!
//! All files are written from a `World`; each kind of raw file has a separate source file. Listings are sorted by symbol.

use chrono::NaiveDate;

use super::calendar::SessionCalendar;
use super::company::{Board, InventedCompany};
use super::listing_period::ListingPeriod;
use super::prices::{History, SimulatedBar};
use super::statements::CompanyStatements;
use super::tick::Minor;
use parquote_catalogue::operation::Market;

/// A company with its simulated history.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) company: InventedCompany,
    pub(crate) trading_period: ListingPeriod,
    pub(crate) history: History,
    pub(crate) statements: CompanyStatements,
}

impl Listing {
    /// Returns the exact market cap in hundredths of rupees or dollars: shares x close of the last bar up to a session; `None` before the
    /// first bar.
    pub(crate) fn cap_on(&self, session: usize) -> Option<u128> {
        let bar = self.history.bar_on(session)?;
        Some(u128::from(self.history.shares_on(session)) * u128::from(bar.close))
    }

    /// Returns true if the company is listed on the main board at the end of the calendar.
    pub(crate) fn is_current(&self, sessions: usize) -> bool {
        self.company.board == Board::Main && self.trading_period.listed.end == sessions
    }
}

/// An instrument other than a company.
#[derive(Debug)]
pub(crate) struct Instrument {
    pub(crate) symbol: String,
    pub(crate) name: &'static str,
    pub(crate) isin: String,
    pub(crate) reference: Minor,
    pub(crate) bars: Vec<SimulatedBar>,
}

/// One generated market.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) market: Market,
    pub(crate) calendar: SessionCalendar,
    pub(crate) listings: Vec<Listing>,
    /// The index fund first, then bonds (India).
    pub(crate) instruments: Vec<Instrument>,
    /// The session from which the second set of member lists is valid.
    pub(crate) rebalanced_from: usize,
}

impl World {
    /// Returns the number of sessions.
    pub(crate) fn sessions(&self) -> usize {
        self.calendar.dates().len()
    }

    /// Returns the date of the last session.
    pub(crate) fn last_date(&self) -> NaiveDate {
        self.calendar.date(self.sessions().saturating_sub(1))
    }

    /// Returns the companies of the main board, by symbol.
    pub(crate) fn main_board(&self) -> impl Iterator<Item = &Listing> {
        self.listings.iter().filter(|listing| listing.company.board == Board::Main)
    }

    /// Returns the number of bars of companies.
    pub(crate) fn bars(&self) -> u64 {
        self.listings.iter().map(|listing| listing.history.bars.len() as u64).sum()
    }
}
