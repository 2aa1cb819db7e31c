//! Attacks over real sockets on the real binary, each beside an honest caller: while it runs the honest one is answered within five
//! times of what an idle server takes.

/// The server that is attacked by its queries, and the honest caller.
mod victim;

/// Many heavy queries of one key.
mod queries;

/// Texts that cost time to compare.
mod likeness;
