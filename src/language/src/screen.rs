//! The result of reading a sentence: a filter, a sort order, a number of rows, and the words that were not understood.

use serde::Serialize;

use super::filter::Filter;
use parquote_catalogue::operation::Market;

/// A screen as it was understood.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Screen {
    /// The rows that are kept.
    pub filter: Filter,
    /// Their order, if one was asked for.
    pub sort: Option<Sort>,
    /// How many were asked for; of each sector or industry, where `per` names one.
    pub limit: Option<u32>,
    /// The field of whose every text the first rows are asked for, as in `top 5 in each sector`.
    pub per: Option<&'static str>,
    /// What carried meaning and was not understood.
    pub not_understood: Vec<UnreadWords>,
    /// How words without a number were taken, typing errors that were corrected, and conditions that exclude each other.
    pub notes: Vec<String>,
}

/// An order of rows. Rows without the figure come last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sort {
    /// The field.
    pub field: String,
    /// Which end comes first.
    pub direction: Direction,
}

/// Which end of an order comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The smallest first.
    Asc,
    /// The largest first.
    Desc,
}

/// Words of a sentence that were not understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadWords {
    /// The words, as they were written.
    pub words: String,
    /// The character of the sentence with which they begin, from 0.
    pub at: usize,
}

/// Why a sentence is not a valid screen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// No word in it.
    #[error("the query is empty; {}", help(*.0))]
    Empty(Market),
    /// Longer than is read.
    #[error("the query has {characters} characters; at most {most} are read")]
    TooLong {
        /// Its characters.
        characters: usize,
        /// The most that are read.
        most: usize,
    },
    /// Nothing in it that could be screened by.
    #[error("nothing in the query was understood; {}", help(*.0))]
    NothingUnderstood(Market),
    /// More conditions than a filter may have.
    #[error("the query is too much for one screen: {0}")]
    TooMuch(#[from] super::check::CheckError),
}

impl Direction {
    /// The other one.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Asc => Self::Desc,
            Self::Desc => Self::Asc,
        }
    }
}

/// What can be asked, with two examples.
fn help(market: Market) -> String {
    let [first, second] = examples(market);
    format!(
        "ask for sectors, industries, sizes, figures such as P/E, ROE, debt to equity, growth and RS rating with a number, and an \
         order, for example `{first}` or `{second}`"
    )
}

/// Two sentences that are understood whole.
pub(super) const fn examples(market: Market) -> [&'static str; 2] {
    match market {
        Market::India => {
            ["midcap pharma with ROE above 20% and low debt", "banks with RS above 80, strongest RS first"]
        }
        Market::Us => ["large cap tech with P/E under 30", "top 10 by ROE above the 200 day average"],
    }
}
