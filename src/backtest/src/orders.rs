//! An order that waits to be filled.

use super::costs::TradeSide;
use super::history::{MarketHistory, TradedBar};
use super::record::{ExitReason, UnfilledReason};
use super::rules::BacktestRules;

/// Largest share of a purchase that may stay unfilled in an order that counts as filled: costs leave a little less cash for the shares.
const REMAINDER_OF_PURCHASE: f64 = 0.01;

/// Largest share of a sale that may stay unfilled in an order that counts as filled: only a rounding error, as a position is sold to its
/// last share.
const REMAINDER_OF_SALE: f64 = 1e-9;

/// An order that is not filled completely. Sessions and stocks are indices in the history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PendingOrder {
    pub(super) stock: usize,
    pub(super) side: TradeSide,
    /// Money of a purchase, base shares of a sale.
    pub(super) amount: f64,
    /// Part of the amount that is not filled.
    pub(super) remaining: f64,
    /// Session of the decision.
    pub(super) decided: usize,
    /// First session in which the order can fill.
    pub(super) placed: usize,
    /// Exit reason of the round trip, if this order ends it.
    pub(super) exit: ExitReason,
    /// Reason why the order was not filled in the last session.
    pub(super) reason: UnfilledReason,
}

impl PendingOrder {
    /// Returns an order that can fill from the session `placed` on.
    pub(super) const fn new(stock: usize, side: TradeSide, amount: f64, placed: usize) -> Self {
        Self {
            stock,
            side,
            amount,
            remaining: amount,
            decided: placed - 1,
            placed,
            exit: ExitReason::NotPicked,
            reason: UnfilledReason::Ended,
        }
    }

    /// Returns the bar in which the order can fill, or the reason why it cannot.
    pub(super) fn bar<'a>(
        &self,
        history: &'a MarketHistory,
        session: usize,
        rules: &BacktestRules,
    ) -> Result<&'a TradedBar, UnfilledReason> {
        let bar = history.bar(self.stock, session).filter(|bar| !bar.is_idle());
        let bar = bar.ok_or(UnfilledReason::NoBar)?;
        if bar.limits.is_locked(self.side, rules.fill) { Err(UnfilledReason::Locked) } else { Ok(bar) }
    }

    /// Returns how much of the remaining amount the volume of a bar allows, in the unit of the order.
    pub(super) fn within_volume(&self, bar: &TradedBar, rules: &BacktestRules) -> f64 {
        let Some(share) = rules.volume_share else { return self.remaining };
        let most = match self.side {
            TradeSide::Buy => share * bar.volume * bar.fill_price(rules.fill),
            TradeSide::Sell => share * bar.volume / bar.factor,
        };
        self.remaining.min(most)
    }

    /// Subtracts a filled part from the remaining amount; `reason` says why the order waits if an amount remains.
    pub(super) fn fill(&mut self, part: f64, reason: UnfilledReason) {
        self.remaining = (self.remaining - part).max(0.0);
        self.reason = reason;
    }

    /// Returns true if there is nothing left to fill.
    pub(super) fn is_done(&self) -> bool {
        let tolerance = match self.side {
            TradeSide::Buy => REMAINDER_OF_PURCHASE,
            TradeSide::Sell => REMAINDER_OF_SALE,
        };
        self.remaining <= self.amount * tolerance
    }

    /// Returns true if the order has waited for all sessions of the rules.
    pub(super) const fn is_expired(&self, session: usize, rules: &BacktestRules) -> bool {
        session >= self.placed + rules.wait
    }
}
