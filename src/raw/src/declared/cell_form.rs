//! How the cells of a column are written.

use serde::Deserialize;

/// How the cells of a column are written, where that is not the usual way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CellForm {
    /// A date has its year first or its month in letters; a count is whole; a text may be any.
    #[default]
    Usual,
    /// Dates may be written `31/10/2019`.
    DayFirst,
    /// Dates may be so where a day over 12 shows which number is the day, or all are the day in the name of the file; others in numbers
    /// are none.
    DayShown,
    /// They are written `10/31/2019`, as the file shows.
    #[serde(skip)]
    MonthFirst,
    /// The nanosecond at which a day began in New York.
    Nanoseconds,
    /// A count that need not be whole any more, as its source scaled it.
    Rounded,
    /// Only texts without a small letter count.
    Capitals,
}

impl CellForm {
    /// Whether cells of this kind may be written so.
    pub(super) fn suits(self, kind: &str) -> bool {
        match self {
            Self::Usual => true,
            Self::DayFirst | Self::DayShown | Self::MonthFirst => kind == "date",
            Self::Nanoseconds => kind == "session",
            Self::Rounded => kind == "volume",
            Self::Capitals => kind == "ticker",
        }
    }
}
