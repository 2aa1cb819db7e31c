//! Data that changes while it is served: plain files that are copied over, written slowly, broken or made to do harm, and
//! servers that are killed on the way.
//!
//! Reading order: what the tests stand on ([`house`], [`program`], [`earlier`]), then the tests.

/// A server in this process over a plain folder that it watches.
mod house;

/// The real binary over a plain folder.
mod program;

/// The little market as it was some sessions earlier.
mod earlier;

/// New files are served, and earlier sets stay within reach.
mod swaps;

/// Files that are written slowly, or in place while callers ask.
mod writers;

/// What contradicts the set that is served.
mod contradictions;

/// Files that break their declarations.
mod breaks;

/// Random damage to files.
mod fuzz;

/// Files made to exhaust memory.
#[cfg(unix)]
mod hostile;

/// Apache's collection of valid and broken files.
mod corpus;

/// Servers and derivations that are killed.
#[cfg(unix)]
mod killed;
