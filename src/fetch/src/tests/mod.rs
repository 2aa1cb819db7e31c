//! The room against a host of this machine that plays every trap, with a clock that is moved. No test leaves the loopback.

mod bench;
mod host;
mod hostile;

mod asking;
mod core;
mod courtesy;
mod declarations;
mod evening;
mod judging;
mod killed;
mod planning;
mod resuming;
mod vendors;
