//! Keys, tiers and quotas against real servers: in this process with a clock that tests move, and as the real binary.
//!
//! Reading order: the foundations ([`fixture`], [`program`]), then the tests.

/// A state file with keys, and a server with access control.
mod fixture;

/// The real binary as a child process.
mod program;

/// All routes, all tiers, all positions of a key.
mod every_route;

/// Counted requests, the size of the allowance, and its reset.
mod counting;

/// Callers' SELECTs: tiers, limits, and cost of the work.
mod own_select;

/// Guarantees of quotas.
mod promises;

/// A state file and certificates that change or fail while a server runs.
mod files;

/// Limits on requests and on wrong keys.
mod defence;

/// First start, restart, changes at run time, and written files.
mod running;

/// Pages and prompts that are reloaded.
mod live_pages;

/// Metrics for operators.
mod metrics;

/// The same keys at the MCP endpoint.
mod mcp;
