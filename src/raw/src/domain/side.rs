//! Which side of a trade someone was on.

/// What someone did.
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
    /// The word for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Buy => "buy",
            Self::Sell => "sell",
            Self::Other => "other",
        }
    }
}
