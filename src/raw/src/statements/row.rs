//! A figure of a statement as the market stores it, with its period, basis and company.
//!
//! It has 48 bytes and refers to its company and source by number, as a market has millions of figures.

use chrono::{Days, NaiveDate};

use parquote_catalogue::operation::line_item::LineItem;

parquote_catalogue::word_enum! {
    /// The entity that figures cover.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Basis {
        /// The group.
        Consolidated = "consolidated",
        /// The company alone.
        Standalone = "standalone",
    }
    fn word "Returns the word for the basis.";
}

parquote_catalogue::word_enum! {
    /// The period of a figure, up to its last day.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum PeriodSpan {
        /// The day itself, in a source that does not state whether a year ends on it.
        Day = "instant",
        /// A year.
        Year = "annual",
        /// Three months.
        Quarter = "quarterly",
        /// The first six months of a year.
        Half = "half_yearly",
        /// The first nine months of a year.
        NineMonths = "nine_months",
    }
    fn word "Returns the word for the span in the column `period_type`.";
}

/// A file's reference to a company.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum CompanyRef {
    Symbol(String),
    Cik(u64),
    Name(String),
}

/// A figure of a statement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatementRow {
    /// Position of the company in [`crate::Statements::symbols`].
    pub company: u32,
    /// The last day of the period.
    pub period_end: NaiveDate,
    /// The length of the period.
    pub span: PeriodSpan,
    /// The group, or the company alone.
    pub basis: Basis,
    /// The line item, such as revenue.
    pub line: LineItem,
    /// In plain units, not in thousands or crores.
    pub value: f64,
    /// The ISO 4217 code of the currency.
    pub currency: [u8; 3],
    /// The date of filing, if the source has it.
    pub filed_at: Option<NaiveDate>,
    /// Position of the source in [`crate::Statements::sources`].
    pub source: u32,
    /// The rank of its file.
    pub(crate) file: u32,
    /// Its line in that file; 0 for a figure that is computed from others.
    pub(crate) file_line: u32,
    /// The rank of the rule that made it; [`Self::STATED`] for a line that a file states.
    pub(crate) rank: u8,
}

impl StatementRow {
    /// The rank of a line that a file states.
    pub(crate) const STATED: u8 = 1;

    /// Returns the date from which the figure is known: the filing date; without one 45 days after a quarter and 60 days after a year, the
    /// deadlines of most exchanges.
    pub fn known_from(&self) -> NaiveDate {
        let days = if self.span == PeriodSpan::Quarter { 45 } else { 60 };
        self.filed_at.or_else(|| self.period_end.checked_add_days(Days::new(days))).unwrap_or(NaiveDate::MAX)
    }
}

impl Basis {
    /// Parses the word of a file; an empty one is the group.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "" | "consolidated" | "c" | "group" => Self::Consolidated,
            "standalone" | "s" | "non-consolidated" | "unconsolidated" | "separate" => Self::Standalone,
            _ => return None,
        })
    }
}

impl PeriodSpan {
    /// Parses the word of a file.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "quarterly" | "quarter" | "q" => Self::Quarter,
            "annual" | "yearly" | "year" | "a" | "y" | "fy" => Self::Year,
            "half_yearly" => Self::Half,
            "nine_months" => Self::NineMonths,
            "instant" => Self::Day,
            _ => return None,
        })
    }
}

impl CompanyRef {
    /// Returns the company as its file names it, for the list of refused rows.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Symbol(text) | Self::Name(text) => text,
            Self::Cik(_) => "a CIK without a symbol",
        }
    }
}
