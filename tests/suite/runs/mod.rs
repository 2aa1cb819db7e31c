//! Provider keys, presets, committees, screens in words and risk: the operations in Rust, over real connections.
//!
//! Reading order: a complete server ([`fixture`]), the scripted model ([`script`]), then the tests.

mod fixture;
mod script;

mod account;
mod committee;
mod fast_scan;
mod injection;
mod natural_language;
mod presets;
mod risk;

/// The real binary in a separate folder.
#[cfg(unix)]
mod program;

/// Runs that are killed.
#[cfg(unix)]
mod killed;

/// The real binary, with everything that it writes.
#[cfg(unix)]
mod secrecy;
