//! Attacks, kills, damage and long runs: short in a plain run, as long as the environment variables say in a long one.
//!
//! The variables are `PARQUOTE_FUZZ_SECONDS`, `PARQUOTE_FUZZ_CASES`, `PARQUOTE_KILLS`, `PARQUOTE_ATTACK_CONNECTIONS` and
//! `PARQUOTE_SOAK_SECONDS`; each module documents its own. The foundations in `tests/support` are shared with `tests/suite`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect has failed, and says so by stopping"
)]
#![expect(dead_code, reason = "the suite uses the rest of what both targets stand on")]

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[path = "../support/demo_market.rs"]
mod demo_market;
#[path = "../support/selected.rs"]
mod selected;
#[path = "../support/server.rs"]
mod server;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/running_server.rs"]
mod running_server;
#[path = "../support/tagged_sets.rs"]
mod tagged_sets;
#[path = "../support/live_server.rs"]
mod live_server;
#[path = "../support/plain_folder.rs"]
mod plain_folder;
#[path = "../support/refreshed_server.rs"]
mod refreshed_server;
#[path = "../support/tables.rs"]
mod tables;
#[path = "../support/grammar.rs"]
mod grammar;

/// A temporary PostgreSQL server.
#[cfg(feature = "postgres-state")]
#[path = "../support/postgres_server.rs"]
mod postgres_server;

/// A host of raw files.
#[path = "../support/raw_host.rs"]
mod raw_host;

/// The demo's raw files on such a host.
#[path = "../support/fetch_setup.rs"]
mod fetch_setup;

/// Raw files fetched from a local host.
mod fetching;

/// Raw files made to exhaust memory or to fail a reader.
mod hostile_files;

/// Random input to all parsers.
mod fuzz;

/// Data that is damaged while it is served.
mod refresh;

/// Many swaps of sets during calls.
mod swapping;

/// One quota over several servers, some of which are killed.
mod shared_quota;

/// Quotas over several servers on one PostgreSQL, some of which are killed.
#[cfg(feature = "postgres-state")]
mod replicas;

/// Servers on one PostgreSQL that are replaced one by one.
#[cfg(feature = "postgres-state")]
mod rollout;

/// A server that is stopped while callers are connected.
mod draining;

/// Attacks that other callers do not notice.
mod attack;

/// All kinds of load at once for a time, on a stable server.
mod soak;

/// Derivations over workers in separate processes.
#[cfg(all(unix, feature = "workers"))]
mod workers;
