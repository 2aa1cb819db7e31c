//! A move between two bars that no session of the market should show, or an absence too long for one history.

use chrono::NaiveDate;
use serde::Serialize;

/// A move that is farther than price bands allow, from the close of a bar to the next bar; or any move across an absence of more
/// than 60 sessions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Jump {
    /// The symbol.
    pub symbol: String,
    /// The session.
    pub date: NaiveDate,
    /// The symbol's bar before it.
    pub previous_date: NaiveDate,
    /// Unadjusted.
    pub open: f64,
    /// Unadjusted.
    pub previous_close: f64,
    /// Open over previous close.
    pub ratio: f64,
    /// Sessions of the market from the one bar to the other.
    pub sessions_apart: u32,
    /// Whether a demerger or spin-off was announced, whose factor no file has.
    pub is_spin_off: bool,
    /// How many shares one share became, where the move is taken for a split or a spin-off; nobody knows it of other moves.
    pub shares_made: Option<f64>,
}
