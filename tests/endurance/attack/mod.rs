//! Attacks over real sockets on the real binary, each beside an honest caller: while it runs, the honest one is answered within five
//! times of what an idle server takes, and the server's memory stays within a bound.
//!
//! `PARQUOTE_ATTACK_CONNECTIONS=10000` opens so many connections where some hundreds do in every run.

/// The server that is attacked, and the honest caller.
pub(crate) mod target;

/// Attacks that go on.
mod flood;

/// HTTP/2 frames, as no honest client writes them.
pub(crate) mod frames;

/// Streams that take nothing, resets, settings, heads without an end.
mod http2;

/// Connections that do nothing.
mod idle;

/// Heads and bodies that come slowly, or are too large.
mod slow;

/// What costs nothing of an allowance.
mod free;

/// Many heavy queries of one key.
mod queries;

/// SELECTs that callers write.
mod sql;

/// Hostile SELECTs of every kind, from files and made at random.
mod selects;

/// Texts that cost time to compare.
mod likeness;
