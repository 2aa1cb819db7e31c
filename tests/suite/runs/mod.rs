//! Provider keys, presets, committees, screens in words and risk: the operations in Rust, over real connections.
//!
//! Reading order: a complete server ([`fixture`]), the scripted model ([`script`]), then the tests.

#[cfg_attr(not(feature = "agents"), expect(dead_code, reason = "tests that request models use the rest"))]
mod fixture;
#[cfg_attr(not(feature = "agents"), expect(dead_code, reason = "tests that request models use the rest"))]
mod script;

// Operations that request no model.
mod account;
mod fast_scan;
mod natural_language;
mod risk;
mod starts;

// Runs.
#[cfg(feature = "agents")]
mod committee;
#[cfg(feature = "agents")]
mod injection;
#[cfg(feature = "agents")]
mod presets;

/// The real binary in a separate folder.
#[cfg(all(unix, feature = "agents"))]
mod program;

/// Runs that are killed.
#[cfg(all(unix, feature = "agents"))]
mod killed;

/// Runs that write rows from documents.
#[cfg(all(unix, feature = "agents"))]
mod writing;

/// The real binary, with everything that it writes.
#[cfg(all(unix, feature = "agents"))]
mod secrecy;
