//! The earnings calls of covered companies: one after each result, with its tone.
//!
//! All writers that mention a call use [`generate_calls`], so that they agree on its date and score.

use chrono::{Datelike, Days, NaiveDate};

use super::facts::QuarterFacts;
use super::tone::{self, Tone};
use crate::calendar;
use crate::draw::{Draw, Purpose};
use crate::world::{Listing, World};

/// The fraction of companies with analysed calls: some 703 of 2,000.
const COVERED_SHARE: f64 = 0.3515;
/// Number of the newest calls that are analysed.
const ANALYSED_CALLS: usize = 8;

/// An earnings call with its tone.
#[derive(Debug)]
pub(crate) struct EarningsCall {
    /// The date of the call, up to two days after the results.
    pub(crate) date: NaiveDate,
    /// The date of the analysis.
    pub(crate) analysed_on: NaiveDate,
    pub(super) facts: QuarterFacts,
    pub(super) tone: Tone,
}

impl EarningsCall {
    /// Returns the last day of the call's quarter.
    pub(crate) fn period_end(&self) -> NaiveDate {
        self.facts.period_end
    }

    /// Returns the tone score, 0 to 100.
    pub(crate) fn tone_score(&self) -> i64 {
        self.tone.score
    }
}

/// Returns the last calls of a company, oldest first; empty for a company that is not covered.
pub(crate) fn generate_calls(world: &World, listing: &Listing) -> Vec<EarningsCall> {
    let ordinal = listing.company.ordinal;
    let draw = |purpose, index| Draw::new(world.seed, world.market, purpose, index);
    let is_covered = draw(Purpose::Coverage, ordinal).chance(COVERED_SHARE);
    if !is_covered || !listing.is_current(world.sessions()) {
        return Vec::new();
    }
    let last = world.last_date();
    let calls = QuarterFacts::for_company(world, listing).into_iter().map(|facts| {
        let mut noise = draw(Purpose::Tone, substream(ordinal, facts.period_end));
        let (date, analysed_on) = draw_dates(world, &facts, &mut noise);
        // Each company has fixed phrases, of which each call uses some.
        let tone = tone::draw_tone(&facts, &mut draw(Purpose::Phrases, ordinal), &mut noise);
        EarningsCall { date, analysed_on, facts, tone }
    });
    let mut calls: Vec<EarningsCall> = calls.filter(|call| call.analysed_on <= last).collect();
    calls.split_off(calls.len().saturating_sub(ANALYSED_CALLS))
}

/// Returns the substream of a company's quarter, so that new quarters do not change it.
pub(super) fn substream(ordinal: usize, period_end: NaiveDate) -> usize {
    const QUARTERS: usize = 1024;
    let quarter = period_end.year().unsigned_abs() as usize * 4 + period_end.month0() as usize / 3;
    ordinal * QUARTERS + quarter % QUARTERS
}

/// Draws the dates of the call and of its analysis.
fn draw_dates(world: &World, facts: &QuarterFacts, draw: &mut Draw) -> (NaiveDate, NaiveDate) {
    let after = |day: NaiveDate, days: u64| {
        let day = day.checked_add_days(Days::new(days)).unwrap_or(day);
        calendar::business_day_by(world.market, day)
    };
    // `business_day_by` looks for an earlier day, so a call may be on the day of the results, but not before it.
    let call = after(facts.filing_date, draw.below(3) as u64).max(facts.filing_date);
    (call, after(call, 1 + draw.below(3) as u64).max(call))
}
