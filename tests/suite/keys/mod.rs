//! Keys, tiers and quotas against real servers: in this process with a clock that tests move, and as the real binary.
//!
//! Reading order: what the tests stand on ([`fixture`], [`program`]), then the tests.

/// A state file with keys, and a server behind a gate.
mod fixture;

/// The real binary as a child process.
mod program;

/// All routes, all tiers, all places of a key.
mod every_route;

/// What counts, how much, and when the count starts again.
mod counting;

/// SELECTs that callers write: tiers, limits, and what the work costs.
mod own_select;

/// What is promised of quotas.
mod promises;

/// A state file and certificates that change or fail while a server runs.
mod files;

/// Limits on requests and on wrong keys.
mod defence;

/// First start, restart, changes while running, and what is written where.
mod running;

/// Pages and prompts that are read again.
mod live_pages;

/// What operators are told in figures.
mod metrics;

/// The same keys at the MCP endpoint.
mod mcp;
