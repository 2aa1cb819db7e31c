//! The order that a sentence asks for, as far as it was read.

use super::screen::Sort;
use super::vocabulary::End;

/// What a sentence said of the order so far.
#[derive(Debug, Default)]
pub(super) struct AskedOrder {
    /// The order, once a field is known.
    pub(super) sort: Option<Sort>,
    /// The order that a superlative means if no field is named for it.
    pub(super) fallback: Option<Sort>,
    /// The end that a superlative asked for, for a field that comes later: `top 10 banks by ROE`.
    pub(super) end: Option<End>,
}

impl AskedOrder {
    /// The order of the whole sentence.
    pub(super) fn sort(self) -> Option<Sort> {
        self.sort.or(self.fallback)
    }
}
