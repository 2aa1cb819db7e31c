//! The kinds of corporate actions; [`crate::purposes`] maps words to them.

/// Kind of a corporate action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum EventKind {
    /// A split of the face value, or a reverse split.
    Split,
    /// Bonus shares.
    Bonus,
    /// An offer of new shares to shareholders.
    Rights,
    /// A buyback of shares by the company.
    Buyback,
    /// Mergers, demergers and schemes of arrangement.
    Merger,
    /// Anything else: dividends, meetings, interest.
    #[default]
    Other,
}

impl EventKind {
    /// Returns the word for the kind.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Split => "split",
            Self::Bonus => "bonus",
            Self::Rights => "rights",
            Self::Buyback => "buyback",
            Self::Merger => "merger",
            Self::Other => "other",
        }
    }
}
