//! Notation of the cells of a column.

use serde::Deserialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CellForm {
    /// A date has its year first or its month in letters; a count is an integer; a text is arbitrary.
    #[default]
    Usual,
    /// Dates may be written `31/10/2019`.
    DayFirst,
    /// As `DayFirst` if the file shows the order (a day above 12, or all dates equal the day in the file's name); else numeric dates are
    /// invalid.
    DayShown,
    /// Dates are written `10/31/2019`; found by surveying the file, never declared.
    #[serde(skip)]
    MonthFirst,
    /// Dates are written `10-31-2019`.
    MonthFirstDashes,
    /// Dates may have a time zone, such as `2019-10-31-04:00`.
    Zoned,
    /// The nanosecond at which a day began in New York.
    Nanoseconds,
    /// A count that may be fractional, because its source scaled it.
    Rounded,
    /// Only texts without lower-case letters are valid.
    Capitals,
}

impl CellForm {
    /// Returns true if cells of this kind may have the form.
    pub(super) fn suits(self, kind: &str) -> bool {
        match self {
            Self::Usual => true,
            Self::DayFirst | Self::DayShown | Self::MonthFirst | Self::MonthFirstDashes | Self::Zoned => {
                kind == "date"
            }
            Self::Nanoseconds => kind == "session",
            Self::Rounded => kind == "volume",
            Self::Capitals => kind == "ticker",
        }
    }
}
