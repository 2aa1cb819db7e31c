//! The earnings calls of the companies that hold them: one after each result, with its tone.
//!
//! Other writers that speak of a call read it here, so that all agree on its day and its score.

use chrono::{Datelike, Days, NaiveDate};

use super::facts::QuarterFacts;
use super::tone::{self, Tone};
use crate::calendar;
use crate::company::Board;
use crate::draw::{Draw, Purpose};
use crate::world::{Listing, World};

/// The part of companies whose calls are written up: some 703 of 2,000.
const COVERED: f64 = 0.3515;
/// Calls that are written up, the newest ones.
const CALLS: usize = 8;

/// One earnings call.
#[derive(Debug)]
pub(crate) struct EarningsCall {
    /// The day of the call, a session after the results or the same one.
    pub(crate) date: NaiveDate,
    /// The day on which it was written up.
    pub(crate) written: NaiveDate,
    pub(super) facts: QuarterFacts,
    pub(super) tone: Tone,
}

impl EarningsCall {
    /// The last day of the quarter it is about.
    pub(crate) fn period_end(&self) -> NaiveDate {
        self.facts.period_end
    }

    /// The score of its tone, 0 to 100.
    pub(crate) fn tone_score(&self) -> i64 {
        self.tone.score
    }
}

/// The last calls of a company, the oldest first; none of a company that is not covered.
pub(crate) fn calls(world: &World, listing: &Listing) -> Vec<EarningsCall> {
    let place = listing.company.place;
    let draw = |purpose, index| Draw::new(world.seed, world.market, purpose, index);
    let is_covered = draw(Purpose::Coverage, place).chance(COVERED);
    if !is_covered || listing.company.board != Board::Main || !listing.is_current(world.sessions()) {
        return Vec::new();
    }
    let last = world.calendar.date(world.sessions().saturating_sub(1));
    let calls = QuarterFacts::of(world, listing).into_iter().map(|facts| {
        let mut noise = draw(Purpose::Tone, substream(place, facts.period_end));
        let (date, written) = days(world, &facts, &mut noise);
        // A company has its own phrases; each call uses some of them.
        let tone = tone::of(&facts, &mut draw(Purpose::Phrases, place), &mut noise);
        EarningsCall { date, written, facts, tone }
    });
    let mut calls: Vec<EarningsCall> = calls.filter(|call| call.written <= last).collect();
    calls.split_off(calls.len().saturating_sub(CALLS))
}

/// The substream of a company's quarter, so that a quarter stays what it is when others come.
pub(super) fn substream(place: usize, period_end: NaiveDate) -> usize {
    const QUARTERS: usize = 1024;
    let quarter = period_end.year().unsigned_abs() as usize * 4 + period_end.month0() as usize / 3;
    place * QUARTERS + quarter % QUARTERS
}

/// The days of the call and of its write-up.
fn days(world: &World, facts: &QuarterFacts, draw: &mut Draw) -> (NaiveDate, NaiveDate) {
    let after = |day: NaiveDate, days: u64| {
        let day = day.checked_add_days(Days::new(days)).unwrap_or(day);
        calendar::business_day_by(world.market, day)
    };
    // `business_day_by` looks back, so that a call may be held on the day of the results, never before.
    let call = after(facts.announced, draw.below(3) as u64).max(facts.announced);
    (call, after(call, 1 + draw.below(3) as u64).max(call))
}
