//! A figure of a statement: as a record has it, and as the market keeps it.
//!
//! The first carries its own texts; the second is 48 bytes and names company and source by number, as there are millions.

use chrono::{Days, NaiveDate};

use parquote_catalogue::operation::line_item::LineItem;

/// Whose figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// Of the group.
    Consolidated,
    /// Of the company alone.
    Standalone,
}

/// What a figure covers, up to the day at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PeriodSpan {
    /// The day itself, by a source that does not say whether a year ends on it.
    Day,
    /// A year.
    Year,
    /// Three months.
    Quarter,
    /// The first six months of a year.
    Half,
    /// The first nine months of a year.
    NineMonths,
}

/// How a file names a company.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum CompanyRef {
    /// By its symbol.
    Symbol(String),
    /// By its number at the SEC.
    Cik(u64),
    /// By its name.
    Name(String),
}

/// A figure of the market.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatementRow {
    /// The number of its company.
    pub company: u32,
    /// The end of its period.
    pub period_end: NaiveDate,
    /// What it covers.
    pub span: PeriodSpan,
    /// Whose it is.
    pub basis: Basis,
    /// Its line.
    pub line: LineItem,
    /// In plain units.
    pub value: f64,
    /// Its currency.
    pub currency: [u8; 3],
    /// When it was filed, if the source says it.
    pub filed_at: Option<NaiveDate>,
    /// The number of its source.
    pub source: u32,
    /// The rank of its file.
    pub(crate) file: u32,
    /// Its line there; 0 for a figure that is made of others.
    pub(crate) at: u32,
    /// The rank of the rule that made it; the first for a line that a file states as such.
    pub(crate) rank: u8,
}

impl StatementRow {
    /// The rank of a line that a file states as such.
    pub(crate) const STATED: u8 = 1;

    /// From when on the figure counts: the day on which it was filed; where no source says it 45 days after a quarter and 60 days
    /// after a year, by when the rules of most exchanges ask for it.
    pub fn known_from(&self) -> NaiveDate {
        let days = if self.span == PeriodSpan::Quarter { 45 } else { 60 };
        self.filed_at.or_else(|| self.period_end.checked_add_days(Days::new(days))).unwrap_or(NaiveDate::MAX)
    }
}

impl Basis {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Consolidated => "consolidated",
            Self::Standalone => "standalone",
        }
    }

    /// The basis of a word; the group's where a file leaves it open.
    pub(crate) fn of(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "" | "consolidated" | "c" | "group" => Self::Consolidated,
            "standalone" | "s" | "non-consolidated" | "unconsolidated" | "separate" => Self::Standalone,
            _ => return None,
        })
    }
}

impl PeriodSpan {
    /// The word for it in the column `period_type`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Year => "annual",
            Self::Quarter => "quarterly",
            Self::Half => "half_yearly",
            Self::NineMonths => "nine_months",
            Self::Day => "instant",
        }
    }

    /// The span of a word.
    pub(crate) fn of(word: &str) -> Option<Self> {
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
    /// The company as its file names it, for the list of refused rows.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Symbol(text) | Self::Name(text) => text,
            Self::Cik(_) => "a CIK without a symbol",
        }
    }
}
