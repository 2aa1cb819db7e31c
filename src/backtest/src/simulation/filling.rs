//! Fills of the orders of one session: at the price of its bar, within its volume, and with costs.

use super::{HeldStock, LEAST_CHANGE, Simulation};
use crate::costs::ChargedTrade;
use crate::costs::TradeSide;
use crate::history::TradedBar;
use crate::orders::PendingOrder;
use crate::record::{RoundTrip, StockFill, UnfilledReason};

/// A bar with the price at which an order fills in it, as traded.
#[derive(Clone, Copy)]
pub(super) struct PricedBar<'a> {
    pub(super) bar: &'a TradedBar,
    pub(super) price: f64,
}

impl Simulation<'_> {
    /// Fills orders to sell, in the order of the stocks.
    pub(super) fn fill_sales(&mut self, session: usize) {
        let (sales, others) = std::mem::take(&mut self.orders)
            .into_iter()
            .partition(|order| order.side == TradeSide::Sell && order.placed <= session);
        self.orders = others;
        let mut sales: Vec<PendingOrder> = sales;
        sales.sort_by_key(|order| order.stock);
        for mut order in sales {
            match order.bar(self.history, session, self.rules) {
                Ok(bar) => {
                    let held = self.holdings.get(&order.stock).map_or(0.0, |held| held.base_shares);
                    let part = order.within_volume(bar, self.rules).min(held);
                    let value = part * bar.base_fill_price(self.rules.fill);
                    self.trade(&order, self.price_bar(bar), value, part);
                    order.fill(part, UnfilledReason::Volume);
                }
                Err(reason) => order.reason = reason,
            }
            self.requeue(order, session);
        }
    }

    /// Fills orders to buy after the sales; if the cash does not pay for all of them, all are scaled down by the same factor.
    pub(super) fn fill_purchases(&mut self, session: usize) {
        let (purchases, sales) =
            std::mem::take(&mut self.orders).into_iter().partition(|order| order.side == TradeSide::Buy);
        self.orders = sales;
        let mut purchases: Vec<PendingOrder> = purchases;
        purchases.sort_by_key(|order| order.stock);
        let possible: Vec<Result<(&TradedBar, f64), UnfilledReason>> = purchases
            .iter()
            .map(|order| {
                let bar = order.bar(self.history, session, self.rules)?;
                Ok((bar, order.within_volume(bar, self.rules)))
            })
            .collect();
        let scale = self.affordable_share(&purchases, &possible);
        for (mut order, possible) in purchases.into_iter().zip(possible) {
            match possible {
                Ok((bar, value)) if scale > 0.0 => {
                    let value = value * scale;
                    let base_shares = value / bar.base_fill_price(self.rules.fill);
                    self.trade(&order, self.price_bar(bar), value, base_shares);
                    order.fill(
                        value,
                        if scale < 0.99 { UnfilledReason::Cash } else { UnfilledReason::Volume },
                    );
                }
                Ok(_) => order.reason = UnfilledReason::Cash,
                Err(reason) => order.reason = reason,
            }
            self.requeue(order, session);
        }
    }

    /// Returns the share of all possible purchases for which the cash is enough, including costs. No charge of a purchase has a cap, and
    /// slippage grows faster than the value; so purchases that are scaled by this share cost at most the cash.
    fn affordable_share(
        &self,
        orders: &[PendingOrder],
        possible: &[Result<(&TradedBar, f64), UnfilledReason>],
    ) -> f64 {
        let money = orders.iter().zip(possible).filter_map(|(order, possible)| {
            let (bar, value) = possible.as_ref().ok()?;
            let (charges, slippage) = self.costs_of(order, self.price_bar(bar), *value);
            Some(value + charges.iter().sum::<f64>() + slippage)
        });
        let needed: f64 = money.sum();
        // Less cash than this is a rounding error.
        if self.cash <= LEAST_CHANGE * self.rules.capital {
            0.0
        } else if needed > self.cash {
            self.cash / needed
        } else {
            1.0
        }
    }

    /// Returns a bar with the price at which orders fill by the rules.
    const fn price_bar<'b>(&self, bar: &'b TradedBar) -> PricedBar<'b> {
        PricedBar { bar, price: bar.fill_price(self.rules.fill) }
    }

    fn costs_of(&self, order: &PendingOrder, priced: PricedBar<'_>, value: f64) -> (Vec<f64>, f64) {
        let PricedBar { bar, price } = priced;
        let shares = value / price;
        let date = self.history.date(bar.session as usize);
        let charges = self.costs.charge(&ChargedTrade { date, side: order.side, value, shares });
        (charges, self.rules.slippage.money(value, bar.volume * bar.close))
    }

    /// Fills a part of an order: `base_shares` shares that are worth `value`.
    pub(super) fn trade(
        &mut self,
        order: &PendingOrder,
        priced: PricedBar<'_>,
        value: f64,
        base_shares: f64,
    ) {
        if value <= 0.0 {
            return;
        }
        let (charges, slippage) = self.costs_of(order, priced, value);
        for (sum, paid) in self.charges.iter_mut().zip(&charges) {
            *sum += paid;
        }
        let charges: f64 = charges.iter().sum();
        let PricedBar { bar, price } = priced;
        let fill = StockFill {
            session: self.history.date(bar.session as usize),
            decided: self.history.date(order.decided),
            symbol: self.history.symbol(order.stock).to_owned(),
            side: order.side,
            shares: value / price,
            price,
            value,
            charges,
            slippage,
        };
        self.cash -= charges + slippage;
        match order.side {
            TradeSide::Buy => self.add_shares(order.stock, bar, &fill, base_shares),
            TradeSide::Sell => self.remove_shares(order, &fill, base_shares),
        }
        self.fills.push(fill);
    }

    fn add_shares(&mut self, stock: usize, bar: &TradedBar, fill: &StockFill, base_shares: f64) {
        self.cash -= fill.value;
        let held = self.holdings.entry(stock).or_insert_with(|| HeldStock {
            base_shares: 0.0,
            entry: fill.price * bar.factor,
            held_since: bar.session as usize,
            last: *bar,
            trip: RoundTrip {
                symbol: fill.symbol.clone(),
                decided: fill.decided,
                opened: fill.session,
                closed: None,
                exit: None,
                bought: 0.0,
                sold: 0.0,
                dividends: 0.0,
                costs: 0.0,
                profit: 0.0,
            },
        });
        held.base_shares += base_shares;
        held.trip.bought += fill.value;
        held.trip.costs += fill.charges + fill.slippage;
    }

    fn remove_shares(&mut self, order: &PendingOrder, fill: &StockFill, base_shares: f64) {
        self.cash += fill.value;
        let Some(held) = self.holdings.get_mut(&order.stock) else { return };
        let before = held.base_shares;
        held.base_shares -= base_shares;
        held.trip.sold += fill.value;
        held.trip.costs += fill.charges + fill.slippage;
        if held.base_shares <= before * LEAST_CHANGE {
            self.close_trip(order.stock, fill.session, order.exit);
        }
    }
}
