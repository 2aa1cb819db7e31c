//! The price model: simulates the bars of one company from shared and idiosyncratic returns, bands and actions.
//!
//! Prices are unadjusted, as exchanges publish them. Every bar has low <= open, close <= high, all multiples of the tick and within the
//! session's limits.

use chrono::NaiveDate;

use super::calendar::SessionCalendar;
use super::company::{Board, InventedCompany};
use super::draw::{Draw, Purpose};
use super::factors::Factors;
use super::idiosyncratic::IdiosyncraticModel;
use super::listing_period::ListingPeriod;
use super::share_split::{self, ShareSplit};
use super::tick::{BandLimits, Minor, round_to, tick};
use parquote_catalogue::operation::Market;

parquote_catalogue::word_enum! {
    /// The series in which a bar traded; US bars are `Eq`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum NseSeries {
        Eq = "EQ",
        Be = "BE",
        Sm = "SM",
        Gs = "GS",
    }
    fn word "Returns the exchange's code.";
}

/// The simulated bar of one instrument in one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SimulatedBar {
    /// The session's number in the calendar.
    pub(crate) session: u16,
    pub(crate) series: NseSeries,
    pub(crate) open: Minor,
    pub(crate) high: Minor,
    pub(crate) low: Minor,
    pub(crate) close: Minor,
    /// Shares traded.
    pub(crate) volume: u32,
    /// Shares delivered; not published for BE.
    pub(crate) delivered: u32,
}

impl SimulatedBar {
    /// Returns the mean of the four prices, rounded down.
    pub(crate) fn average_price(&self) -> u64 {
        (u64::from(self.open) + u64::from(self.high) + u64::from(self.low) + u64::from(self.close)) / 4
    }
}

/// The simulated history of one company's stock.
#[derive(Debug)]
pub(crate) struct History {
    /// The close before the first bar: the issue price of a new listing.
    pub(crate) reference: Minor,
    pub(crate) bars: Vec<SimulatedBar>,
    pub(crate) actions: Vec<ShareSplit>,
    /// Shares after the last action.
    pub(crate) shares: u64,
}

impl History {
    /// Simulates a company over all sessions.
    pub(crate) fn simulate(
        seed: u64,
        company: &InventedCompany,
        listing_period: &ListingPeriod,
        factors: &Factors,
        calendar: &SessionCalendar,
    ) -> Self {
        let mut walk = PriceWalk::new(seed, company, listing_period, calendar);
        let reference = walk.close;
        let days = calendar.dates().iter().zip(factors.sector_returns(company.industry.sector)).enumerate();
        for (session, (date, (market, sector))) in days {
            if listing_period.listed.contains(&session) {
                walk.step(session, *date, market, sector);
            }
        }
        let shares = shares_for(company, walk.close);
        let mut history = Self { reference, bars: walk.bars, actions: walk.actions, shares };
        history.scale_volumes(company, &walk.relative_volumes);
        history
    }

    /// Returns the share count in a session: today's, with later actions undone.
    pub(crate) fn shares_on(&self, session: usize) -> u64 {
        let later = self.actions.iter().filter(|action| action.session > session);
        (self.shares as f64 * later.map(ShareSplit::factor).product::<f64>()).round() as u64
    }

    /// Returns the last bar at or before a session.
    pub(crate) fn bar_on(&self, session: usize) -> Option<&SimulatedBar> {
        let end = self.bars.partition_point(|bar| usize::from(bar.session) <= session);
        end.checked_sub(1).and_then(|index| self.bars.get(index))
    }

    /// Converts relative volumes to shares, once the share count is known.
    fn scale_volumes(&mut self, company: &InventedCompany, relative: &[f32]) {
        let mut factor: f64 = self.actions.iter().map(ShareSplit::factor).product();
        let mut actions = self.actions.iter().peekable();
        for (bar, relative) in self.bars.iter_mut().zip(relative) {
            while let Some(action) = actions.next_if(|action| action.session <= usize::from(bar.session)) {
                factor /= action.factor();
            }
            let usual = self.shares as f64 * factor * company.price_model.turnover;
            bar.volume = (usual * f64::from(*relative)).clamp(1.0, 3.0e9) as u32;
            // Before this, `delivered` is the delivered part of the volume in ten-thousandths.
            bar.delivered = (f64::from(bar.volume) * f64::from(bar.delivered) / 10_000.0) as u32;
        }
    }
}

