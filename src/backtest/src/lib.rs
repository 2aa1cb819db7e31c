//! Back-tests: the returns of picks of past days, whose orders fill after their day, with costs and a record of all orders that could not
//! be filled.
//!
//! Pure computation: picks, bars and dividends in, trades and figures out. No I/O and no clock; the same input gives the same figures, with
//! any number of threads. The caller supplies picks by date, and bars of at least the picked stocks.
//!
//! # Rules
//!
//! - A decision of day D is filled in sessions after D only. Its weights use bars up to D. The session after D is the *fill session*;
//!   orders fill there at the open or at the close, as the rules say.
//! - In the fill session the equity is measured at the fill prices (stocks without a bar: at their last close). The target of a pick is its
//!   weight times that equity; positions without a target are sold. Sales come before purchases; if the cash does not pay for all purchases
//!   and their costs, all of them are multiplied by the cash divided by this sum. A purchase with at most 1 % of its order left is
//!   complete.
//! - With `hold`, each position is kept for `hold` sessions from its first purchase, and again from the fill session of each decision that
//!   has it: decisions change neither its shares nor the orders that wait for it. Then it is sold; if that order is dropped, the next
//!   session has another. In a fill session, a position past its `hold` is bought or sold to its target, as without `hold`.
//! - While positions are kept, a stock that is not held gets at most what is left of the equity: without the values of the kept positions,
//!   the money of their waiting purchases, and the targets of the other positions that were picked again. Picks get it in their order. A
//!   pick counts as an order without cash if what is left is less than half its target, and less than half the equity divided by the number
//!   of kept positions plus one.
//! - Nothing is filled without a bar, in a bar without volume, or at a limit of the price band: a purchase at the upper limit, a sale at
//!   the lower one. An order also fills at most a share of the session's volume. The rest waits for some sessions and is then dropped and
//!   counted. The fill session of a later decision replaces waiting orders, except those of kept positions.
//! - Shares are fractional. Splits and bonuses change the number of shares by the cumulative split factor and leave the value unchanged.
//! - A cash dividend is paid on its ex-date to shares held at the close before. Cash earns nothing.
//! - At an unexplained jump of a price (a new price segment after at most [`LONGEST_GAP`] sessions) the value of a position is unchanged
//!   from the close before to the open, as by a split; such positions are counted.
//! - A position without a bar for `gone_after` sessions (delisted, merged, suspended) is closed after the fills of that session, at its
//!   last close times `recovery`, and counted. Its orders to sell are dropped without a count. For a renamed stock the caller passes all
//!   bars under one symbol.
//! - A stop and a target are percent from the price of a position's first purchase, dividends left aside. They act during a session: after
//!   its orders if these fill at the open, before them if they fill at the close. At an open beyond a level the position is sold at the
//!   open, else at the price of the level that the session reached, at the stop if it reached both. The limits above hold, but a stop above
//!   the session's low was passed on the way down, and fills. The rest of the sale waits for the next session, and a position is not
//!   watched while a sale of all its shares waits. After an exit, only the fill of a decision buys the stock again.
//! - The result ends at the last session. Open positions are valued at their last close and are not sold.
//!
//! # Conventions
//!
//! Names that end in `_pct` are in percent, those that end in `_bps` in hundredths of a percent; money is in the currency of the prices. A
//! year has 252 sessions for volatilities, and 365.25 days for growth. Undefined figures are `None`, never NaN. A difference of a
//! billionth, of a price, an order, the equity or the capital, is rounding and counts as none; of a limit, a millionth.
//!
//! # Words
//!
//! *Base share*: a share of a stock's first bar; its price is the traded price times the factor of the bar. *Round trip*: a position from
//! its first purchase to its last sale.
//!
//! Reading order: errors (`error`), bars (`history`), costs (`costs`), picks and rules (`decision`, `rules`, `weights`), orders (`orders`),
//! the simulation (`simulation`, `run`) and its record (`record`), figures (`statistics`, `activity`), comparisons (`periods`, `compare`).

mod error;

mod history;
mod costs;

mod decision;
mod rules;
mod weights;

mod record;
mod orders;
mod simulation;
mod run;

mod statistics;
mod activity;

mod periods;
mod random_draw;
mod compare;

#[cfg(test)]
mod tests;

pub use activity::{Activity, UnfilledCount};
pub use compare::{PicksComparison, RandomPortfolios, RandomSummary, compare};
pub use costs::{ChargeSum, CostSchedule, Slippage, TradeSide};
pub use decision::{Decision, Pick, with_weights};
pub use error::BacktestError;
pub use history::{BarLimits, CashDividend, MarketHistory, PricedStock, TradedBar};
pub use record::{
    EquityDay, EventCounts, ExitReason, LeftOutPick, LeftOutReason, RoundTrip, StockFill, UnfilledOrder,
    UnfilledReason,
};
pub use rules::{BacktestRules, FillTime, Weighting};
pub use run::{Backtest, run};
pub use statistics::{CurveStatistics, DeepestFall, YearStatistics, curve_statistics, year_statistics};

/// Largest distance of two bars, in sessions, at which a new price segment counts as an unexplained jump; after a longer gap the new price
/// is taken as real.
pub const LONGEST_GAP: u32 = 60;
