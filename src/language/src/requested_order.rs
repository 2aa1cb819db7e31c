//! The sort order that a sentence requests, as far as it has been read.

use super::screen::Sort;
use super::vocabulary::End;

/// Requested order so far.
#[derive(Debug, Default)]
pub(super) struct RequestedOrder {
    /// Order, once a field is known.
    pub(super) sort: Option<Sort>,
    /// Order that a superlative requests if no field follows it.
    pub(super) fallback: Option<Sort>,
    /// End requested by a superlative, for a field that comes later: `top 10 banks by ROE`.
    pub(super) end: Option<End>,
}

impl RequestedOrder {
    /// Returns the order of the whole sentence.
    pub(super) fn sort(self) -> Option<Sort> {
        self.sort.or(self.fallback)
    }
}