/// Returns the integer number of shares that gives the company its market cap at the last close.
fn shares_for(company: &InventedCompany, close: Minor) -> u64 {
    let units = match company.market {
        Market::India => 1e7,
        Market::Us => 1e9,
    };
    (company.target_cap * units * 100.0 / f64::from(close.max(1))).round().max(100_000.0) as u64
}

/// The state of a simulation between two sessions.
struct PriceWalk<'a> {
    company: &'a InventedCompany,
    listing_period: &'a ListingPeriod,
    /// The last session of the calendar.
    last: usize,
    draw: Draw,
    idiosyncratic: IdiosyncraticModel,
    close: Minor,
    /// Log return withheld by a band or by a session without a trade, which is added to the next one.
    withheld_return: f64,
    bars: Vec<SimulatedBar>,
    /// Volume of each bar, relative to a usual day.
    relative_volumes: Vec<f32>,
    actions: Vec<ShareSplit>,
}

impl<'a> PriceWalk<'a> {
    fn new(
        seed: u64,
        company: &'a InventedCompany,
        listing_period: &'a ListingPeriod,
        calendar: &SessionCalendar,
    ) -> Self {
        let date = calendar.date(listing_period.listed.start);
        let start = company.price_model.start_price * 100.0;
        let mut draw = Draw::new(seed, company.market, Purpose::Prices, company.ordinal);
        Self {
            company,
            listing_period,
            last: calendar.dates().len().saturating_sub(1),
            idiosyncratic: IdiosyncraticModel::start(&mut draw),
            draw,
            close: round_to(start, tick(company.market, date, start)),
            withheld_return: 0.0,
            bars: Vec::with_capacity(listing_period.listed.len()),
            relative_volumes: Vec::with_capacity(listing_period.listed.len()),
            actions: Vec::new(),
        }
    }

    fn step(&mut self, session: usize, date: NaiveDate, market: f64, sector: f64) {
        let model = &self.company.price_model;
        let daily = self.idiosyncratic.next(model.volatility, &mut self.draw);
        let shared = model.beta * market + model.sector_beta * sector;
        let log_return = shared + daily.stock_return + self.price_pull() + self.withheld_return;
        let log_return = self.limit_move(session).unwrap_or(log_return);
        if !self.listing_period.is_open(session) {
            return;
        }
        if self.draw.chance(self.listing_period.no_trade_chance) {
            self.withheld_return = 0.6 * log_return;
            return;
        }
        let base = self.apply_action(session, date);
        let tick = tick(self.company.market, date, f64::from(base));
        let series = self.series(session);
        let limits = self.limits(base, tick, series);
        let quote = Quote::draw(base, log_return, daily.deviation, limits, tick, &mut self.draw);
        self.withheld_return =
            (0.7 * (log_return - (f64::from(quote.close) / f64::from(base)).ln())).clamp(-0.15, 0.15);
        self.close = quote.close;
        let surprise = (log_return.abs() / daily.deviation).min(6.0);
        let volume_factor = if quote.low == quote.high { 0.3 } else { 1.0 };
        self.relative_volumes.push((daily.activity * volume_factor * (0.28 * surprise).exp()) as f32);
        let delivered = self.delivered_share(surprise);
        self.bars.push(quote.into_bar(session, series, delivered));
    }

    /// Returns a return that replaces the modelled one in the last session, which users see first: a few stocks with narrow bands reach
    /// their upper or lower limit. `None` in all other cases.
    fn limit_move(&self, session: usize) -> Option<f64> {
        const BEYOND_BAND: f64 = 0.08;
        let is_narrow = self.company.price_model.band.is_some_and(|band| band <= 5);
        match self.company.ordinal % 6 {
            0 if is_narrow && session == self.last => Some(BEYOND_BAND),
            3 if is_narrow && session == self.last => Some(-BEYOND_BAND),
            _ => None,
        }
    }

