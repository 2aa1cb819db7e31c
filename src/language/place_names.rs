//! Common names of sectors and industries, and the official names that they stand for.
//!
//! The official names themselves need no entry. A target that the snapshot does not have is left out; a name without any target
//! left is not understood.

use super::place_name::PlaceName;
use super::place_names_india::INDIA;
use super::place_names_us::US;
use crate::operation::Market;

/// The names of a market.
pub(super) const fn place_names(market: Market) -> &'static [PlaceName] {
    match market {
        Market::India => INDIA,
        Market::Us => US,
    }
}
