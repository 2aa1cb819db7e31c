//! Derivation of tables: orders the tables of a market by their inputs and writes each as Parquet by its declaration. [`parquote_raw`]
//! reads the raw files; this crate serves nothing.
//!
//! The set of a market is built in a staging folder and published by one manifest, so that no reader sees half a set. The same input gives
//! the same files on every machine, at any time and with any number of cores. Only the tables of a ledger have the times at which their
//! lines were written.

// Errors.
mod loss;
mod error;

// A raw market as rows of source tables.
mod sessions;
mod statements;
mod user_supplied;
mod covered;
mod sources;
mod staged_files;

// Partitions: cuts, keys, and reuse.
mod cut;
mod row_fingerprint;
mod fingerprint;
mod partition;
mod published;
mod partition_reuse;

// Writing files.
mod part_file;
mod table_writer;
mod sinks;

// Per-symbol tables from bars.
mod warm_start;
mod bars;
mod symbol_plans;
mod symbol_pass;

// Tables from tables.
mod order;
mod by_session;
mod plain_files;
mod later_pass;
mod limits;

// Units of work for other machines.
mod units;

// The whole derivation, in the order of its steps.
mod build;
mod shrinkage;
mod identities;
mod ledger;
mod publish;
mod run;

// Derivation of dependants after tables of a set were replaced.
mod replaced;

/// Tests of the SQL of derived tables, over rows worked out by hand.
#[cfg(test)]
mod tables_by_hand;

pub use covered::covered_tables;
pub use error::DeriveError;
pub use fingerprint::{ROW_CODE_HASH, rules_fingerprint};
pub use identities::identities;
pub use ledger::verified_ledger;
pub use loss::Loss;
pub use parquote_raw::report::Tally;
pub use publish::Publishing;
pub use published::{SetPaths, session_days};
pub use replaced::{RederivedTables, ReplacedSet, derive_dependants};
pub use run::{
    AllowedFaults, DeriveOptions, DerivedMarket, REFUSED_FILE, REPORT, RederiveOptions, derive,
    derive_figures, published_days,
};
pub use table_writer::TableSize;
pub use units::{MadeFile, MadeUnit, PathBelow, UnitError, UnitRunner, WorkUnit, run_unit};
