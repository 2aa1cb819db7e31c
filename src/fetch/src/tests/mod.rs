//! Tests of the crate against a loopback host that misbehaves in every known way, with a simulated clock. No test leaves the loopback.

mod bench;
mod host;
mod hostile;

mod asking;
mod core;
mod courtesy;
mod declarations;
mod evening;
mod filed;
mod judging;
mod killed;
mod planning;
mod resuming;
mod vendors;
