//! What a header must have or must not have beside the columns that are read.

use serde::Deserialize;

use parquote_encodings::text::cells::HeaderLine;

/// What tells a header that several formats could have.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct HeaderRules {
    /// Columns that must be there, each by its names.
    with: Vec<Vec<String>>,
    /// Columns that must not be there.
    without: Vec<Vec<String>>,
    /// Columns that may be there where nothing else may.
    also: Vec<Vec<String>>,
    /// Whether nothing else may be there.
    only: bool,
    /// How many of the columns that are read must be there.
    least: usize,
    /// How many columns may be there.
    most: Option<usize>,
}

impl HeaderRules {
    /// Whether a header that has `found` of the columns that are read is one of the format.
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
