//! The sort order that a sentence requests, as far as it has been read.

use super::screen::Sort;
use super::vocabulary::End;

/// The order so far.
#[derive(Debug, Default)]
pub(super) struct RequestedOrder {
    /// Order by a field that the sentence names or implies; `None` until such a field is read.
    pub(super) sort: Option<Sort>,
    /// Order that a superlative requests if no field follows it; `None` without a superlative.
    pub(super) fallback: Option<Sort>,
    /// End that a superlative requests of a field that comes later: `top 10 banks by ROE`.
    pub(super) end: Option<End>,
}

impl RequestedOrder {
    /// Returns the order of the whole sentence.
    pub(super) fn sort(self) -> Option<Sort> {
        self.sort.or(self.fallback)
    }
}
