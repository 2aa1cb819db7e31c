//! Kinds of marks on figures and actions of a text.

/// Kind of a mark: a phrase or period by which a figure or action differs from others of the same value or name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MarkKind {
    /// A phrase such as `not only`, which means nothing although a word of it alone would.
    Nothing,
    /// A word such as `not`, `no` or `terminated`.
    Denial,
    /// A word by which a statement is `expected` or `actual`.
    Mood,
    /// A phrase such as `up to` or `at least`.
    Limit,
    /// The length of a period, such as a quarter.
    Span,
    /// The period with which a change compares, such as `year-on-year`.
    Change,
    /// A period before the present one, such as `last year`.
    Before,
    /// `consolidated` or `standalone`.
    Basis,
    /// `GAAP` or `adjusted`.
    Accounting,
    /// `profit` or `loss`.
    Result,
    /// A quarter, half or several months of a year.
    YearPart,
    Year,
    Month,
    Date,
    /// `rise` or `fall`, for a figure.
    Direction,
}
