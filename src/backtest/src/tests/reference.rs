//! An independent reference: shares as a broker counts them, and rows searched again for each question. It has no base shares, no adjusted
//! prices and no indices of bars; `agreement` compares it with the crate.

use std::collections::HashMap;

use crate::tests::raw_market::{RawBar, RawMarket};
use crate::{BacktestRules, Decision, FillTime, Pick, Weighting};

/// A deliberate fault of the reference, which the comparison must find.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fault {
    None,
    /// Orders fill in the session of the decision.
    OneBarEarly,
    NoCosts,
    NoDividends,
    IgnoresLimits,
}

struct Position {
    symbol: String,
    shares: f64,
    /// Price of the first purchase, adjusted for later splits.
    paid: f64,
    since: usize,
}

#[derive(Clone)]
struct WaitingOrder {
    symbol: String,
    is_buy: bool,
    /// Money of a purchase, shares of a sale; splits change the shares while the order waits.
    size: f64,
    remaining: f64,
    from: usize,
    reason: &'static str,
}

pub(super) struct Reference<'a> {
    pub(super) market: &'a RawMarket,
    rows: HashMap<(usize, &'a str), &'a RawBar>,
    pub(super) rules: BacktestRules,
    fault: Fault,
    cash: f64,
    positions: Vec<Position>,
    orders: Vec<WaitingOrder>,
    pub(super) fills: Vec<(usize, String, bool, f64, f64)>,
    pub(super) dropped: Vec<(String, bool, &'static str)>,
    pub(super) equity: Vec<f64>,
}

impl<'a> Reference<'a> {
    fn row(&self, symbol: &str, day: usize) -> Option<&'a RawBar> {
        self.rows.get(&(day, symbol)).copied()
    }

    fn last_row(&self, symbol: &str, day: usize) -> Option<&'a RawBar> {
        (0..=day).rev().find_map(|day| self.row(symbol, day))
    }

    fn price(&self, row: &RawBar) -> f64 {
        if self.rules.fill == FillTime::Open { row.open } else { row.close }
    }

    /// Multiplies shares by the ratio of an overnight split or unexplained jump.
    fn convert_shares(&mut self, day: usize) {
        for index in 0..self.positions.len() {
            let symbol = self.positions[index].symbol.clone();
            let (Some(now), Some(before)) = (self.row(&symbol, day), self.last_row(&symbol, day - 1)) else {
                continue;
            };
            let is_jump = now.segment != before.segment && now.day - before.day <= 60;
            let ratio = if is_jump { before.close / now.open } else { now.factor / before.factor };
            self.positions[index].shares *= ratio;
            self.positions[index].paid /= ratio;
            for order in &mut self.orders {
                if order.symbol == symbol && !order.is_buy {
                    order.remaining *= ratio;
                    order.size *= ratio;
                }
            }
        }
    }

    fn dividends(&mut self, day: usize) {
        for dividend in &self.market.dividends {
            if dividend.ex_date == self.market.days[day] && self.fault != Fault::NoDividends {
                for position in self.positions.iter().filter(|held| held.symbol == dividend.symbol) {
                    self.cash += position.shares * dividend.amount;
                }
            }
        }
    }

    fn decide(&mut self, day: usize, decision: &Decision) {
        let is_within_hold = |held: &&Position| self.rules.hold.is_some_and(|hold| day - held.since < hold);
        let within_hold: Vec<String> =
            self.positions.iter().filter(is_within_hold).map(|held| held.symbol.clone()).collect();
        for order in self.orders.extract_if(.., |order| !within_hold.contains(&order.symbol)) {
            self.dropped.push((order.symbol, order.is_buy, "replaced"));
        }
        let mark = |symbol: &str| {
            let last = self.last_row(symbol, day).unwrap();
            if last.day == day { self.price(last) } else { last.close }
        };
        let equity =
            self.cash + self.positions.iter().map(|held| held.shares * mark(&held.symbol)).sum::<f64>();
        let count = decision.picks.len() as f64;
        let (mut orders, mut unpaid) = (Vec::new(), Vec::new());
        // Money for stocks that are not held.
        let mut free = equity;
        for order in self.orders.iter().filter(|order| order.is_buy) {
            free -= order.remaining;
        }
        let weight = |pick: &Pick| match self.rules.weighting {
            Weighting::Given => pick.weight.unwrap(),
            _ => 1.0 / count,
        };
        for held in &self.positions {
            let pick = decision.picks.iter().find(|pick| pick.symbol == held.symbol);
            match (within_hold.contains(&held.symbol), pick) {
                (true, _) => free -= held.shares * mark(&held.symbol),
                (false, Some(pick)) => free -= weight(pick) * equity,
                (false, None) => orders.push((held.symbol.clone(), false, held.shares)),
            }
        }
        for pick in &decision.picks {
            if self.last_row(&pick.symbol, day - 1).is_none() || within_hold.contains(&pick.symbol) {
                continue;
            }
            let price = mark(&pick.symbol);
            let held = self.positions.iter().find(|held| held.symbol == pick.symbol);
            let mut money = weight(pick) * equity;
            if held.is_none() && !within_hold.is_empty() {
                let least = money.min(equity / (within_hold.len() as f64 + 1.0)) / 2.0;
                money = money.min(free);
                if money < least {
                    unpaid.push((pick.symbol.clone(), true, "cash"));
                    continue;
                }
                free -= money;
            }
            let change = money - held.map_or(0.0, |held| held.shares) * price;
            if change > 1e-9 * equity {
                orders.push((pick.symbol.clone(), true, change));
            } else if change < -1e-9 * equity {
                orders.push((pick.symbol.clone(), false, -change / price));
            }
        }
        for held in &mut self.positions {
            if decision.picks.iter().any(|pick| pick.symbol == held.symbol) {
                held.since = day;
            }
        }
        self.dropped.extend(unpaid);
        self.orders.extend(orders.into_iter().map(|(symbol, is_buy, size)| WaitingOrder {
            symbol,
            is_buy,
            size,
            remaining: size,
            from: day,
            reason: "no bar",
        }));
    }

    fn after_hold(&mut self, day: usize) {
        let Some(hold) = self.rules.hold else { return };
        for held in &self.positions {
            if day - held.since >= hold && !self.is_sold(&held.symbol) {
                let (symbol, size) = (held.symbol.clone(), held.shares);
                self.orders.push(WaitingOrder {
                    symbol,
                    is_buy: false,
                    size,
                    remaining: size,
                    from: day,
                    reason: "no bar",
                });
            }
        }
    }

    /// Returns the row in which an order can fill, or the reason why it cannot.
    fn tradable(&self, order: &WaitingOrder, day: usize) -> Result<RawBar, &'static str> {
        let row = self.row(&order.symbol, day).filter(|row| row.volume > 0.0).ok_or("no bar")?;
        let price = self.price(row);
        let limit = if order.is_buy { row.upper } else { row.lower };
        let is_locked = limit.is_some_and(|limit| {
            if order.is_buy { price >= limit * 0.999_999 } else { price <= limit * 1.000_001 }
        });
        if is_locked && self.fault != Fault::IgnoresLimits { Err("locked") } else { Ok(row.clone()) }
    }

    fn costs(&self, is_buy: bool, value: f64, row: &RawBar) -> f64 {
        if self.fault == Fault::NoCosts {
            return 0.0;
        }
        let fee = value * if is_buy { 0.002 } else { 0.001 };
        let percent_of_turnover = value / (row.volume * row.close) * 100.0;
        let slippage = value
            * (self.rules.slippage.bps + self.rules.slippage.impact_bps * percent_of_turnover)
            / 10_000.0;
        fee * 1.2 + slippage
    }

    fn trade(&mut self, day: usize) {
        let mut orders = std::mem::take(&mut self.orders);
        orders.sort_by(|one, other| one.symbol.cmp(&other.symbol));
        for order in orders.iter_mut().filter(|order| !order.is_buy && order.from <= day) {
            match self.tradable(order, day) {
                Err(reason) => order.reason = reason,
                Ok(row) => self.sell(order, &row, self.price(&row)),
            }
        }
        let possible: Vec<_> = orders
            .iter()
            .map(|order| if order.is_buy { self.tradable(order, day).map(Some) } else { Ok(None) })
            .collect();
        let sizes = orders.iter().zip(&possible).map(|(order, row)| match row {
            Ok(Some(row)) => {
                let most =
                    self.rules.volume_share.map_or(f64::MAX, |share| share * row.volume * self.price(row));
                order.remaining.min(most)
            }
            _ => 0.0,
        });
        let sizes: Vec<f64> = sizes.collect();
        let mut needed = 0.0;
        for (size, row) in sizes.iter().zip(&possible) {
            if let Ok(Some(row)) = row {
                needed += size + self.costs(true, *size, row);
            }
        }
        let has_cash = self.cash > 1e-9 * self.rules.capital;
        let scale = if needed > self.cash { self.cash / needed } else { 1.0 };
        for ((order, row), size) in orders.iter_mut().zip(possible).zip(sizes) {
            match row {
                Err(reason) => order.reason = reason,
                Ok(None) => {}
                Ok(Some(_)) if !has_cash => order.reason = "cash",
                Ok(Some(row)) => {
                    order.reason = if scale < 0.99 { "cash" } else { "volume" };
                    self.buy(order, &row, day, size * scale);
                }
            }
        }
        for order in orders {
            let tolerance = if order.is_buy { 0.01 } else { 1e-9 };
            if order.remaining <= tolerance * order.size {
            } else if day >= order.from + self.rules.wait {
                self.dropped.push((order.symbol, order.is_buy, order.reason));
            } else {
                self.orders.push(order);
            }
        }
        self.positions.retain(|held| held.shares > 0.0);
    }

    /// Sells positions at the stop or the target, or at an open beyond it, unless an order to sell all shares waits.
    fn sell_at_levels(&mut self, day: usize) {
        let mut symbols: Vec<String> = self.positions.iter().map(|held| held.symbol.clone()).collect();
        symbols.sort();
        for symbol in symbols {
            let held = self.positions.iter().find(|held| held.symbol == symbol).unwrap();
            let row = self.row(&symbol, day).filter(|row| row.volume > 0.0);
            let Some(row) = row.cloned().filter(|_| !self.is_all_sold(held)) else { continue };
            let stop = self.rules.stop_pct.map_or(0.0, |pct| held.paid - held.paid * pct / 100.0);
            let target = self.rules.target_pct.map_or(f64::MAX, |pct| held.paid + held.paid * pct / 100.0);
            let is_beyond = row.open <= stop || row.open >= target;
            let price = if is_beyond {
                row.open
            } else if row.low <= stop {
                stop
            } else if row.high >= target {
                target
            } else {
                continue;
            };
            let is_at_limit = row.lower.is_some_and(|limit| price <= limit * 1.000_001);
            let is_locked = is_at_limit && (is_beyond || price <= row.low);
            let (size, from) = (held.shares, day + 1);
            for order in self.orders.extract_if(.., |order| order.symbol == symbol) {
                self.dropped.push((order.symbol, order.is_buy, "replaced"));
            }
            let mut order =
                WaitingOrder { symbol, is_buy: false, size, remaining: size, from, reason: "locked" };
            if !is_locked {
                self.sell(&mut order, &row, price);
            }
            if order.remaining > 1e-9 * size {
                self.orders.push(order);
            }
        }
        self.positions.retain(|held| held.shares > 0.0);
    }

    fn is_all_sold(&self, held: &Position) -> bool {
        let mut sales = self.orders.iter().filter(|order| order.symbol == held.symbol && !order.is_buy);
        sales.any(|order| order.remaining > 0.999_999_999 * held.shares)
    }

    fn is_sold(&self, symbol: &str) -> bool {
        self.orders.iter().any(|order| order.symbol == symbol && !order.is_buy)
    }

    fn sell(&mut self, order: &mut WaitingOrder, row: &RawBar, price: f64) {
        let Some(index) = self.positions.iter().position(|held| held.symbol == order.symbol) else { return };
        let most = self.rules.volume_share.map_or(f64::MAX, |share| share * row.volume);
        let shares = order.remaining.min(most).min(self.positions[index].shares);
        order.remaining -= shares;
        order.reason = "volume";
        if shares <= 0.0 {
            return;
        }
        self.cash += shares * price - self.costs(false, shares * price, row);
        let before = self.positions[index].shares;
        self.positions[index].shares -= shares;
        if self.positions[index].shares <= 1e-9 * before {
            self.positions[index].shares = 0.0;
        }
        self.fills.push((row.day, order.symbol.clone(), false, shares, price));
    }

    fn buy(&mut self, order: &mut WaitingOrder, row: &RawBar, day: usize, money: f64) {
        let price = self.price(row);
        order.remaining -= money;
        if money <= 0.0 {
            return;
        }
        self.cash -= money + self.costs(true, money, row);
        if let Some(held) = self.positions.iter_mut().find(|held| held.symbol == order.symbol) {
            held.shares += money / price;
        } else {
            let symbol = order.symbol.clone();
            self.positions.push(Position { symbol, shares: money / price, paid: price, since: day });
        }
        self.fills.push((day, order.symbol.clone(), true, money / price, price));
    }

    fn close_gone(&mut self, day: usize) {
        for index in (0..self.positions.len()).rev() {
            let symbol = self.positions[index].symbol.clone();
            let last = self.last_row(&symbol, day).unwrap().clone();
            if day - last.day >= self.rules.gone_after {
                self.cash += self.positions[index].shares * last.close * self.rules.recovery;
                self.positions.remove(index);
                self.orders.retain(|order| order.symbol != symbol || order.is_buy);
            }
        }
    }
}

