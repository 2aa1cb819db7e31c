//! The portfolio, session by session: dividends, decisions, sales, purchases, exits at levels, closed positions and the equity.
//!
//! A session uses bars up to the session, and decisions of earlier days.

mod filling;
mod levels;

use std::collections::{BTreeMap, BTreeSet};

use super::costs::CostSchedule;
use super::costs::TradeSide;
use super::decision::DatedTargets;
use super::history::{MarketHistory, TradedBar};
use super::orders::PendingOrder;
use super::record::{
    EquityDay, EventCounts, ExitReason, RoundTrip, StockFill, UnfilledOrder, UnfilledReason,
};
use super::rules::{BacktestRules, FillTime};
use super::weights::TargetWeight;

/// Share of the equity up to which a change of a position counts as a rounding error, which is not traded.
const LEAST_CHANGE: f64 = 1e-9;

/// The state of the portfolio, and the record of the simulation. Sessions and stocks are indices in the history.
pub(super) struct Simulation<'a> {
    history: &'a MarketHistory,
    rules: &'a BacktestRules,
    costs: &'a CostSchedule,
    cash: f64,
    holdings: BTreeMap<usize, HeldStock>,
    orders: Vec<PendingOrder>,
    /// All fills so far, oldest first.
    pub(super) fills: Vec<StockFill>,
    /// Closed round trips, and at the end the open ones.
    pub(super) round_trips: Vec<RoundTrip>,
    /// Orders that ended without being filled whole.
    pub(super) unfilled: Vec<UnfilledOrder>,
    /// Equity of each session.
    pub(super) equity: Vec<EquityDay>,
    /// Sum of each charge, in the order of the schedule's names.
    pub(super) charges: Vec<f64>,
    /// Counts of decisions, picks and special cases.
    pub(super) counts: EventCounts,
}

/// An open position in one stock.
struct HeldStock {
    base_shares: f64,
    /// Price of a base share in the first purchase.
    entry: f64,
    /// Session from which `hold` is counted.
    held_since: usize,
    /// Last bar at whose close the position was valued.
    last: TradedBar,
    trip: RoundTrip,
}

impl<'a> Simulation<'a> {
    /// Starts with all capital in cash at the close of a session.
    pub(super) fn new(
        history: &'a MarketHistory,
        rules: &'a BacktestRules,
        costs: &'a CostSchedule,
        start: usize,
    ) -> Self {
        let capital = rules.capital;
        let first = EquityDay { session: history.date(start), equity: capital, cash: capital, positions: 0 };
        Self {
            history,
            rules,
            costs,
            cash: capital,
            holdings: BTreeMap::new(),
            orders: Vec::new(),
            fills: Vec::new(),
            round_trips: Vec::new(),
            unfilled: Vec::new(),
            equity: vec![first],
            charges: vec![0.0; costs.names().len()],
            counts: EventCounts::default(),
        }
    }

    /// Runs one session; `decision` is the decision of the session before, if there is one.
    pub(super) fn run_session(&mut self, session: usize, decision: Option<&DatedTargets>) {
        self.pay_dividends(session);
        if self.rules.fill == FillTime::Close {
            self.exit_at_levels(session);
        }
        if let Some(decision) = decision {
            self.place_orders(session, decision);
        }
        self.sell_after_hold(session);
        self.fill_sales(session);
        self.fill_purchases(session);
        if self.rules.fill == FillTime::Open {
            self.exit_at_levels(session);
        }
        self.close_gone(session);
        self.record_equity(session);
    }

    /// Ends the simulation after the last session: counts open orders and positions, and values the positions at their last close.
    pub(super) fn end(&mut self) {
        let last = self.history.sessions().len().saturating_sub(1);
        for order in std::mem::take(&mut self.orders) {
            self.record_unfilled(&order, UnfilledReason::Ended);
        }
        for held in std::mem::take(&mut self.holdings).into_values() {
            self.counts.open_without_bar += usize::from((held.last.session as usize) < last);
            let mut trip = held.trip;
            trip.sold += held.base_shares * held.last.base_close();
            self.round_trips.push(with_profit(trip));
        }
    }

