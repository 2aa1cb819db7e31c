//! A price move between two bars that price bands do not allow, or after a gap too long for one price history.

use chrono::NaiveDate;
use serde::Serialize;

/// A move beyond the price bands from the close of a bar to the next bar, or any move across an absence of more than 60 sessions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Jump {
    /// The symbol.
    pub symbol: String,
    /// The session.
    pub date: NaiveDate,
    /// The date of the symbol's previous bar.
    pub previous_date: NaiveDate,
    /// Open of the session, unadjusted.
    pub open: f64,
    /// Close of the previous bar, unadjusted.
    pub previous_close: f64,
    /// Open over previous close.
    pub ratio: f64,
    /// Sessions of the market from the previous bar to this one; 1 if they are consecutive.
    pub sessions_apart: u32,
    /// True if a demerger or spin-off was announced whose factor is in no file.
    pub is_spin_off: bool,
    /// Shares that one share became, if the move counts as a split or a spin-off; `None` for other moves.
    pub shares_made: Option<f64>,
}
