//! Plain files that are written slowly, damaged or hostile while a server watches them, and processes that are killed
//! meanwhile.

/// The real binary over a plain folder.
mod program;

/// Files that are written slowly, or in place during calls.
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
