//! Reasons to refuse a back-test. The messages are for the caller.

use chrono::NaiveDate;

/// Reason to refuse a back-test.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BacktestError {
    /// Sessions are not ascending.
    #[error("the session {0} is not after the one before it; sessions ascend, each once")]
    SessionOrder(NaiveDate),
    /// Symbols are not ascending.
    #[error("`{0}` is not after the symbol before it; symbols ascend, each once")]
    SymbolOrder(String),
    /// Bars of a stock are not ascending, or beyond the last session.
    #[error("the bars of `{0}` do not ascend within the sessions; a stock has at most one bar a session")]
    BarOrder(String),
    /// A number of a bar is not allowed.
    #[error(
        "`{symbol}` has a bar with {what} {value} on {session}; prices and factors are above 0, volumes are 0 or more"
    )]
    BarValue {
        /// Symbol of the stock.
        symbol: String,
        /// Session of the bar.
        session: NaiveDate,
        /// Name of the field, such as `the open`.
        what: &'static str,
        /// Value of the field.
        value: f64,
    },
    /// The amount of a dividend is negative or not finite.
    #[error("`{symbol}` has a dividend of {amount} a share on {ex_date}; an amount is 0 or more")]
    Dividend {
        /// Symbol of the stock.
        symbol: String,
        /// Ex-date of the dividend.
        ex_date: NaiveDate,
        /// The refused amount per share.
        amount: f64,
    },
    /// No decision is dated from the first session to the last.
    #[error(
        "no picks are dated from {first} to {last}, the days of the back-test; a week, month or quarter is tested if one of these sessions \
         is after it. Give picks of these days, pick more often, or give other first and last days"
    )]
    NoDecision {
        /// First session of the back-test.
        first: NaiveDate,
        /// Last session of the back-test.
        last: NaiveDate,
    },
    /// There is no session.
    #[error("no session is between the days of the back-test; give days on which the market traded")]
    NoSession,
    /// Two decisions belong to one session.
    #[error("two lists of picks are dated at the session {0}; give one list for each session")]
    RepeatedDecision(NaiveDate),
    /// A stock is picked twice on one day.
    #[error("`{symbol}` is picked twice on {date}; give each stock at most once for a day")]
    RepeatedPick {
        /// Symbol of the stock.
        symbol: String,
        /// Date of the picks.
        date: NaiveDate,
    },
    /// A weight is missing, negative or not finite.
    #[error("`{symbol}` has no valid weight on {date}; a weight is a number of 0 or more")]
    Weight {
        /// Symbol of the stock.
        symbol: String,
        /// Date of the picks.
        date: NaiveDate,
    },
    /// The weights of a day sum to more than 1.
    #[error("the weights of {date} sum to {sum}; they sum to at most 1, and the rest stays in cash")]
    WeightSum {
        /// Date of the picks.
        date: NaiveDate,
        /// Sum of the weights.
        sum: f64,
    },
    /// A rule is out of its range.
    #[error("`{rule}` is {value}; {allowed}")]
    Rule {
        /// Name of the rule.
        rule: &'static str,
        /// Value of the rule.
        value: f64,
        /// Allowed values, in words.
        allowed: &'static str,
    },
    /// A file of costs cannot be read.
    #[error("the file of costs cannot be used: {0}")]
    Costs(String),
}
