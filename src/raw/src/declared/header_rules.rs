//! Conditions on a header beyond the columns that are read.

use serde::Deserialize;

use parquote_encodings::text::cells::HeaderLine;

/// Conditions that distinguish headers that several formats could have.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct HeaderRules {
    /// Columns that the file must have, each with the names that headers use for it.
    with: Vec<Vec<String>>,
    /// Columns that must not be there.
    without: Vec<Vec<String>>,
    /// Further columns that are allowed if `only` is set.
    also: Vec<Vec<String>>,
    /// True if no other column may be there.
    only: bool,
    /// Minimum number of the columns that are read.
    least: usize,
    /// Maximum number of columns.
    most: Option<usize>,
}

impl HeaderRules {
    /// Returns true if the format allows a header that has `found` of the columns that are read.
    pub(super) fn allow(&self, header: &HeaderLine, found: usize) -> bool {
        let has = |names: &&Vec<String>| header.column(names).is_some();
        let known = found + self.also.iter().filter(has).count();
        self.with.iter().all(|names| has(&names))
            && !self.without.iter().any(|names| has(&names))
            && found >= self.least
            && self.most.is_none_or(|most| header.len() <= most)
            && !(self.only && header.len() != known)
    }
}
