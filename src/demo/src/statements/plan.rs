//! Inputs of a simulation of books, and one quarter of its result.

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

/// Inputs of a simulation of books.
pub(super) struct Plan<'a> {
    pub(super) market: Market,
    pub(super) traits: &'a Traits,
    pub(super) path: &'a Path,
    /// The unit of which all amounts are multiples.
    pub(super) quantum: Money,
    /// Revenue of an average quarter at the end; of banks and lenders, their loans.
    pub(super) scale: f64,
    pub(super) counts: &'a [ShareCount],
    /// The price model's dividend per share in each quarter, in units of [`Money`]; `None` before its sessions.
    pub(super) dividends: &'a [Option<f64>],
    /// Face value per share in each quarter; 0 for shares without one.
    pub(super) face_values: &'a [f64],
    /// True for the first quarter of a fiscal year, in which dividends are paid.
    pub(super) begins_year: &'a [bool],
    /// Market cap over `scale`.
    pub(super) market_value: f64,
    /// Index of the quarter of a new listing, and its issue price in money; `None` for older listings.
    pub(super) offer: Option<(usize, f64)>,
}

impl Plan<'_> {
    pub(super) fn quarters(&self) -> usize {
        self.counts.len()
    }

    /// Rounds an amount to a multiple of the quantum.
    pub(super) fn round_to_quanta(&self, amount: f64) -> Money {
        (amount / self.quantum as f64).round() as Money * self.quantum
    }

    /// Returns the revenue of a quarter.
    pub(super) fn revenue(&self, index: usize) -> f64 {
        self.scale * self.path.revenue(index)
    }

    /// Returns annual revenue at a quarter's level, without its season.
    pub(super) fn year_of_revenue(&self, index: usize) -> f64 {
        4.0 * self.loans(index)
    }

    /// Returns the loans at a quarter's end; for other companies, the revenue of a quarter without its season.
    pub(super) fn loans(&self, index: usize) -> f64 {
        self.scale * self.path.level.get(index).copied().unwrap_or(1.0)
    }

    /// Returns the annual yield of cash.
    pub(super) const fn money_yield(&self) -> f64 {
        match self.market {
            Market::India => 0.06,
            Market::Us => 0.04,
        }
    }

    pub(super) fn face_capital(&self, index: usize) -> Money {
        let shares = self.counts.get(index).map_or(0, |count| count.outstanding);
        self.round_to_quanta(shares as f64 * self.face_values.get(index).copied().unwrap_or_default())
    }

    /// Returns the proceeds of a quarter's new shares.
    pub(super) fn share_issue_proceeds(&self, index: usize) -> Money {
        let Some(count) = self.counts.get(index).filter(|count| count.issued > 0) else { return 0 };
        let usual = 0.9 * self.market_value * self.loans(index) / count.outstanding.max(1) as f64;
        let price = self.offer.filter(|(quarter, _)| *quarter == index).map_or(usual, |(_, price)| price);
        self.round_to_quanta(count.issued as f64 * price)
    }

    /// Returns the dividends paid in a quarter: those of the price model; before its sessions, a part of retained earnings.
    pub(super) fn dividend(&self, index: usize, before: &Balance) -> Money {
        let shares = self.counts.get(index).map_or(0, |count| count.outstanding) as f64;
        match self.dividends.get(index).copied().flatten() {
            Some(per_share) => self.round_to_quanta(per_share * shares),
            None if self.begins_year.get(index) == Some(&true) => {
                let usual = 0.13 * self.traits.payout * before.retained_earnings.max(0) as f64;
                // Idle investments are gradually paid out.
                let idle = before.investments as f64 - 0.2 * self.year_of_revenue(index);
                let is_idle = self.traits.kind == BusinessKind::Company && self.traits.payout > 0.0;
                self.round_to_quanta(usual + if is_idle { 0.5 * idle.max(0.0) } else { 0.0 })
            }
            None => 0,
        }
    }
}
