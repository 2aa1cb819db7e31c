//! How derived tables are made: raw sources are read into one market, tables are ordered by what they read, and each is
//! written as Parquet by its declaration. It knows nothing of serving.
//!
//! The whole set of a market is made in a staging folder and published by one manifest, so that no reader meets a half.
//! The same input gives the same files: nothing in them depends on the clock, the machine or the number of cores.

pub mod raw;
pub mod report;
mod figures_read;
mod error;
mod announced;
mod filed;
mod statements;
mod sources;
mod order;
mod stamps;
mod fingerprint;
mod year_plan;
mod kept_years;
mod resume;
mod patch;
mod symbol_rows;
mod by_session;
mod table_writer;
mod sinks;
mod bars;
mod symbol_plans;
mod symbol_pass;
mod later_pass;
mod publish;
mod published;
mod shrinkage;
mod given;
mod making;
mod run;

/// The SQL of derived tables over rows worked out by hand.
#[cfg(test)]
mod tables_by_hand;

pub use error::DeriveError;
pub use figures_read::{Noted, StatementCounts};
pub use publish::Publishing;
pub use run::{Allowed, DeriveOptions, Derived, FiguresAgain, derive, derive_figures};
pub use shrinkage::Loss;
pub use table_writer::TableSize;
