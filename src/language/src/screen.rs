//! The result of reading a sentence: a filter, a sort order, a number of rows, and the words that were not understood.

use serde::Serialize;

use super::filter::Filter;
use parquote_catalogue::operation::Market;

/// A screen as understood.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Screen {
    /// Condition for the rows.
    pub filter: Filter,
    /// Requested order.
    pub sort: Option<Sort>,
    /// Number of rows requested; per sector or industry if `per` is set.
    pub limit: Option<u32>,
    /// The kind of group, if each group should have rows, as in `top 5 in each sector`.
    pub per: Option<&'static str>,
    /// Words with a meaning that were not understood.
    pub not_understood: Vec<UnreadWords>,
    /// Meanings assumed for words without a number, corrected typing errors, and conditions that exclude each other.
    pub notes: Vec<String>,
}

/// An order of rows. Rows without the figure come last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sort {
    /// Name of the field to sort by.
    pub field: String,
    /// Direction.
    pub direction: Direction,
}

/// Direction of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Smallest first.
    Asc,
    /// Largest first.
    Desc,
}

/// Words of a sentence that were not understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadWords {
    /// Words as written.
    pub words: String,
    /// Index of their first character in the sentence, from 0.
    pub at: usize,
}

/// Reason why a sentence is not a valid screen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The sentence has no words.
    #[error("the query is empty; {}", help(*.0))]
    Empty(Market),
    /// The sentence is too long.
    #[error("the query has {characters} characters; at most {most} are read")]
    TooLong {
        /// Its number of characters.
        characters: usize,
        /// Maximum number of characters.
        most: usize,
    },
    /// Nothing in the sentence can be screened by; the reasons, as far as there are some.
    #[error("nothing in the query was understood{}; {}", join_reasons(.1), help(*.0))]
    NothingUnderstood(Market, Vec<String>),
    /// More conditions than a filter may have.
    #[error("the query is too much for one screen: {0}")]
    TooMuch(#[from] super::check::CheckError),
}

impl Direction {
    /// Returns the opposite direction.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Asc => Self::Desc,
            Self::Desc => Self::Asc,
        }
    }
}

fn join_reasons(notes: &[String]) -> String {
    notes.iter().flat_map(|note| ["; ", note]).collect()
}

/// Returns a hint with two examples.
fn help(market: Market) -> String {
    let [first, second] = examples(market);
    format!(
        "ask for sectors, industries, sizes, figures such as P/E, ROE, debt to equity, growth and RS rating with a number, and an \
         order, for example `{first}` or `{second}`"
    )
}

/// Returns two sentences that are fully understood.
pub(super) const fn examples(market: Market) -> [&'static str; 2] {
    match market {
        Market::India => {
            ["midcap pharma with ROE above 20% and low debt", "banks with RS above 80, strongest RS first"]
        }
        Market::Us => ["large cap tech with P/E under 30", "top 10 by ROE above the 200 day average"],
    }
}
