//! What attacks, kills, damages or goes on for a time: short in a plain run, as long as the environment says in a long one.
//!
//! `PARQUOTE_FUZZ_SECONDS`, `PARQUOTE_FUZZ_CASES`, `PARQUOTE_KILLS`, `PARQUOTE_ATTACK_CONNECTIONS` and `PARQUOTE_SOAK_SECONDS` make it
//! longer; each module says what they are for. What it stands on is that of `tests/suite`, in `tests/support`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect has failed, and says so by stopping"
)]
#![expect(dead_code, reason = "the suite uses the rest of what both targets stand on")]

/// That of the program.
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

/// A PostgreSQL of a test's own.
#[cfg(feature = "postgres-state")]
#[path = "../support/postgres_server.rs"]
mod postgres_server;

/// A host of raw files.
#[path = "../support/raw_host.rs"]
mod raw_host;

/// The demo's raw files at such a host.
#[path = "../support/fetch_setup.rs"]
mod fetch_setup;

/// Raw files fetched from a host of this machine.
mod fetching;

/// Raw files made to exhaust memory or to fail a reader.
mod hostile_files;

/// Random input to all that reads.
mod fuzz;

/// Data that is damaged while it is served.
mod refresh;

/// Sets that take each other's place a thousand times.
mod swapping;

/// One quota over several servers, some of which are killed.
mod shared_quota;

/// Quotas over several servers on one PostgreSQL, some of which are killed.
#[cfg(feature = "postgres-state")]
mod replicas;

/// Servers on one PostgreSQL that are replaced one by one.
#[cfg(feature = "postgres-state")]
mod rollout;

/// A server that is told to stop while callers are there.
mod draining;

/// Attacks, and callers who do not feel them.
mod attack;

/// Everything at once for a time, and a server that stays as it is.
mod soak;

/// Derivations over workers in processes of their own.
#[cfg(all(unix, feature = "workers"))]
mod workers;