    fn pay_dividends(&mut self, session: usize) {
        for paid in self.history.dividends_within(session, session) {
            if let Some(held) = self.holdings.get_mut(&paid.stock) {
                let money = held.base_shares * paid.amount;
                held.trip.dividends += money;
                self.cash += money;
            }
        }
    }

    /// Returns the fill price of a base share in a session, or the last close before it if there is no bar.
    fn mark_price(&self, stock: usize, session: usize) -> Option<f64> {
        let bar = self.history.bar_until(stock, session)?;
        let is_of_session = bar.session as usize == session;
        Some(if is_of_session { bar.base_fill_price(self.rules.fill) } else { bar.base_close() })
    }

    /// Returns the value of a position at the fill price of a session.
    fn value_of(&self, stock: usize, held: &HeldStock, session: usize) -> f64 {
        held.base_shares * self.mark_price(stock, session).unwrap_or_else(|| held.last.base_close())
    }

    fn place_orders(&mut self, session: usize, decision: &DatedTargets) {
        self.counts.decisions += 1;
        self.counts.picks += decision.picked;
        self.counts.unknown_picks += decision.unknown;
        self.counts.unweighted_picks += decision.unweighted;
        let values = self.holdings.iter().map(|(stock, held)| self.value_of(*stock, held, session));
        let equity = self.cash + values.sum::<f64>();
        self.rebalance(session, &decision.targets, equity);
    }

    /// Returns the values of the positions within `hold`, which a decision leaves unchanged.
    fn positions_within_hold(&self, session: usize) -> BTreeMap<usize, f64> {
        let hold = self.rules.hold.unwrap_or(0);
        let within = self.holdings.iter().filter(|(_, held)| session < held.held_since + hold);
        within.map(|(stock, held)| (*stock, self.value_of(*stock, held, session))).collect()
    }

    fn rebalance(&mut self, session: usize, targets: &[TargetWeight], equity: f64) {
        let within_hold = self.positions_within_hold(session);
        let (waiting, replaced): (Vec<PendingOrder>, Vec<PendingOrder>) = std::mem::take(&mut self.orders)
            .into_iter()
            .partition(|order| within_hold.contains_key(&order.stock));
        for order in replaced {
            self.record_unfilled(&order, UnfilledReason::Replaced);
        }
        let purchases = waiting.iter().filter(|order| order.side == TradeSide::Buy);
        let committed =
            within_hold.values().sum::<f64>() + purchases.map(|order| order.remaining).sum::<f64>();
        self.orders = waiting;
        let picked: BTreeSet<usize> = targets.iter().map(|target| target.stock).collect();
        // With `hold`, all other positions are past it.
        let exit = if self.rules.hold.is_some() { ExitReason::HeldLongEnough } else { ExitReason::NotPicked };
        for (stock, held) in &mut self.holdings {
            if picked.contains(stock) {
                held.held_since = session;
            } else if !within_hold.contains_key(stock) {
                let order = PendingOrder::new(*stock, TradeSide::Sell, held.base_shares, session);
                self.orders.push(PendingOrder { exit, ..order });
            }
        }
        let (mut available, slot) = (equity - committed, equity / (within_hold.len() + 1) as f64);
        let others = targets.iter().filter(|target| !within_hold.contains_key(&target.stock));
        let (held_before, new): (Vec<&TargetWeight>, Vec<&TargetWeight>) =
            others.partition(|target| self.holdings.contains_key(&target.stock));
        for target in held_before.into_iter().chain(new) {
            let Some(mark) = self.mark_price(target.stock, session) else { continue };
            let held = self.holdings.get(&target.stock).map_or(0.0, |held| held.base_shares);
            let target_value = target.weight * equity;
            let value =
                if within_hold.is_empty() || held > 0.0 { target_value } else { target_value.min(available) };
            // A small part of a target would occupy a slot of the portfolio for all of `hold`.
            if value < target_value.min(slot) / 2.0 {
                let order = PendingOrder::new(target.stock, TradeSide::Buy, target_value, session);
                self.record_unfilled(&order, UnfilledReason::Cash);
                continue;
            }
            available -= value;
            let change = value - held * mark;
            if change.abs() <= LEAST_CHANGE * equity {
                continue;
            }
            let (side, amount) = if change > 0.0 {
                (TradeSide::Buy, change)
            } else {
                (TradeSide::Sell, (-change / mark).min(held))
            };
            self.orders.push(PendingOrder::new(target.stock, side, amount, session));
        }
    }

