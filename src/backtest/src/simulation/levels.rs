//! Exits within a session: at a stop or a target, or at an open beyond it.

use super::filling::PricedBar;
use super::{HeldStock, LEAST_CHANGE, Simulation};
use crate::costs::TradeSide;
use crate::history::TradedBar;
use crate::orders::PendingOrder;
use crate::record::{ExitReason, UnfilledReason};
use crate::rules::{BacktestRules, FillTime};

/// Relative rounding error up to which a price counts as at a level.
const ROUNDING: f64 = 1e-9;

/// A level that the prices of a session reached.
struct ReachedLevel {
    exit: ExitReason,
    /// Price of the exit, as traded.
    price: f64,
    /// True if there is no buyer at this price.
    is_locked: bool,
}

impl Simulation<'_> {
    /// Sells the positions whose prices reached a level, in the order of the stocks.
    pub(super) fn exit_at_levels(&mut self, session: usize) {
        if self.rules.stop_pct.is_none() && self.rules.target_pct.is_none() {
            return;
        }
        let (history, rules) = (self.history, self.rules);
        let reached = self.holdings.iter().filter_map(|(stock, held)| {
            let bar = history.bar(*stock, session).filter(|bar| !bar.is_idle())?;
            if self.is_being_sold(*stock, held) {
                return None;
            }
            let order = PendingOrder::new(*stock, TradeSide::Sell, held.base_shares, session + 1);
            Some((order, bar, reached_level(rules, held.entry, bar)?))
        });
        for (order, bar, level) in reached.collect::<Vec<_>>() {
            self.exit_at(PendingOrder { exit: level.exit, ..order }, bar, &level);
        }
    }

    /// Returns true if an order to sell all shares of a position waits.
    fn is_being_sold(&self, stock: usize, held: &HeldStock) -> bool {
        let all = held.base_shares * (1.0 - LEAST_CHANGE);
        let sells_all = |order: &PendingOrder| order.side == TradeSide::Sell && order.remaining >= all;
        self.orders.iter().any(|order| order.stock == stock && sells_all(order))
    }

    /// Fills a sell order at a level, in place of the waiting orders of its stock. Shares that cannot be sold wait for the next session.
    fn exit_at(&mut self, mut order: PendingOrder, bar: &TradedBar, level: &ReachedLevel) {
        let (replaced, others) =
            std::mem::take(&mut self.orders).into_iter().partition(|other| other.stock == order.stock);
        self.orders = others;
        for waiting in replaced {
            self.record_unfilled(&waiting, UnfilledReason::Replaced);
        }
        if level.is_locked {
            order.reason = UnfilledReason::Locked;
        } else {
            let part = order.within_volume(bar, self.rules);
            let priced = PricedBar { bar, price: level.price };
            self.trade(&order, priced, part * level.price * bar.factor, part);
            order.fill(part, UnfilledReason::Volume);
        }
        self.requeue(order, bar.session as usize);
    }
}

/// Returns the level that a bar reached; `entry` is the price of a base share in the first purchase.
fn reached_level(rules: &BacktestRules, entry: f64, bar: &TradedBar) -> Option<ReachedLevel> {
    let stop = rules.stop_pct.map(|pct| entry * (1.0 - pct / 100.0) / bar.factor);
    let target = rules.target_pct.map(|pct| entry * (1.0 + pct / 100.0) / bar.factor);
    let falls = |price: f64| stop.is_some_and(|stop| price <= stop * (1.0 + ROUNDING));
    let rises = |price: f64| target.is_some_and(|target| price >= target * (1.0 - ROUNDING));
    let at_open = |exit: ExitReason| {
        let is_locked = bar.limits.is_locked(TradeSide::Sell, FillTime::Open);
        Some(ReachedLevel { exit, price: bar.open, is_locked })
    };
    if falls(bar.open) {
        return at_open(ExitReason::Stop);
    }
    if rises(bar.open) {
        return at_open(ExitReason::Target);
    }
    if let Some(price) = stop.filter(|_| falls(bar.low)) {
        // A stop above the lower limit was passed on the way down.
        let is_lowest = bar.low >= price * (1.0 - ROUNDING);
        let is_locked = is_lowest && bar.limits.is_low_at_limit();
        return Some(ReachedLevel { exit: ExitReason::Stop, price, is_locked });
    }
    let price = target.filter(|_| rises(bar.high))?;
    Some(ReachedLevel { exit: ExitReason::Target, price, is_locked: false })
}
