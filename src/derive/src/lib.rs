//! How derived tables are made: tables of a market that [`parquote_raw`] has read are ordered by what they read, and each is written as
//! Parquet by its declaration. It knows nothing of serving.
//!
//! The whole set of a market is made in a staging folder and published by one manifest, so that no reader sees half a set.
//! The same input gives the same files: nothing in them depends on the clock, the machine or the number of cores.

// What can go wrong.
mod loss;
mod error;

// A market in memory as rows of source tables.
mod sessions;
mod statements;
mod user_supplied;
mod covered;
mod sources;
mod staged_files;

// Partitions: how tables are cut, what decides their rows, and which of them are there.
mod cut;
mod row_fingerprint;
mod fingerprint;
mod partition;
mod published;
mod partition_reuse;

// Rows to files.
mod part_file;
mod table_writer;
mod sinks;

// Bars to tables of single stocks.
mod warm_start;
mod bars;
mod symbol_plans;
mod symbol_pass;

// Tables to tables.
mod order;
mod by_session;
mod laid_over;
mod later_pass;
mod limits;

// PieceWriter of it, for other machines.
mod units;

// All of it, in order.
mod build;
mod shrinkage;
mod identities;
mod publish;
mod run;

// A part of it, after some tables of a set were replaced.
mod replaced;

/// The SQL of derived tables over rows worked out by hand.
#[cfg(test)]
mod tables_by_hand;

pub use covered::covered;
pub use error::DeriveError;
pub use fingerprint::{CODE, rules_of};
pub use identities::identities;
pub use loss::Loss;
pub use publish::Publishing;
pub use published::{SetPaths, session_days};
pub use replaced::{Remade, ReplacedSet, derive_dependants};
pub use run::{Allowed, DeriveOptions, Derived, FiguresAgain, derive, derive_figures};
pub use table_writer::TableSize;
pub use units::{MadeFile, MadeUnit, PathBelow, UnitError, UnitRunner, WorkUnit, run_unit};
