//! Units of figures, which determine their rounding.

crate::word_enum! {
    /// Unit of a figure. Rounding by unit happens once, when an answer is encoded.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Unit {
        /// No unit: text, dates, flags.
        None = "none",
        /// A share price or index level in the market's currency.
        Price = "price",
        /// Sums in the market's currency: rupees or dollars, not crores or millions.
        Money = "money",
        /// Ten million rupees.
        InrCrore = "inr_crore",
        /// Thousand million dollars.
        UsdBillion = "usd_billion",
        /// Million dollars.
        UsdMillion = "usd_million",
        /// Percent: 15 is 15 %.
        Pct = "pct",
        /// Percentage points between two figures in percent or rating points.
        Points = "points",
        /// A quotient without a unit.
        Ratio = "ratio",
        /// A score from 0 to 100.
        Score = "score",
        /// A score from 0 to 10.
        Score10 = "score_10",
        /// A multiplier of earlier prices.
        Factor = "factor",
        /// A rating from 1 to 99.
        Rating = "rating",
        /// A rank, 1 is best.
        Rank = "rank",
        /// A number of things.
        Count = "count",
        /// A number of shares.
        Shares = "shares",
    }
    const ALL "All units.";
    fn word "Returns the unit's word in declarations.";
    parse "a unit", "units";
}

impl Unit {
    /// Returns the display name, e.g. `INR crore`; empty if there is none.
    pub const fn label(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Price => "rupees (India) or dollars (US)",
            Self::Money => "rupees (India) or dollars (US), not crores or millions",
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
