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
    /// Ten percent to either side.
    Around,
    /// Begins a range.
    Between,
    /// Begins a range, or has no meaning.
    From,
    /// Continues a range, or has no meaning.
    To,
    /// Continues a range.
    Dash,
    /// At most this far.
    Within,
    /// After a number: at least it.
    OrMore,
    /// After a number: at most it.
    OrLess,
    /// Both hold.
    And,
    /// At least one condition must hold.
    Or,
    /// Like `And`, but it binds less tightly.
    Comma,
    /// The next condition does not hold.
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
    /// `largest first`: marks the word before it as an order.
    First,
    /// A number of rows may follow.
    Request,
    /// Stocks, companies: a number before it counts rows.
    Noun,
    /// Above at the last bar, and not at the bar before.
    CrossedAbove,
    /// Below at the last bar, and not at the bar before.
    CrossedBelow,
    /// After a number: above it.
    AboveIt,
    /// After a number: below it.
    BelowIt,
    /// Median of the stock's sector, after a comparison.
    SectorMedian,
    /// Median of the stock's industry, after a comparison.
    IndustryMedian,
    /// Requests rows of each sector.
    EachSector,
    /// Requests rows of each industry.
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
    /// Since the last session of the calendar year before.
    YearToDate,
    /// Changes the meaning in a way that no filter can express: never skipped, never a typing error.
    Unread,
    /// No meaning.
    Filler,
}

/// Returns true if a word compares with one number.
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
