//! Attacks over real sockets on the real binary, with an honest caller: during an attack the honest caller gets answers within five
//! times the latency of an idle server, and the server's memory stays within a bound.
//!
//! `PARQUOTE_ATTACK_CONNECTIONS=10000` opens this number of connections, instead of some hundreds in a plain run.

/// The attacked server, and the honest caller.
pub(crate) mod target;

/// Continuous attacks.
mod flood;

/// HTTP/2 frames that no honest client writes.
pub(crate) mod frames;

/// Streams with a closed window, resets, settings, endless heads.
mod http2;

/// Idle connections.
mod idle;

/// Slow or oversized heads and bodies.
mod slow;

/// Requests that are free of charge.
mod free;

/// Many heavy queries of one key.
mod queries;

/// Callers' SELECTs.
mod sql;

/// Hostile SELECTs of every kind, from files and random.
mod selects;

/// Texts that are expensive to compare.
mod likeness;
