//! The shareholding pattern of a company at a quarter's end: promoters, employees' trusts, and the public by class.
//!
//! Holdings are whole hundredths of a percent, so that the classes add up to exactly 100 %. `ownership` models the promoters' part; this
//! file has the other classes.

use chrono::{Datelike, Months, NaiveDate};

use super::draw::Draw;

/// The holders at a quarter's end, in hundredths of a percent of all shares unless stated otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quarter {
    pub(crate) end: NaiveDate,
    /// Day on which the shareholding was filed.
    pub(crate) filed: NaiveDate,
    pub(crate) promoters: u32,
    pub(crate) trusts: u32,
    /// Share of foreign institutions.
    pub(crate) foreign: u32,
    pub(crate) mutual_funds: u32,
    /// Insurers, banks and pension funds: domestic institutions other than mutual funds.
    pub(crate) insurers: u32,
    pub(crate) government: u32,
    /// The pledged part of the promoters' shares, in hundredths of a percent of these.
    pub(crate) pledged: u32,
    /// Number of pledged shares; `None` if the share count of that day is unknown.
    pub(crate) pledged_shares: Option<u64>,
}

impl Quarter {
    /// Returns the public's part, including institutions.
    pub(crate) fn public(&self) -> u32 {
        10_000 - self.promoters - self.trusts
    }

    /// Returns the part of domestic institutions.
    pub(crate) fn domestic_part(&self) -> u32 {
        self.mutual_funds + self.insurers
    }

    /// Returns the public's part without institutions and governments.
    pub(crate) fn other_public(&self) -> u32 {
        self.public() - self.foreign - self.domestic_part() - self.government
    }
}

/// The institutions' parts, as fractions of the public's shares.
#[derive(Debug, Clone, Copy)]
pub(super) struct Institutions {
    foreign: f64,
    mutual_funds: f64,
    insurers: f64,
    government: f64,
}

/// Largest fraction of the public's shares that institutions and governments hold.
const MOST_INSTITUTIONAL: f64 = 0.92;

impl Institutions {
    /// Draws the initial parts, larger for larger companies; `rank` is the company's size rank, 0..1.
    pub(super) fn start(rank: f64, draw: &mut Draw) -> Self {
        let all = (0.06 + 0.62 * rank + 0.08 * draw.normal()).clamp(0.02, 0.85);
        let foreign = all * draw.between(0.3, 0.62);
        let mutual_funds = (all - foreign) * draw.between(0.45, 0.8);
        let has_government = draw.chance(0.1);
        let government = draw.between(0.002, 0.05);
        Self {
            foreign,
            mutual_funds,
            insurers: all - foreign - mutual_funds,
            government: if has_government { government } else { 0.0 },
        }
    }

    /// Updates the parts by a quarter's log return of the market cap: foreigners follow the price, mutual funds oppose it.
    pub(super) fn drift(&mut self, log_return: f64, draw: &mut Draw) {
        let bounded_return = log_return.clamp(-0.4, 0.4);
        self.foreign *= (0.05 * draw.normal() + 0.12 * bounded_return).exp();
        self.mutual_funds *= (0.05 * draw.normal() - 0.03 * bounded_return + 0.01).exp();
        self.insurers *= (0.03 * draw.normal()).exp();
        let all = self.foreign + self.mutual_funds + self.insurers + self.government;
        let scale = (MOST_INSTITUTIONAL / all).min(1.0);
        self.foreign *= scale;
        self.mutual_funds *= scale;
        self.insurers *= scale;
    }

    /// Returns the parts of the company that foreigners, mutual funds, insurers and the government hold, in this order. `public` is the
    /// part of the whole public, of which they are fractions.
    pub(super) fn parts_of_public(&self, public: u32) -> [u32; 4] {
        [self.foreign, self.mutual_funds, self.insurers, self.government]
            .map(|part| (part * f64::from(public)) as u32)
    }
}

/// Returns the last day of a date's quarter.
pub(super) fn quarter_end(date: NaiveDate) -> NaiveDate {
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