    fn sell_after_hold(&mut self, session: usize) {
        let Some(hold) = self.rules.hold else { return };
        for (stock, held) in &self.holdings {
            let is_due = session >= held.held_since + hold;
            let is_sold =
                self.orders.iter().any(|order| order.stock == *stock && order.side == TradeSide::Sell);
            if is_due && !is_sold {
                let order = PendingOrder::new(*stock, TradeSide::Sell, held.base_shares, session);
                self.orders.push(PendingOrder { exit: ExitReason::HeldLongEnough, ..order });
            }
        }
    }

    fn close_trip(&mut self, stock: usize, session: chrono::NaiveDate, exit: ExitReason) {
        if let Some(held) = self.holdings.remove(&stock) {
            let closed = RoundTrip { closed: Some(session), exit: Some(exit), ..held.trip };
            self.round_trips.push(with_profit(closed));
        }
    }

    /// Queues an unfinished order for the next session, or records it as unfilled if it has waited for as many sessions as the rules allow.
    fn requeue(&mut self, order: PendingOrder, session: usize) {
        if order.is_done() {
            return;
        }
        if order.is_expired(session, self.rules) {
            self.record_unfilled(&order, order.reason);
        } else {
            self.orders.push(order);
        }
    }

    fn record_unfilled(&mut self, order: &PendingOrder, reason: UnfilledReason) {
        self.unfilled.push(UnfilledOrder {
            decided: self.history.date(order.decided),
            symbol: self.history.symbol(order.stock).to_owned(),
            side: order.side,
            reason,
            share: order.remaining / order.amount,
        });
    }

    /// Closes positions without a bar for `gone_after` sessions, and drops their orders to sell.
    fn close_gone(&mut self, session: usize) {
        let is_gone = |stock: usize| {
            let last = self.history.bar_until(stock, session).map_or(0, |bar| bar.session as usize);
            session - last >= self.rules.gone_after
        };
        let gone: Vec<usize> = self.holdings.keys().copied().filter(|stock| is_gone(*stock)).collect();
        for stock in gone {
            self.counts.positions_gone += 1;
            if let Some(held) = self.holdings.get_mut(&stock) {
                let money = held.base_shares * held.last.base_close() * self.rules.recovery;
                held.trip.sold += money;
                self.cash += money;
            }
            self.orders.retain(|order| order.stock != stock || order.side == TradeSide::Buy);
            self.close_trip(stock, self.history.date(session), ExitReason::Gone);
        }
    }

    fn record_equity(&mut self, session: usize) {
        let mut value = 0.0;
        for (stock, held) in &mut self.holdings {
            if let Some(bar) = self.history.bar(*stock, session) {
                self.counts.jumps_held += usize::from(bar.is_jump_from(&held.last));
                held.last = *bar;
            }
            value += held.base_shares * held.last.base_close();
        }
        self.equity.push(EquityDay {
            session: self.history.date(session),
            equity: self.cash + value,
            cash: self.cash,
            positions: self.holdings.len(),
        });
    }
}

fn with_profit(trip: RoundTrip) -> RoundTrip {
    RoundTrip { profit: trip.sold + trip.dividends - trip.bought - trip.costs, ..trip }
}
