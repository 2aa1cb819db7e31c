//! Changes of a company's owners by quarter. Insiders' disclosures agree with the next shareholding pattern.
//!
//! A change of the promoters' part or of pledges in a quarter is the sum of its disclosed trades. Before the first session nothing is
//! disclosed, and holdings change without trades.

use std::ops::Range;

use chrono::{Days, Months, NaiveDate};

use super::draw::{Draw, Purpose};
use super::holders::{Institutions, Quarter, quarter_end};
use super::insiders::{DisclosedTrade, Insiders, PromoterPlan};
use super::size;
use super::statements::Story;
use super::world::{Listing, World};

/// Most days from a quarter's end to the filing of its shareholding pattern.
const FILING_DAYS: u64 = 21;
/// Number of quarters on file before the first session.
const QUARTERS_BEFORE: u32 = 4;
/// The promoters' least and greatest fraction of all shares.
const PROMOTERS: (f64, f64) = (0.01, 0.75);

/// The owners of one company over time.
#[derive(Debug)]
pub(crate) struct Ownership {
    /// The quarters filed by the last session, oldest first.
    pub(crate) quarters: Vec<Quarter>,
    /// Insider trades filed by the last session, by date.
    pub(crate) trades: Vec<DisclosedTrade>,
}

impl Ownership {
    /// Simulates the owners of a company.
    pub(crate) fn generate(world: &World, listing: &Listing) -> Self {
        let mut state = OwnershipState::begin(world, listing);
        let (first, last) = (world.calendar.date(0), state.last);
        let mut end =
            quarter_end(first.checked_sub_months(Months::new(3 * QUARTERS_BEFORE)).unwrap_or_default());
        let mut sessions = 0..0;
        let mut ownership = Self { quarters: Vec::new(), trades: Vec::new() };
        while sessions.end < world.sessions() {
            let end_session = world.calendar.session_by(end).map_or(0, |session| session + 1);
            sessions = sessions.end..end_session;
            let trades = state.quarter(sessions.clone());
            ownership.trades.extend(trades.into_iter().filter(|trade| trade.filed <= last));
            let quarter = state.close(end);
            let is_filed = end.checked_add_days(Days::new(FILING_DAYS)).is_some_and(|filed| filed <= last);
            if is_filed && end >= listing.trading_period.listing_date {
                ownership.quarters.push(quarter);
            }
            end = quarter_end(end.checked_add_days(Days::new(1)).unwrap_or_default());
        }
        ownership
    }
}

/// The state between two quarters.
struct OwnershipState<'a> {
    world: &'a World,
    listing: &'a Listing,
    last: NaiveDate,
    holding: Draw,
    pledging: Draw,
    insiders: Insiders,
    institutions: Institutions,
    trusts: u32,
    /// True if the company is in distress; then its promoters may pledge nearly all shares.
    is_distressed: bool,
}

impl<'a> OwnershipState<'a> {
    fn begin(world: &'a World, listing: &'a Listing) -> Self {
        let company = &listing.company;
        let draw = |purpose| Draw::new(world.seed, world.market, purpose, company.ordinal);
        let (mut holding, mut pledging) = (draw(Purpose::Holders), draw(Purpose::Pledges));
        let promoters = holding.between(0.18, 0.74);
        let trusts = if holding.chance(0.25) { 1 + holding.below(150) as u32 } else { 0 };
        let institutions = Institutions::start(size::rank(world.market, company.target_cap), &mut holding);
        let is_distressed = matches!(listing.statements.story, Story::Distressed);
        let has_pledges = pledging.chance(if is_distressed { 0.85 } else { 0.22 });
        let pledge_level =
            if is_distressed { pledging.between(0.25, 0.8) } else { pledging.between(0.01, 0.35) };
        Self {
            world,
            listing,
            last: world.last_date(),
            holding,
            pledging,
            insiders: Insiders::new(
                promoters,
                if has_pledges { pledge_level } else { 0.0 },
                draw(Purpose::Insiders),
            ),
            institutions,
            trusts,
            is_distressed,
        }
    }

    /// Simulates a quarter and returns its trades; without sessions, holdings change without trades.
    fn quarter(&mut self, sessions: Range<usize>) -> Vec<DisclosedTrade> {
        let change = if self.holding.chance(0.3) { self.holding.between(-0.012, 0.009) } else { 0.0 };
        let promoters = self.insiders.promoters();
        let change = (promoters + change).clamp(PROMOTERS.0, PROMOTERS.1) - promoters;
        let pledge_level = self.next_pledge_level();
        let cap = |session: usize| self.listing.cap_on(session).filter(|cap| *cap > 0);
        let log_return = match (cap(sessions.start), sessions.end.checked_sub(1).and_then(cap)) {
            (Some(before), Some(after)) if !sessions.is_empty() => (after as f64 / before as f64).ln(),
            _ => 0.0,
        };
        self.institutions.drift(log_return, &mut self.holding);
        let bars = &self.listing.history.bars;
        let bar_index = |session: usize| bars.partition_point(|bar| usize::from(bar.session) < session);
        let bars = bars.get(bar_index(sessions.start)..bar_index(sessions.end)).unwrap_or_default();
        if bars.is_empty() {
            self.insiders.move_holdings(change, pledge_level);
            return Vec::new();
        }
        self.insiders.trade(self.world, self.listing, bars, PromoterPlan { change, pledge_level })
    }

    /// Draws the pledged fraction of the promoters' shares: a slowly changing level; some pledges are released completely.
    fn next_pledge_level(&mut self) -> f64 {
        let draw = &mut self.pledging;
        let pledge_level = self.insiders.pledged_part();
        let change = if draw.chance(0.45) { 0.035 * draw.normal() } else { 0.0 };
        let (ends, begins) = (draw.chance(0.02), draw.chance(0.008));
        let most = if self.is_distressed { 0.9 } else { 0.6 };
        match pledge_level {
            pledge_level if pledge_level > 0.0 && ends => 0.0,
            pledge_level if pledge_level > 0.0 => (pledge_level + change).clamp(0.002, most),
            _ if begins => draw.between(0.01, 0.15),
            _ => 0.0,
        }
    }

    /// Returns the shareholding pattern at the quarter's end.
    fn close(&mut self, end: NaiveDate) -> Quarter {
        let in_hundredths = |part: f64| (part * 10_000.0).round() as u32;
        let promoters = in_hundredths(self.insiders.promoters());
        let [foreign, mutual_funds, insurers, government] =
            self.institutions.parts_of_public(10_000 - promoters - self.trusts);
        let wait = Days::new(8 + self.pledging.below(14) as u64);
        let history = &self.listing.history;
        let filed_shares = || self.listing.statements.quarter_ending(end).map(|it| it.stock.outstanding);
        let total = match self.world.calendar.session_by(end) {
            Some(session) if self.listing.trading_period.listed.contains(&session) => {
                Some(history.shares_on(session))
            }
            _ => filed_shares(),
        };
        Quarter {
            end,
            filed: end.checked_add_days(wait).unwrap_or(end),
            promoters,
            trusts: self.trusts,
            foreign,
            mutual_funds,
            insurers,
            government,
            pledged: in_hundredths(self.insiders.pledged_part()),
            pledged_shares: total.map(|total| self.insiders.pledged_shares(total)),
        }
    }
}
