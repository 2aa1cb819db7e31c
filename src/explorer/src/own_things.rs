//! What the reader of a page keeps here, which pages offer to use and to change; nothing for readers who keep nothing.

/// The names of a reader's things in one market.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct OwnThings {
    /// The lists, each with its symbols.
    pub lists: Vec<(String, Vec<String>)>,
    /// The screens, each with its page below the market.
    pub screens: Vec<(String, String)>,
}

/// The list that a star fills where none is named.
pub(super) const STARRED: &str = "Starred";

impl OwnThings {
    /// Whether a list of this name is the reader's own.
    pub(super) fn has_list(&self, name: &str) -> bool {
        self.lists.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// The names of lists that symbols can be put into: the reader's, and the one that a star makes.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let starred = Some(STARRED).filter(|_| !self.has_list(STARRED));
        starred.into_iter().chain(self.lists.iter().map(|(name, _)| name.as_str()))
    }
}
