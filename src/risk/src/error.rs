//! Reasons to refuse an audit or an allocation. The messages are for the caller.

use chrono::NaiveDate;

use super::{FEWEST_RETURNS, MOST_SYMBOLS};

/// Reason to refuse an audit or an allocation.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RiskError {
    /// No symbol, or more than are allowed.
    #[error("{count} symbols were given; between {fewest} and {MOST_SYMBOLS} are allowed")]
    SymbolCount {
        /// Number of symbols in the request.
        count: usize,
        /// Minimum number: 1 for an audit, 2 for an allocation.
        fewest: usize,
    },
    /// A symbol occurs twice in the request.
    #[error("`{0}` was given twice; give each symbol once")]
    RepeatedSymbol(String),
    /// A session occurs twice in a series.
    #[error("`{symbol}` has two closes on {session}; a series has one close a session")]
    RepeatedSession {
        /// Symbol of the series, or `benchmark`.
        symbol: String,
        /// Session with two closes.
        session: NaiveDate,
    },
    /// A close without a logarithm.
    #[error("`{symbol}` has the close {close} on {session}; a close is a positive number")]
    Close {
        /// Symbol of the series, or `benchmark`.
        symbol: String,
        /// Session of the close.
        session: NaiveDate,
        /// The refused close.
        close: f64,
    },
    /// The lookback is shorter than any figure needs.
    #[error("a lookback of {0} sessions is too short; give at least {FEWEST_RETURNS}")]
    Lookback(usize),
    /// Too few sessions are common to all symbols.
    #[error(
        "the symbols have only {returns} returns on common sessions, and at least {FEWEST_RETURNS} are needed; the \
         shortest is `{shortest}` with {closes} closes ({span}): leave it out or give a symbol with a longer history"
    )]
    TooShort {
        /// Number of returns between the common sessions.
        returns: usize,
        /// Symbol with the fewest closes.
        shortest: String,
        /// Number of closes of this symbol.
        closes: usize,
        /// First and last session of these closes, in words.
        span: String,
    },
    /// A symbol has no close on more than a tenth of the sessions.
    #[error(
        "`{symbol}` has no close that can be used on {missed} of the {sessions} sessions from {from} to {to}, and at most a tenth may \
         be missing: leave it out, or give a shorter `lookback`"
    )]
    Patchy {
        /// Symbol whose closes are missing.
        symbol: String,
        /// Number of sessions on which the symbol has no close.
        missed: usize,
        /// Number of all sessions.
        sessions: usize,
        /// First of these sessions.
        from: NaiveDate,
        /// Last of these sessions.
        to: NaiveDate,
    },
    /// Prices that never moved leave an allocation undefined.
    #[error(
        "{} did not move over the whole lookback, so that there is no risk to spread; leave {} out or use a longer lookback",
        .0.join(", "), if .0.len() == 1 { "it" } else { "them" }
    )]
    Constant(Vec<String>),
    /// The numbers of weights and of symbols differ.
    #[error(
        "{weights} weights were given for {symbols} symbols; give one weight a symbol, in the same order"
    )]
    WeightCount {
        /// Number of weights in the request.
        weights: usize,
        /// Number of symbols in the request.
        symbols: usize,
    },
    /// A weight is negative or not finite.
    #[error("the weight of `{symbol}` is {weight}; a weight is a number of 0 or more")]
    Weight {
        /// Symbol with the refused weight.
        symbol: String,
        /// The refused weight, as in the request.
        weight: f64,
    },
    /// The weights are neither shares nor percentages.
    #[error("the weights sum to {0}; they must sum to 1 (shares) or to 100 (percent)")]
    WeightSum(f64),
    /// The cap is not a share.
    #[error("a cap of {0} a symbol is not valid; give a number above 0 and up to 1, such as 0.25")]
    Cap(f64),
    /// The weights cannot sum to 1 under the cap.
    #[error(
        "{symbols} symbols of at most {cap} each cannot sum to 1; the smallest feasible cap for {symbols} symbols is \
         {smallest} (1/{symbols})"
    )]
    CapTooSmall {
        /// The refused cap, as a share.
        cap: f64,
        /// Number of symbols in the request.
        symbols: usize,
        /// Smallest feasible cap, rounded up to six decimals.
        smallest: f64,
    },
    /// The solver for equal risk contributions found no solution.
    #[error(
        "equal risk contributions could not be computed: some of the symbols offset each other almost completely; use \
         another method, a longer lookback, or leave one of them out"
    )]
    NoParity,
}
