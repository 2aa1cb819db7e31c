//! Kinds of marks on figures and actions of a text.

/// Kinds of marks, by which a figure or action differs from others of the same value or name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MarkKind {
    /// A phrase that is none of the others.
    Nothing,
    Denial,
    Mood,
    Limit,
    Span,
    Change,
    Before,
    Basis,
    Accounting,
    Result,
    /// A quarter, half or several months of a year.
    YearPart,
    Year,
    Month,
    Date,
    /// `rise` or `fall`, for a figure.
    Direction,
}