    /// Returns a small log return towards readable prices, far below daily noise.
    fn price_pull(&self) -> f64 {
        let least = if self.company.market == Market::India { 25.0 } else { 3.0 };
        let price = f64::from(self.close) / 100.0;
        if price > self.company.price_model.high_price {
            -0.004 * (price / self.company.price_model.high_price).ln()
        } else if price < least {
            0.006 * (least / price).ln()
        } else {
            0.0
        }
    }

    /// Returns the session's base price: the last close, adjusted for a split or bonus.
    fn apply_action(&mut self, session: usize, date: NaiveDate) -> Minor {
        // New listings, and stocks that resume trading, have no actions, so that each gap has one cause.
        let last = self.bars.last().map(|bar| usize::from(bar.session));
        if self.bars.len() < 20 || last != session.checked_sub(1) {
            return self.close;
        }
        let face = self.actions.last().map_or(self.company.face_value, |action| action.face_value);
        let Some(action) = share_split::draw(self.company, session, self.close, face, &mut self.draw) else {
            return self.close;
        };
        let base = f64::from(self.close) * action.factor();
        self.actions.push(action);
        round_to(base, tick(self.company.market, date, base))
    }

    fn series(&self, session: usize) -> NseSeries {
        match self.company.board {
            Board::Sme => NseSeries::Sm,
            Board::Main if self.listing_period.trade_to_trade.contains(&session) => NseSeries::Be,
            Board::Main => NseSeries::Eq,
        }
    }

    fn limits(&self, base: Minor, tick: Minor, series: NseSeries) -> BandLimits {
        let band = if series == NseSeries::Be { Some(5) } else { self.company.price_model.band };
        band.map_or_else(|| BandLimits::open(base, tick), |percent| BandLimits::of_band(base, percent, tick))
    }

    /// Draws the delivered part of the volume in ten-thousandths: less on volatile days, always 20 to 70 %.
    fn delivered_share(&mut self, surprise: f64) -> u32 {
        let share = self.company.price_model.delivered - 0.02 * surprise + 0.06 * self.draw.normal();
        (share.clamp(0.2, 0.7) * 10_000.0) as u32
    }
}

/// The four prices of a session.
struct Quote {
    open: Minor,
    high: Minor,
    low: Minor,
    close: Minor,
}

impl Quote {
    fn draw(
        base: Minor,
        log_return: f64,
        deviation: f64,
        limits: BandLimits,
        tick: Minor,
        draw: &mut Draw,
    ) -> Self {
        let price_at = |log_return: f64| f64::from(base) * log_return.exp();
        let gap = 0.3 * log_return + 0.35 * deviation * draw.normal();
        let (open, close) = (price_at(gap), price_at(log_return));
        let high = open.max(close) * (0.45 * deviation * draw.normal().abs()).exp();
        let low = open.min(close) * (-0.45 * deviation * draw.normal().abs()).exp();
        let fit = |price: f64| limits.clamp(round_to(price, tick));
        let (open, close) = (fit(open), fit(close));
        // If the price is far beyond the band, the stock is often locked at its limit from the first trade on.
        let is_beyond = price_at(log_return) > 1.04 * f64::from(limits.high)
            || price_at(log_return) < 0.96 * f64::from(limits.low);
        if is_beyond && draw.chance(0.6) {
            return Self { open: close, high: close, low: close, close };
        }
        Self { open, high: fit(high).max(open).max(close), low: fit(low).min(open).min(close), close }
    }

    fn into_bar(self, session: usize, series: NseSeries, delivered: u32) -> SimulatedBar {
        let Self { open, high, low, close } = self;
        SimulatedBar { session: session as u16, series, open, high, low, close, volume: 0, delivered }
    }
}
