//! Plain files that are written slowly, damaged or made to do harm while a server watches them, and processes that are killed on the
//! way.

/// The real binary over a plain folder.
mod program;

/// Files that are written slowly, or in place while callers ask.
mod writers;

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
