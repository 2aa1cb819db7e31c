//! Roles of grammar words in a sentence. Their phrases are declared in `queries/language/words.toml`.

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
    /// A range of ten percent to either side of the number after it.
    Around,
    /// Begins a range.
    Between,
    /// Begins a range if two numbers follow; otherwise has no meaning.
    From,
    /// Continues a range between two numbers; otherwise has no meaning.
    To,
    /// Continues a range between two numbers.
    Dash,
    /// At most the distance after it.
    Within,
    /// After a number: at least this number.
    OrMore,
    /// After a number: at most this number.
    OrLess,
    /// Joins two conditions that must both hold.
    And,
    /// Joins two conditions, at least one of which must hold.
    Or,
    /// Like `And`, but it binds less tightly.
    Comma,
    /// Negates the next condition.
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
    /// Begins an order: a field to sort by follows.
    SortBy,
    /// May begin an order.
    By,
    /// Order with the smallest figures first.
    Ascending,
    /// Order with the largest figures first.
    Descending,
    /// `largest first`: marks the word before it as an order.
    First,
    /// Begins a request, such as `show me`; a number of rows may follow.
    Request,
    /// A noun for the rows, such as `stocks`; a number before it counts rows.
    Noun,
    /// Above at the last bar, and not above at the bar before.
    CrossedAbove,
    /// Below at the last bar, and not below at the bar before.
    CrossedBelow,
    /// After a number: above this number.
    AboveIt,
    /// After a number: below this number.
    BelowIt,
    /// After a comparison: the median of the stock's sector.
    SectorMedian,
    /// After a comparison: the median of the stock's industry.
    IndustryMedian,
    /// Requests a number of rows of each sector.
    EachSector,
    /// Requests a number of rows of each industry.
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
    /// Over 252 sessions, or over a financial year for figures from statements.
    Year,
    /// Over three financial years.
    ThreeYears,
    /// Over five financial years.
    FiveYears,
    /// Since the last session of the calendar year before.
    YearToDate,
    /// Changes the meaning in a way that no filter can express. It is reported as not understood, and never corrected as a typing error.
    Unread,
    /// Has no meaning and is skipped.
    Filler,
}

/// Returns true if a word compares a figure with one number after it.
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

/// Returns true if a word names a level of a figure without a number.
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

/// Returns true if a word is a span of time before today.
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
            | Word::YearToDate
    )
}
