//! Fiscal quarters and years, and filing dates.
//!
//! Quarters end with calendar quarters; a fiscal year may end with any of them.

use chrono::{Datelike, Days, Months, NaiveDate};

use crate::calendar;
use crate::draw::Draw;
use parquote_catalogue::operation::Market;

/// A calendar quarter, counted from the year 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct QuarterNumber(i32);

impl QuarterNumber {
    /// Returns the quarter of a day.
    pub(super) fn from_date(day: NaiveDate) -> Self {
        Self(day.year() * 4 + day.month0() as i32 / 3)
    }

    /// Returns the quarter `quarters` later.
    pub(super) fn plus(self, quarters: i32) -> Self {
        Self(self.0 + quarters)
    }

    /// Returns the number of quarters since an earlier one.
    pub(super) fn quarters_since(self, earlier: Self) -> i32 {
        self.0 - earlier.0
    }

    /// Returns the quarter's index in the calendar year, 0..4.
    pub(super) fn index_in_year(self) -> usize {
        self.0.rem_euclid(4) as usize
    }

    /// Returns the quarter's first day.
    pub(super) fn start(self) -> NaiveDate {
        NaiveDate::from_ymd_opt(self.0.div_euclid(4), self.index_in_year() as u32 * 3 + 1, 1)
            .unwrap_or_default()
    }

    /// Returns the quarter's last day.
    pub(super) fn end(self) -> NaiveDate {
        self.start().checked_add_months(Months::new(3)).and_then(|day| day.pred_opt()).unwrap_or_default()
    }

    /// Returns the fiscal year, named by its end, and the quarter in it, 1..=4, for fiscal years that end with month `year_end`.
    pub(super) fn fiscal(self, year_end: u32) -> (i32, u8) {
        let end = self.end();
        let year = end.year() + i32::from(end.month() > year_end);
        (year, ((end.month() + 11 - year_end) % 12 / 3 + 1) as u8)
    }
}

/// A company's usual filing delay.
#[derive(Debug, Clone, Copy)]
pub(super) struct FilingDelay {
    /// Usual number of days from a quarter's end to its filing.
    usual: f64,
}

impl FilingDelay {
    /// Draws a delay; `rank`, 0..1, is the company's size, and large companies file faster.
    pub(super) fn draw(rank: f64, draw: &mut Draw) -> Self {
        Self { usual: draw.between(27.0, 44.0) - 5.0 * rank }
    }

    /// Draws a filing date, a business day: 20 to 44 days after a quarter, up to 58 after a year, because of the audit.
    pub(super) fn filing(self, market: Market, end: NaiveDate, is_year: bool, draw: &mut Draw) -> NaiveDate {
        let drawn = self.usual + 1.5 * draw.normal() + if is_year { draw.between(2.0, 14.0) } else { 0.0 };
        let days = drawn.clamp(24.0, if is_year { 58.0 } else { 44.0 });
        let day = end.checked_add_days(Days::new(days as u64)).unwrap_or(end);
        calendar::business_day_by(market, day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fiscal_years_are_named_by_the_year_they_end_in() {
        let quarter =
            |year, month| QuarterNumber::from_date(NaiveDate::from_ymd_opt(year, month, 5).unwrap());
        assert_eq!(quarter(2026, 2).fiscal(3), (2026, 4));
        assert_eq!(quarter(2026, 5).fiscal(3), (2027, 1));
        assert_eq!(quarter(2025, 12).fiscal(12), (2025, 4));
        assert_eq!(quarter(2025, 11).fiscal(9), (2026, 1));
        assert_eq!(quarter(2026, 2).end(), NaiveDate::from_ymd_opt(2026, 3, 31).unwrap());
        assert_eq!(quarter(2026, 2).quarters_since(quarter(2025, 2)), 4);
    }
}
