//! Watchlists and saved screens of the reader, for use on other pages; empty for readers who save nothing.

/// Names of a reader's watchlists and saved screens in one market.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct SavedNames {
    /// Watchlists, each with its symbols.
    pub lists: Vec<(String, Vec<String>)>,
    /// Saved screens, each with its page below the market.
    pub screens: Vec<(String, String)>,
}

/// Default watchlist of the star.
pub(super) const STARRED: &str = "Starred";

impl SavedNames {
    /// Returns true if the reader has a watchlist of this name.
    pub(super) fn has_list(&self, name: &str) -> bool {
        self.lists.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// Returns the watchlists to which symbols can be added: the reader's, and the default one of the star.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let starred = Some(STARRED).filter(|_| !self.has_list(STARRED));
        starred.into_iter().chain(self.lists.iter().map(|(name, _)| name.as_str()))
    }
}
