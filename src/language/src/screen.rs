//! The result of reading a sentence: a filter, a sort order, a number of rows, and the words that were not understood.

use serde::Serialize;

use super::filter::Filter;
use parquote_catalogue::operation::Market;

/// A screen in the form in which the sentence was understood.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Screen {
    /// Condition that each row must meet.
    pub filter: Filter,
    /// Requested order; `None` if the sentence requests none.
    pub sort: Option<Sort>,
    /// Requested number of rows, of each group if `per` is set; `None` if the sentence has no number.
    pub limit: Option<u32>,
    /// Field of the groups that each get rows, `sector` or `industry`, as in `top 5 in each sector`; `None` without groups.
    pub per: Option<&'static str>,
    /// Words other than fillers that were not understood, in the order of the sentence.
    pub not_understood: Vec<UnreadWords>,
    /// Sentences on assumed meanings of words, corrected typing errors, and conditions that exclude each other.
    pub notes: Vec<String>,
}

/// An order of rows by one figure. Rows without the figure come last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sort {
    /// Name of the field to sort by.
    pub field: String,
    /// Direction of the order.
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
    /// The words as the sentence has them.
    pub words: String,
    /// Index of their first character in the sentence, from 0; always 0 in the answer of a language model.
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
        /// Number of characters of the sentence.
        characters: usize,
        /// Maximum number of characters.
        most: usize,
    },
    /// The sentence has no condition, order or number of rows that the market's screen understands; with notes that say why, if there are
    /// any.
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

/// Returns two example sentences of a market.
pub(super) const fn examples(market: Market) -> [&'static str; 2] {
    match market {
        Market::India => {
            ["midcap pharma with ROE above 20% and low debt", "banks with RS above 80, strongest RS first"]
        }
        Market::Us => ["large cap tech with P/E under 30", "top 10 by ROE above the 200 day average"],
    }
}
