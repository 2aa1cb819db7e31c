//! Generates a market: first its companies one by one, then the instruments that depend on all of them.

use std::thread;

use super::basket;
use super::calendar::SessionCalendar;
use super::company::{Board, InventedCompany};
use super::draw::{Draw, Purpose};
use super::factors::Factors;
use super::listing_period::ListingPeriod;
use super::names::{self, CompanyNames};
use super::prices::{History, NseSeries, SimulatedBar};
use super::statements::{CompanyStatements, StatementInputs};
use super::tick::Minor;
use super::world::{Instrument, Listing, World};
use super::{DemoOptions, MarketSize};
use parquote_catalogue::operation::Market;

/// Generates a market; `progress` receives the number of finished companies.
pub(crate) fn generate_market(
    options: &DemoOptions,
    market: Market,
    size: MarketSize,
    progress: &mut dyn FnMut(u64),
) -> World {
    let calendar = SessionCalendar::last_sessions(market, options.last_session, size.sessions);
    let factors = Factors::generate(options.seed, market, size.sessions);
    let inputs = MarketInputs {
        seed: options.seed,
        market,
        names: CompanyNames::new(options.seed),
        factors,
        calendar,
    };
    let mut listings = inputs.listings(size.companies, progress);
    listings.sort_by(|a, b| a.company.symbol.cmp(&b.company.symbol));
    let rebalanced = size.sessions - (size.sessions / 3).min(130);
    let companies = World {
        seed: options.seed,
        market,
        calendar: inputs.calendar,
        listings,
        instruments: Vec::new(),
        rebalanced_from: rebalanced,
    };
    World { instruments: make_instruments(&companies), ..companies }
}

/// Inputs shared by all companies of a market.
struct MarketInputs {
    seed: u64,
    market: Market,
    names: CompanyNames,
    factors: Factors,
    calendar: SessionCalendar,
}

impl MarketInputs {
    /// Simulates all companies on all cores; returns them by ordinal, so that the number of cores does not matter.
    fn listings(&self, count: usize, progress: &mut dyn FnMut(u64)) -> Vec<Listing> {
        let ordinals: Vec<_> =
            (0..count).map(|ordinal| (Board::Main, ordinal)).chain(self.small_board()).collect();
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let mut listings = Vec::with_capacity(ordinals.len());
        for block in ordinals.chunks(threads * 64) {
            thread::scope(|scope| {
                let simulate = |part: &[(Board, usize)]| -> Vec<_> {
                    part.iter().map(|(board, ordinal)| self.listing(*board, *ordinal)).collect()
                };
                let workers: Vec<_> =
                    block.chunks(64).map(|part| scope.spawn(move || simulate(part))).collect();
                for worker in workers {
                    match worker.join() {
                        Ok(part) => listings.extend(part),
                        Err(panic) => std::panic::resume_unwind(panic),
                    }
                }
            });
            progress(listings.len().min(count) as u64);
        }
        listings
    }

    /// Returns the ordinals of a few companies of the SME board, whose rows readers of equities must leave out. The ordinals are the
    /// highest ones, so that these companies are the same in a market of any size.
    fn small_board(&self) -> impl Iterator<Item = (Board, usize)> {
        let count = if self.market == Market::India { 6 } else { 0 };
        (0..count).map(|ordinal| (Board::Sme, names::CAPACITY - 1 - ordinal))
    }

    fn listing(&self, board: Board, ordinal: usize) -> Listing {
        let company = InventedCompany::generate(self.seed, &self.names, self.market, board, ordinal);
        let listing_period = ListingPeriod::generate(self.seed, &company, &self.calendar);
        let history = History::simulate(self.seed, &company, &listing_period, &self.factors, &self.calendar);
        let (seed, factors, calendar) = (self.seed, &self.factors, &self.calendar);
        let inputs = StatementInputs {
            seed,
            company: &company,
            listing_period: &listing_period,
            history: &history,
            factors,
            calendar,
        };
        let statements = CompanyStatements::generate(&inputs);
        Listing { company, trading_period: listing_period, history, statements }
    }
}

/// Makes the index fund, and in India a few bonds.
fn make_instruments(companies: &World) -> Vec<Instrument> {
    let mut draw = Draw::new(companies.seed, companies.market, Purpose::Instrument, 0);
    let (symbol, name, start, isin) = match companies.market {
        Market::India => ("NIFTYBEES", "Demo Fifty Index ETF", 20_000, names::isin_for("INF", 0)),
        Market::Us => ("SPY", "Demo Large Cap Index ETF Trust", 40_000, String::new()),
    };
    let bars = basket::index_fund(companies, start, &mut draw);
    let fund = Instrument { symbol: symbol.to_owned(), name, isin, reference: start, bars };
    let bonds: &[&str] =
        if companies.market == Market::India { &["991GS2071", "992GS2082", "993GS2093"] } else { &[] };
    std::iter::once(fund)
        .chain(bonds.iter().map(|symbol| make_bond(symbol, companies.sessions(), &mut draw)))
        .collect()
}

/// Makes a bond that trades near par in two of three sessions.
fn make_bond(symbol: &str, sessions: usize, draw: &mut Draw) -> Instrument {
    let mut bars = Vec::new();
    for session in 0..sessions {
        if draw.chance(0.66) {
            let price = draw.between(10_050.0, 10_450.0) as Minor;
            let volume = draw.between(10.0, 9_000.0) as u32;
            bars.push(SimulatedBar {
                session: session as u16,
                series: NseSeries::Gs,
                open: price,
                high: price + 40,
                low: price - 40,
                close: price + 5,
                volume,
                delivered: volume,
            });
        }
    }
    Instrument { symbol: symbol.to_owned(), name: "Demo bond", isin: String::new(), reference: 10_000, bars }
}
