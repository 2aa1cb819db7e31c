//! Who holds a company: promoters, employees' trusts, and the public the rest by its classes, at the end of each quarter.
//!
//! Shares are whole hundredths of a percent, so that classes add up to the public and all to 100 exactly.

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
    /// Foreign institutions, of the public.
    pub(crate) foreign: u32,
    /// Domestic institutions, of the public.
    pub(crate) domestic: u32,
    /// Mutual funds, of the domestic institutions.
    pub(crate) mutual_funds: u32,
    /// Insurers, of the domestic institutions.
    pub(crate) insurers: u32,
    /// Governments, of the public.
    pub(crate) government: u32,
}

impl Quarter {
    /// What the public holds.
    pub(crate) fn public(&self) -> u32 {
        10_000 - self.promoters - self.trusts
    }

    /// What is left of the public for individuals and companies.
    pub(crate) fn others(&self) -> u32 {
        self.public().saturating_sub(self.foreign + self.domestic + self.government)
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
    let mut classes =
        Classes::new(Draw::new(world.seed, world.market, Purpose::Institutions, listing.company.place));
    let mut quarters = Vec::new();
    let mut end = quarter_end(first);
    while end.checked_add_days(Days::new(FILED_WITHIN)).is_some_and(|filed| filed <= last) {
        let is_listed = end >= listing.life.listing_date;
        let moves = if draw.chance(0.3) { draw.between(-120.0, 90.0) as i32 } else { 0 };
        promoters = promoters.saturating_add_signed(moves).clamp(100, 7_500);
        let quarter = classes.next(end, promoters, trusts);
        if is_listed {
            quarters.push(quarter);
        }
        end = quarter_end(end.checked_add_days(Days::new(1)).unwrap_or_default());
    }
    quarters
}

/// How the public of a company is parted: shares of it that drift from quarter to quarter.
struct Classes {
    draw: Draw,
    foreign: f64,
    domestic: f64,
    /// Of the domestic institutions.
    mutual_funds: f64,
    /// Of the domestic institutions.
    insurers: f64,
    government: f64,
}

impl Classes {
    fn new(mut draw: Draw) -> Self {
        Self {
            foreign: draw.between(0.08, 0.42),
            domestic: draw.between(0.1, 0.36),
            mutual_funds: draw.between(0.45, 0.65),
            insurers: draw.between(0.1, 0.3),
            government: if draw.chance(0.2) { draw.between(0.001, 0.02) } else { 0.0 },
            draw,
        }
    }

    /// The next quarter: what one class of institutions sells another one mostly buys.
    fn next(&mut self, end: NaiveDate, promoters: u32, trusts: u32) -> Quarter {
        let flow = self.draw.between(-0.015, 0.015);
        self.foreign = (self.foreign + flow).clamp(0.01, 0.5);
        self.domestic = (self.domestic - flow * self.draw.between(0.4, 0.9)).clamp(0.02, 0.45);
        self.mutual_funds = (self.mutual_funds + self.draw.between(-0.01, 0.01)).clamp(0.3, 0.69);
        let mut quarter = Quarter {
            end,
            promoters,
            trusts,
            foreign: 0,
            domestic: 0,
            mutual_funds: 0,
            insurers: 0,
            government: 0,
        };
        let part = |of: u32, share: f64| (f64::from(of) * share) as u32;
        let public = quarter.public();
        quarter.foreign = part(public, self.foreign);
        quarter.domestic = part(public, self.domestic);
        quarter.mutual_funds = part(quarter.domestic, self.mutual_funds);
        quarter.insurers = part(quarter.domestic, self.insurers);
        quarter.government = part(public, self.government);
        quarter
    }
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
