//! Who holds a company: promoters, employees' trusts, and the public the rest, at the end of each quarter.
//!
//! Shares are whole hundredths of a percent, so that the three add up to 100 exactly.

use chrono::{Datelike, Days, Months, NaiveDate};

use super::draw::{Draw, Purpose};
use super::world::{Listing, World};

/// Days after a quarter's end within which companies file.
const FILED_WITHIN: u64 = 21;
/// Quarters before the first session that files go back to.
const QUARTERS_BEFORE: u32 = 4;

/// The holders of a company at the end of a quarter, in hundredths of a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quarter {
    pub(crate) end: NaiveDate,
    pub(crate) promoters: u32,
    pub(crate) trusts: u32,
}

impl Quarter {
    /// What the public holds.
    pub(crate) fn public(&self) -> u32 {
        10_000 - self.promoters - self.trusts
    }
}

/// The quarters of a company that were filed by the last session, the oldest first.
pub(crate) fn quarters(world: &World, listing: &Listing) -> Vec<Quarter> {
    let mut draw = Draw::new(world.seed, world.market, Purpose::Holders, listing.company.place);
    let mut promoters = promoters_at_first(&mut draw);
    let trusts = if draw.chance(0.25) { 1 + draw.below(150) as u32 } else { 0 };
    let last = world.calendar.date(world.sessions().saturating_sub(1));
    let first =
        world.calendar.date(0).checked_sub_months(Months::new(3 * QUARTERS_BEFORE)).unwrap_or_default();
    let mut quarters = Vec::new();
    let mut end = quarter_end(first);
    while end.checked_add_days(Days::new(FILED_WITHIN)).is_some_and(|filed| filed <= last) {
        let is_listed = end >= listing.life.listing_date;
        let moves = if draw.chance(0.3) { draw.between(-120.0, 90.0) as i32 } else { 0 };
        promoters = promoters.saturating_add_signed(moves).clamp(100, 7_500);
        if is_listed {
            quarters.push(Quarter { end, promoters, trusts });
        }
        end = quarter_end(end.checked_add_days(Days::new(1)).unwrap_or_default());
    }
    quarters
}

/// What the promoters of a company hold before the first quarter, in hundredths of a percent.
pub(crate) fn promoters_at_first(draw: &mut Draw) -> u32 {
    draw.between(1_800.0, 7_400.0) as u32
}

/// The last day of a date's quarter.
fn quarter_end(date: NaiveDate) -> NaiveDate {
    let month = date.month0() / 3 * 3 + 1;
    let first = NaiveDate::from_ymd_opt(date.year(), month, 1).unwrap_or_default();
    first.checked_add_months(Months::new(3)).and_then(|next| next.pred_opt()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_end_with_their_third_month() {
        let day = |month, day| NaiveDate::from_ymd_opt(2026, month, day).unwrap();
        assert_eq!(quarter_end(day(2, 14)), day(3, 31));
        assert_eq!(quarter_end(day(12, 31)), day(12, 31));
        assert_eq!(quarter_end(day(4, 1)), day(6, 30));
    }
}
