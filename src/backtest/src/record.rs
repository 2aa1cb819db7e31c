//! The record of a simulation: fills, round trips, orders that were not filled, and the equity of each session.

use chrono::NaiveDate;
use serde::Serialize;

use super::costs::TradeSide;

/// A filled order, or a part of one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StockFill {
    /// Session of the fill.
    pub session: NaiveDate,
    /// Session of the decision.
    pub decided: NaiveDate,
    /// Symbol.
    pub symbol: String,
    /// Direction.
    pub side: TradeSide,
    /// Shares as traded in the session.
    pub shares: f64,
    /// Price as traded, before slippage.
    pub price: f64,
    /// Shares times price.
    pub value: f64,
    /// Taxes and fees.
    pub charges: f64,
    /// Slippage.
    pub slippage: f64,
}

/// A position from its first purchase to its last sale.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoundTrip {
    /// Symbol.
    pub symbol: String,
    /// Session of the decision that opened it.
    pub decided: NaiveDate,
    /// Session of the first purchase.
    pub opened: NaiveDate,
    /// Session of the last sale; `None` while it is open.
    pub closed: Option<NaiveDate>,
    /// Reason of the last sale.
    pub exit: Option<ExitReason>,
    /// Value of the purchases.
    pub bought: f64,
    /// Value of the sales; while the position is open, plus the present value of its shares.
    pub sold: f64,
    /// Dividends.
    pub dividends: f64,
    /// Taxes, fees and slippage.
    pub costs: f64,
    /// Sales and dividends less purchases and costs.
    pub profit: f64,
}

/// The reason why a position was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitReason {
    /// It was not picked again.
    NotPicked,
    /// It was held for the number of sessions of the rules.
    HeldLongEnough,
    /// Its price fell to the stop of the rules.
    Stop,
    /// Its price rose to the target of the rules.
    Target,
    /// It had no bar for the number of sessions of the rules.
    Gone,
}

/// An order that was not filled, or only in part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnfilledOrder {
    /// Session of the decision.
    pub decided: NaiveDate,
    /// Symbol.
    pub symbol: String,
    /// Direction.
    pub side: TradeSide,
    /// Reason in the last session in which the order waited.
    pub reason: UnfilledReason,
    /// Share of the order that was not filled, from 0 to 1.
    pub share: f64,
}

/// The reason why an order was not filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnfilledReason {
    /// The stock had no bar, or no share was traded.
    NoBar,
    /// The price was at the limit of its band.
    Locked,
    /// The order was larger than the allowed share of the session's volume.
    Volume,
    /// The cash paid for less than 99 % of the session's purchases, because sales waited or dropped out; or positions within `hold` left
    /// too little of the equity for it.
    Cash,
    /// A later decision replaced it, or its position was sold at a stop or target.
    Replaced,
    /// The sessions ended while it waited.
    Ended,
}

/// A pick for which no order was placed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LeftOutPick {
    /// Day of the pick.
    pub decided: NaiveDate,
    /// Symbol.
    pub symbol: String,
    /// Reason.
    pub reason: LeftOutReason,
}

/// The reason why no order was placed for a pick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// Its day is not among the tested ones.
    OutsideDays,
    /// The stock had no bar up to its day.
    NoBar,
    /// The weighting had no number for the stock.
    NoWeight,
    /// Its day is the last session, and its order would fill after it.
    NotDue,
}

/// The portfolio at the close of a session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EquityDay {
    /// Session.
    pub session: NaiveDate,
    /// Cash and positions.
    pub equity: f64,
    /// Cash.
    pub cash: f64,
    /// Number of positions.
    pub positions: usize,
}

/// Counts of decisions and picks, and of special cases in the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct EventCounts {
    /// Decisions that placed orders.
    pub decisions: usize,
    /// Picks of these decisions.
    pub picks: usize,
    /// Picks whose day is before the first session or after the last.
    pub picks_outside: usize,
    /// Picks without any bar up to their day.
    pub unknown_picks: usize,
    /// Picks for which the weighting had no number, or 0.
    pub unweighted_picks: usize,
    /// Picks of the last session, whose orders would fill after it.
    pub picks_not_due: usize,
    /// Positions closed because they had no bar for long.
    pub positions_gone: usize,
    /// Positions held over an unexplained jump, up to the close of its session.
    pub jumps_held: usize,
    /// Open positions whose last bar is before the last session.
    pub open_without_bar: usize,
}
