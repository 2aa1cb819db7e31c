//! The kinds of corporate actions. What words say which, [`crate::purposes`] knows.

/// What a corporate action is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum EventKind {
    /// A split of the face value, or shares made one.
    Split,
    /// Bonus shares.
    Bonus,
    /// An offer of new shares to shareholders.
    Rights,
    /// The company buys its shares back.
    Buyback,
    /// Companies become one or part: mergers, demergers, schemes of arrangement.
    Merger,
    /// Anything else: dividends, meetings, interest.
    #[default]
    Other,
}

impl EventKind {
    /// The word for it.
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
