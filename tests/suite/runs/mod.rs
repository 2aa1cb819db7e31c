//! Keys of providers, presets, committees, screens in words and risk: the operations that Rust answers, over real connections.
//!
//! Reading order: a server with all that it needs ([`fixture`]), the model that it asks ([`script`]), then the tests.

mod fixture;
mod script;

mod account;
mod committee;
mod fast_scan;
mod injection;
mod natural_language;
mod presets;
mod risk;

/// The real binary in a folder of its own.
#[cfg(unix)]
mod program;

/// Runs that are killed.
#[cfg(unix)]
mod killed;

/// The real binary, with everything that it writes.
#[cfg(unix)]
mod secrecy;
