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
    /// Symbol of the stock.
    pub symbol: String,
    /// Purchase or sale.
    pub side: TradeSide,
    /// Shares as traded in the session.
    pub shares: f64,
    /// Price as traded, before slippage.
    pub price: f64,
    /// Shares times price, before charges and slippage.
    pub value: f64,
    /// Sum of the taxes and fees.
    pub charges: f64,
    /// Cost of slippage, in currency units.
    pub slippage: f64,
}

/// A position from its first purchase to its last sale.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoundTrip {
    /// Symbol of the stock.
    pub symbol: String,
    /// Session of the decision that opened the position.
    pub decided: NaiveDate,
    /// Session of the first purchase.
    pub opened: NaiveDate,
    /// Session of the last sale; `None` while the position is open.
    pub closed: Option<NaiveDate>,
    /// Reason of the last sale; `None` while the position is open.
    pub exit: Option<ExitReason>,
    /// Value of the purchases.
    pub bought: f64,
    /// Value of the sales, plus the value of shares that are still held.
    pub sold: f64,
    /// Sum of the dividends received while the position was open.
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
    /// The stock was not picked again.
    NotPicked,
    /// The position was held for `hold` sessions.
    HeldLongEnough,
    /// The price fell to the stop.
    Stop,
    /// The price rose to the target.
    Target,
    /// The stock had no bar for `gone_after` sessions.
    Gone,
}

/// An order that was not filled, or only in part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnfilledOrder {
    /// Session of the decision.
    pub decided: NaiveDate,
    /// Symbol of the stock.
    pub symbol: String,
    /// Purchase or sale.
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
    /// too little of the equity for the order.
    Cash,
    /// A later decision replaced the order, or its position was sold at a stop or target.
    Replaced,
    /// The sessions ended while the order waited.
    Ended,
}

/// A pick for which no order was placed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LeftOutPick {
    /// Day of the pick.
    pub decided: NaiveDate,
    /// Symbol of the stock.
    pub symbol: String,
    /// Reason why no order was placed.
    pub reason: LeftOutReason,
}

/// The reason why no order was placed for a pick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// The day of the pick is outside the tested days.
    OutsideDays,
    /// The stock had no bar up to the day of the pick.
    NoBar,
    /// The weighting had no number for the stock.
    NoWeight,
    /// The day of the pick is the last session, after which its order would fill.
    NotDue,
}

/// The portfolio at the close of a session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EquityDay {
    /// Date of the session.
    pub session: NaiveDate,
    /// Cash plus the value of the positions.
    pub equity: f64,
    /// Cash that is not invested.
    pub cash: f64,
    /// Number of stocks held.
    pub positions: usize,
}

/// Counts of decisions, picks, and special cases of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct EventCounts {
    /// Number of decisions that placed orders.
    pub decisions: usize,
    /// Number of picks of these decisions.
    pub picks: usize,
    /// Picks whose day is before the first session or after the last.
    pub picks_outside: usize,
    /// Picks without any bar up to their day.
    pub unknown_picks: usize,
    /// Picks for which the weighting had no number, or 0.
    pub unweighted_picks: usize,
    /// Picks of the last session, whose orders would fill after it.
    pub picks_not_due: usize,
    /// Positions closed because the stock had no bar for `gone_after` sessions.
    pub positions_gone: usize,
    /// Positions held over an unexplained jump, and still held at the close of its session.
    pub jumps_held: usize,
    /// Open positions whose last bar is before the last session.
    pub open_without_bar: usize,
}
