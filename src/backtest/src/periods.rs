//! Growth of single stocks from one decision to the next, without costs, to compare picks with the universe and with random portfolios.

use super::costs::TradeSide;
use super::history::MarketHistory;
use super::rules::BacktestRules;

/// The sessions between the fills of a decision and those of the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HoldingPeriod {
    /// Index of the session after the decision.
    pub(super) first: usize,
    /// Index of the session after the next decision; of the last session if there is no next one.
    pub(super) last: usize,
    /// True if the period ends at a close because no decision follows.
    pub(super) is_open: bool,
}

impl HoldingPeriod {
    /// Returns the growth factor of money in a stock over the period, dividends included. Without a bar, or with a price at its limit, the
    /// purchase waits as in the simulation; if it never fills, the money stays in cash, and the factor is 1.
    pub(super) fn growth(&self, history: &MarketHistory, stock: usize, rules: &BacktestRules) -> f64 {
        self.growth_if_filled(history, stock, rules).unwrap_or(1.0)
    }

    fn growth_if_filled(&self, history: &MarketHistory, stock: usize, rules: &BacktestRules) -> Option<f64> {
        let latest = self.last.min(self.first + rules.wait);
        let (entry, bought) = (self.first..=latest).find_map(|session| {
            let bar = history.bar(stock, session).filter(|bar| !bar.is_idle())?;
            let is_locked = bar.limits.is_locked(TradeSide::Buy, rules.fill);
            (!is_locked).then(|| (session, bar.base_fill_price(rules.fill)))
        })?;
        let bar = history.bar_until(stock, self.last)?;
        let missing_sessions = self.last - bar.session as usize;
        let sold = match missing_sessions {
            0 if !self.is_open => bar.base_fill_price(rules.fill),
            _ if missing_sessions >= rules.gone_after => bar.base_close() * rules.recovery,
            _ => bar.base_close(),
        };
        let dividends = history.dividends_within(entry + 1, self.last);
        let paid: f64 = dividends.iter().filter(|paid| paid.stock == stock).map(|paid| paid.amount).sum();
        Some((sold + paid) / bought)
    }
}
