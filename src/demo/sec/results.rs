//! When a company reports its results: the end of each quarter, and the session on which its report is filed.
//!
//! Years end in December. Reports are filed as the SEC asks of large companies and others: within 25 to 44 days of a quarter,
//! 35 to 74 days of a year.

use chrono::{Datelike, Days, Months, NaiveDate};

use super::super::draw::{Draw, Purpose};
use super::super::world::{Listing, World};

/// A quarter or year that is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Results {
    pub(super) end: NaiveDate,
    pub(super) is_year: bool,
    pub(super) filed: NaiveDate,
}

/// The results that a company filed while it was listed, the oldest first.
pub(super) fn of(world: &World, listing: &Listing) -> Vec<Results> {
    let mut draw = Draw::new(world.seed, world.market, Purpose::SecResults, listing.company.place);
    let (quick, dates) = (draw.below(20) as u64, world.calendar.dates());
    let first = dates.first().copied().unwrap_or_default();
    let mut end = NaiveDate::from_ymd_opt(first.year() - 1, 12, 31).unwrap_or_default();
    let mut results = Vec::new();
    while Some(&end) < dates.last() {
        let is_year = end.month() == 12;
        let days = quick + draw.below(3) as u64 + if is_year { 35 + quick } else { 25 };
        let due = end.checked_add_days(Days::new(days)).unwrap_or(end);
        let session = dates.partition_point(|date| *date < due);
        if let Some(filed) = dates.get(session).filter(|_| listing.life.listed.contains(&session)) {
            results.push(Results { end, is_year, filed: *filed });
        }
        // From the last day of a quarter to that of the next.
        let after = end.checked_add_days(Days::new(1)).and_then(|day| day.checked_add_months(Months::new(3)));
        end = after.and_then(|day| day.pred_opt()).unwrap_or(NaiveDate::MAX);
    }
    results
}
