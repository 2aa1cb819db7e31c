//! The side of a trade.

/// The side of a trade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    /// Bought.
    Buy,
    /// Sold.
    Sell,
    /// Neither: no decision about the market.
    Other,
}

impl Side {
    /// Returns the word for the side.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Buy => "buy",
            Self::Sell => "sell",
            Self::Other => "other",
        }
    }
}
