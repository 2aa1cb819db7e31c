//! Units of figures, which determine their rounding.

use std::fmt;
use std::str::FromStr;

/// Unit of a figure. Rounding by unit happens once, when an answer is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// No unit: text, dates, flags.
    None,
    /// A share price or index level in the market's currency.
    Price,
    /// The market's currency, whole amounts.
    Money,
    /// Ten million rupees.
    InrCrore,
    /// Thousand million dollars.
    UsdBillion,
    /// Million dollars.
    UsdMillion,
    /// Percent: 15 is 15 %.
    Pct,
    /// Percentage points between two figures in percent or rating points.
    Points,
    /// A quotient without a unit.
    Ratio,
    /// A score from 0 to 100.
    Score,
    /// A score from 0 to 10.
    Score10,
    /// A multiplier of earlier prices.
    Factor,
    /// A rating from 1 to 99.
    Rating,
    /// A rank, 1 is best.
    Rank,
    /// A number of things.
    Count,
    /// A number of shares.
    Shares,
}

impl Unit {
    const ALL: [Self; 16] = [
        Self::None,
        Self::Price,
        Self::Money,
        Self::InrCrore,
        Self::UsdBillion,
        Self::UsdMillion,
        Self::Pct,
        Self::Points,
        Self::Ratio,
        Self::Score,
        Self::Score10,
        Self::Factor,
        Self::Rating,
        Self::Rank,
        Self::Count,
        Self::Shares,
    ];

    /// Returns the unit's word in declarations.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Price => "price",
            Self::Money => "money",
            Self::InrCrore => "inr_crore",
            Self::UsdBillion => "usd_billion",
            Self::UsdMillion => "usd_million",
            Self::Pct => "pct",
            Self::Points => "points",
            Self::Ratio => "ratio",
            Self::Score => "score",
            Self::Score10 => "score_10",
            Self::Factor => "factor",
            Self::Rating => "rating",
            Self::Rank => "rank",
            Self::Count => "count",
            Self::Shares => "shares",
        }
    }

    /// Returns the display name, e.g. `INR crore`; empty if there is none.
    pub const fn label(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Price => "rupees (India) or dollars (US)",
            Self::Money => "rupees (India) or dollars (US), whole amounts",
            Self::InrCrore => "INR crore",
            Self::UsdBillion => "USD billion",
            Self::UsdMillion => "USD million",
            Self::Pct => "percent, 15 is 15 %",
            Self::Points => "points",
            Self::Ratio => "ratio",
            Self::Score => "score, 0 to 100",
            Self::Score10 => "score, 0 to 10",
            Self::Factor => "multiplier",
            Self::Rating => "rating, 1 to 99",
            Self::Rank => "rank, 1 is best",
            Self::Count => "count",
            Self::Shares => "shares",
        }
    }

    /// Returns the decimals of encoded answers; `None` for all.
    pub const fn decimals(self) -> Option<u8> {
        match self {
            Self::None => None,
            Self::Price | Self::Pct | Self::Ratio | Self::InrCrore | Self::UsdMillion | Self::Points => {
                Some(2)
            }
            Self::UsdBillion => Some(3),
            Self::Score | Self::Score10 => Some(1),
            Self::Factor => Some(6),
            Self::Money | Self::Rating | Self::Rank | Self::Count | Self::Shares => Some(0),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Unit {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|unit| unit.word() == word).ok_or_else(|| {
            let known = Self::ALL.map(Self::word).join(", ");
            format!("`{word}` is not a unit; the units are {known}")
        })
    }
}
