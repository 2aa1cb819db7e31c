//! The inputs of a simulation of books, and one quarter of its result.

use super::character::Traits;
use super::path::Path;
use super::shares::ShareCount;
use super::{Balance, BusinessKind, Flows, Income, Money};
use parquote_catalogue::operation::Market;

/// The figures of one quarter.
#[derive(Debug, Clone)]
pub(super) struct Quarterly {
    pub(super) income: Income,
    pub(super) balance: Balance,
    pub(super) flows: Flows,
}

/// What books are simulated from.
pub(super) struct Plan<'a> {
    pub(super) market: Market,
    pub(super) traits: &'a Traits,
    pub(super) path: &'a Path,
    /// Amounts are multiples of this.
    pub(super) quantum: Money,
    /// Revenue of a usual quarter at the end; of banks and lenders their loans.
    pub(super) scale: f64,
    pub(super) counts: &'a [ShareCount],
    /// What the price model pays a share in each quarter, in money; none before its sessions.
    pub(super) dividends: &'a [Option<f64>],
    /// Face value of one share in each quarter; 0 where shares have none.
    pub(super) faces: &'a [f64],
    /// Whether the quarter is the first of a fiscal year, in which dividends are paid.
    pub(super) begins_year: &'a [bool],
    /// Market cap over `scale`, and the issue price of a new listing in money a share with its quarter.
    pub(super) worth: f64,
    pub(super) offer: Option<(usize, f64)>,
}

impl Plan<'_> {
    pub(super) fn quarters(&self) -> usize {
        self.counts.len()
    }

    /// An amount in whole quanta.
    pub(super) fn whole(&self, amount: f64) -> Money {
        (amount / self.quantum as f64).round() as Money * self.quantum
    }

    /// Revenue of a quarter.
    pub(super) fn revenue(&self, place: usize) -> f64 {
        self.scale * self.path.revenue(place)
    }

    /// A year of revenue at a quarter's level, without its season.
    pub(super) fn year_of_revenue(&self, place: usize) -> f64 {
        4.0 * self.loans(place)
    }

    /// Loans at the end of a quarter.
    pub(super) fn loans(&self, place: usize) -> f64 {
        self.scale * self.path.level.get(place).copied().unwrap_or(1.0)
    }

    /// What cash earns in a year.
    pub(super) const fn money_yield(&self) -> f64 {
        match self.market {
            Market::India => 0.06,
            Market::Us => 0.04,
        }
    }

    pub(super) fn face_capital(&self, place: usize) -> Money {
        let shares = self.counts.get(place).map_or(0, |count| count.outstanding);
        self.whole(shares as f64 * self.faces.get(place).copied().unwrap_or_default())
    }

    /// What new shares of a quarter bring.
    pub(super) fn raised(&self, place: usize) -> Money {
        let Some(count) = self.counts.get(place).filter(|count| count.issued > 0) else { return 0 };
        let usual = 0.9 * self.worth * self.loans(place) / count.outstanding.max(1) as f64;
        let price = self.offer.filter(|(quarter, _)| *quarter == place).map_or(usual, |(_, price)| price);
        self.whole(count.issued as f64 * price)
    }

    /// What is paid out in a quarter: what the price model says, before its sessions a part of retained earnings.
    pub(super) fn dividend(&self, place: usize, before: &Balance) -> Money {
        let shares = self.counts.get(place).map_or(0, |count| count.outstanding) as f64;
        match self.dividends.get(place).copied().flatten() {
            Some(a_share) => self.whole(a_share * shares),
            None if self.begins_year.get(place) == Some(&true) => {
                let usual = 0.13 * self.traits.payout * before.retained_earnings.max(0) as f64;
                // What lies idle goes to owners sooner or later.
                let idle = before.investments as f64 - 0.2 * self.year_of_revenue(place);
                let is_idle = self.traits.kind == BusinessKind::Company && self.traits.payout > 0.0;
                self.whole(usual + if is_idle { 0.5 * idle.max(0.0) } else { 0.0 })
            }
            None => 0,
        }
    }
}
