//! The sector of a company: every way in which files say one, and which of them holds.

// One taxonomy a market.
pub(crate) mod words;

// What says a sector beside lists.
mod by_index;
mod by_name;
mod by_sic;
pub(crate) mod facts;

// Which sector holds.
mod by_industry;
pub(crate) mod finder;
