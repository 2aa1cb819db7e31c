//! Data that changes while it is served: plain files that are copied over, broken, or of two days.

/// The little market as it was some sessions earlier.
pub(crate) mod earlier;

/// New files are served, and earlier sets stay within reach.
mod swaps;

/// What the public sees of a market with a lag.
mod public_lag;

/// Earlier sets that are opened for callers: at what price, within which bounds, and when not at all.
mod openings;

/// What contradicts the set that is served.
mod contradictions;

/// Files that hold nothing up: no files, busy ones, strangers, manifests that are none.
mod wedges;

/// Files that break their declarations.
mod breaks;

/// Files of sets that are not as they were published.
mod damaged;
mod dropped;

/// One table dropped in alone.
mod replaced;

/// Files in the types of data frames.
mod casts;
