//! The sector of a company: all sources of sectors, and their precedence.

// One taxonomy per market.
pub(crate) mod words;

// Sources of sectors other than lists.
pub(crate) mod facts;

// The selection of the sector.
mod by_industry;
pub(crate) mod finder;
