//! Shares that promoters have pledged for loans, at the end of each quarter.
//!
//! Most promoters have pledged nothing; those of companies in trouble have pledged most. Levels move slowly.

use chrono::{Days, NaiveDate};

use crate::demo::draw::{Draw, Purpose};
use crate::demo::holders::{self, Quarter};
use crate::demo::statements::Story;
use crate::demo::world::{Listing, World};

/// The pledge of a quarter; shares are in hundredths of a percent.
#[derive(Debug)]
pub(super) struct Pledge {
    pub(super) end: NaiveDate,
    pub(super) filed: NaiveDate,
    /// What promoters hold, of all shares.
    pub(super) promoters: u32,
    /// What is pledged, of what promoters hold.
    pub(super) pledged: u32,
    /// The pledged shares; none where the number of shares of that day is not known.
    pub(super) shares: Option<u64>,
}

/// The pledges of a company by quarter, the oldest first.
pub(super) fn pledges(world: &World, listing: &Listing) -> Vec<Pledge> {
    let mut draw = Draw::new(world.seed, world.market, Purpose::Pledges, listing.company.place);
    let is_distressed = matches!(listing.statements.story, Story::Distressed);
    let has_any = draw.chance(if is_distressed { 0.85 } else { 0.22 });
    let start = if is_distressed { draw.between(2_500.0, 8_000.0) } else { draw.between(100.0, 3_500.0) };
    let mut level = if has_any { start } else { 0.0 };
    let quarters = holders::quarters(world, listing).into_iter();
    quarters
        .map(|quarter| {
            let wait = 8 + draw.below(14) as u64;
            let moves = if draw.chance(0.45) { draw.normal() * 350.0 } else { 0.0 };
            if level > 0.0 {
                // Some pledges are released as a whole.
                level = if draw.chance(0.02) { 0.0 } else { (level + moves).clamp(25.0, 9_500.0) };
            } else if draw.chance(0.008) {
                level = draw.between(100.0, 1_500.0);
            }
            pledge(listing, &quarter, level.round() as u32, wait)
        })
        .collect()
}

fn pledge(listing: &Listing, quarter: &Quarter, pledged: u32, wait: u64) -> Pledge {
    let stock = listing.statements.quarter_ending(quarter.end).map(|period| period.stock.outstanding);
    let part = |shares: u64| {
        let shares = u128::from(shares) * u128::from(quarter.promoters) * u128::from(pledged);
        (shares / 100_000_000) as u64
    };
    Pledge {
        end: quarter.end,
        filed: quarter.end.checked_add_days(Days::new(wait)).unwrap_or(quarter.end),
        promoters: quarter.promoters,
        pledged,
        shares: stock.map(part),
    }
}