/// Runs the reference over all days.
pub(super) fn reference<'a>(
    market: &'a RawMarket,
    decisions: &[Decision],
    rules: &BacktestRules,
    fault: Fault,
) -> Reference<'a> {
    let mut reference = Reference {
        market,
        rows: market.bars.iter().map(|bar| ((bar.day, bar.symbol.as_str()), bar)).collect(),
        rules: *rules,
        fault,
        cash: rules.capital,
        positions: Vec::new(),
        orders: Vec::new(),
        fills: Vec::new(),
        dropped: Vec::new(),
        equity: vec![rules.capital],
    };
    let start = market.days.iter().position(|day| *day == decisions[0].date).unwrap();
    let delay = usize::from(fault != Fault::OneBarEarly);
    for day in start + 1..market.days.len() {
        reference.convert_shares(day);
        reference.dividends(day);
        if rules.fill == FillTime::Close {
            reference.sell_at_levels(day);
        }
        if let Some(decision) = decisions.iter().find(|decision| decision.date == market.days[day - delay]) {
            reference.decide(day, decision);
        }
        reference.after_hold(day);
        reference.trade(day);
        if rules.fill == FillTime::Open {
            reference.sell_at_levels(day);
        }
        reference.close_gone(day);
        let value: f64 = reference
            .positions
            .iter()
            .map(|held| held.shares * reference.last_row(&held.symbol, day).unwrap().close)
            .sum();
        reference.equity.push(reference.cash + value);
    }
    for order in std::mem::take(&mut reference.orders) {
        reference.dropped.push((order.symbol, order.is_buy, "ended"));
    }
    reference
}
