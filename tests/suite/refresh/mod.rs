//! Data that changes while it is served: plain files that are overwritten, broken, or of two days.

/// The little market some sessions earlier.
pub(crate) mod earlier;

/// New files are served, and earlier sets stay available.
mod swaps;

/// Sets of earlier days, which are derived later.
mod past;

/// Back-tests of screens, which sets of earlier days answer.
pub(crate) mod past_screens;

/// The public's view of a market with a lag.
mod public_lag;

/// Earlier sets that are opened for callers: price, bounds and refusals.
mod openings;

/// Files that contradict the served set.
mod contradictions;

/// Faults that do not block later files: missing files, busy ones, foreign ones, invalid manifests.
mod wedges;

/// Files that break their declarations.
mod breaks;

/// Files of sets whose bytes changed.
mod damaged;
mod dropped;

/// A single table that is replaced.
mod replaced;

/// Files with the types of data frames.
mod casts;
