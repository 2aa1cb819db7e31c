//! Why an audit or an allocation is refused. The messages are for the caller.

use chrono::NaiveDate;

use super::{FEWEST_RETURNS, MOST_SYMBOLS};

/// Why an audit or an allocation is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RiskError {
    /// No symbol, or more than are allowed.
    #[error("{given} symbols were given; between {fewest} and {MOST_SYMBOLS} are allowed")]
    SymbolCount {
        /// Symbols that were given.
        given: usize,
        /// Fewest that are allowed: 1 for an audit, 2 for an allocation.
        fewest: usize,
    },
    /// One symbol was given twice.
    #[error("`{0}` was given twice; give each symbol once")]
    RepeatedSymbol(String),
    /// One session stands twice in a series.
    #[error("`{symbol}` has two closes on {session}; a series has one close a session")]
    RepeatedSession {
        /// The symbol, or `benchmark`.
        symbol: String,
        /// The session.
        session: NaiveDate,
    },
    /// A close that has no logarithm.
    #[error("`{symbol}` has the close {close} on {session}; a close is a positive number")]
    Close {
        /// The symbol, or `benchmark`.
        symbol: String,
        /// The session.
        session: NaiveDate,
        /// The close.
        close: f64,
    },
    /// A lookback that is shorter than any figure needs.
    #[error("a lookback of {0} sessions is too short; give at least {FEWEST_RETURNS}")]
    Lookback(usize),
    /// Too few sessions are common to all symbols.
    #[error(
        "the symbols have only {returns} returns on common sessions, and at least {FEWEST_RETURNS} are needed; the \
         shortest is `{shortest}` with {closes} closes ({span}): leave it out or give a symbol with a longer history"
    )]
    TooShort {
        /// Returns between the common sessions.
        returns: usize,
        /// The symbol with the fewest closes.
        shortest: String,
        /// Its closes.
        closes: usize,
        /// Its first and last session in words.
        span: String,
    },
    /// A symbol without closes on more than a tenth of the sessions.
    #[error(
        "`{symbol}` has no close that can be used on {missed} of the {sessions} sessions from {from} to {to}, and at most a tenth may \
         be missing: leave it out, or give a shorter `lookback`"
    )]
    Patchy {
        /// The symbol.
        symbol: String,
        /// The sessions that it lacks.
        missed: usize,
        /// All sessions.
        sessions: usize,
        /// The first of them.
        from: NaiveDate,
        /// The last of them.
        to: NaiveDate,
    },
    /// Prices that never moved leave an allocation undefined.
    #[error(
        "{} did not move over the whole lookback, so that there is no risk to spread; leave {} out or use a longer lookback",
        .0.join(", "), if .0.len() == 1 { "it" } else { "them" }
    )]
    Constant(Vec<String>),
    /// There are not as many weights as symbols.
    #[error(
        "{weights} weights were given for {symbols} symbols; give one weight a symbol, in the same order"
    )]
    WeightCount {
        /// Weights that were given.
        weights: usize,
        /// Symbols.
        symbols: usize,
    },
    /// A weight that cannot be held.
    #[error("the weight of `{symbol}` is {weight}; a weight is a number of 0 or more")]
    Weight {
        /// The symbol.
        symbol: String,
        /// The weight.
        weight: f64,
    },
    /// Weights that are neither shares nor percentages.
    #[error("the weights sum to {0}; they must sum to 1 (shares) or to 100 (percent)")]
    WeightSum(f64),
    /// A cap that is no share.
    #[error("a cap of {0} a symbol is not valid; give a number above 0 and up to 1, such as 0.25")]
    Cap(f64),
    /// A cap under which the weights cannot sum to 1.
    #[error(
        "{symbols} symbols of at most {cap} each cannot sum to 1; the smallest feasible cap for {symbols} symbols is \
         {smallest} (1/{symbols})"
    )]
    CapTooSmall {
        /// The cap.
        cap: f64,
        /// Symbols.
        symbols: usize,
        /// The smallest feasible cap, rounded up to six decimals.
        smallest: f64,
    },
    /// The solver for equal risk contributions found no solution.
    #[error(
        "equal risk contributions could not be computed: some of the symbols offset each other almost completely; use \
         another method, a longer lookback, or leave one of them out"
    )]
    NoParity,
}
