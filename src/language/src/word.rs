//! The roles that words of the grammar have in a sentence. The phrases that have them are declared in `queries/language/words.toml`.

use serde::Deserialize;

/// The role of a word in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// Ten percent to either side.
    Around,
    /// A range begins.
    Between,
    /// A range begins, or nothing.
    From,
    /// A range goes on, or nothing.
    To,
    /// A range goes on.
    Dash,
    /// No farther than.
    Within,
    /// After a number: or above it.
    OrMore,
    /// After a number: or below it.
    OrLess,
    /// Both hold.
    And,
    /// One holds.
    Or,
    /// As `And`, weaker.
    Comma,
    /// What follows does not hold.
    Not,
    /// At least what `high` means for the field.
    High,
    /// At most what `low` means for the field.
    Low,
    /// Beyond the field's threshold on its good side.
    Good,
    /// Beyond the field's threshold on its bad side.
    Poor,
    /// Above 0.
    Positive,
    /// Below 0.
    Negative,
    /// 0.
    Zero,
    /// At least 10.
    TwoDigits,
    /// An order follows.
    SortBy,
    /// An order may follow.
    By,
    /// The smallest first.
    Ascending,
    /// The largest first.
    Descending,
    /// `largest first`: says that the word before it was an order.
    First,
    /// A number of rows may follow.
    Request,
    /// Stocks, companies: a number before it counts rows.
    Noun,
    /// Above now, and not at the bar before.
    CrossedAbove,
    /// Below now, and not at the bar before.
    CrossedBelow,
    /// After a number: above it.
    AboveIt,
    /// After a number: below it.
    BelowIt,
    /// The median of the stock's sector, behind a comparison.
    SectorMedian,
    /// The median of the stock's industry, behind a comparison.
    IndustryMedian,
    /// The rows that are asked for are those of each sector.
    EachSector,
    /// The same of each industry.
    EachIndustry,
    /// A price rose.
    Up,
    /// A price fell.
    Down,
    /// Over one session.
    Today,
    /// Over five sessions.
    Week,
    /// Over 21 sessions.
    Month,
    /// Over 63 sessions.
    Quarter,
    /// Over 126 sessions.
    HalfYear,
    /// Over 252 sessions, or a financial year.
    Year,
    /// Over three financial years.
    ThreeYears,
    /// Over five financial years.
    FiveYears,
    /// A word that changes the question in a way that no filter says: never passed over, and never a typing error.
    Unread,
    /// Nothing by itself.
    Filler,
}

/// Whether a word compares with one number.
pub(super) const fn is_comparison(word: Word) -> bool {
    matches!(
        word,
        Word::Above
            | Word::AtLeast
            | Word::Below
            | Word::AtMost
            | Word::Equal
            | Word::Unequal
            | Word::Around
            | Word::CrossedAbove
            | Word::CrossedBelow
    )
}

/// Whether a word names a level of a figure without a number.
pub(super) const fn is_level(word: Word) -> bool {
    matches!(
        word,
        Word::High
            | Word::Low
            | Word::Good
            | Word::Poor
            | Word::Positive
            | Word::Negative
            | Word::Zero
            | Word::TwoDigits
    )
}

/// Whether a word is a span of time before today.
pub(super) const fn is_span(word: Word) -> bool {
    matches!(
        word,
        Word::Week
            | Word::Month
            | Word::Quarter
            | Word::HalfYear
            | Word::Year
            | Word::ThreeYears
            | Word::FiveYears
    )
}
