//! How SQL runs: snapshots of tables, operations prepared on them, plans reused with values bound late, encodings.
//! It knows nothing of keys, tiers or protocols.
//!
//! Reading order: [`Snapshot`] and [`MarketSnapshot`] (what is served), `shared` (what snapshots have in common),
//! `market_tables`, `load` and `shelf` (where tables come from), `served_table`, `key_scan`, `long_file`, `top_rows` and
//! `sorted_scan` (how rows are found), `template` and `prepared` (how a call runs), `answer`, `form` and `json` (how rows
//! leave), `checking`, `vetting` and `inspection` (what is looked at before a set is served).

mod answer;
mod answer_rows;
pub(crate) mod arrow_types;
mod checking;
mod chosen;
pub(crate) mod context;
mod cost;
mod digests;
mod encoded;
mod error;
pub mod functions;
mod guard;
mod fold;
mod form;
mod inspection;
mod json;
mod key_index;
mod key_scan;
mod limits;
mod load;
mod long_file;
pub(crate) mod long_table;
mod market_snapshot;
pub(crate) mod market_tables;
mod matched;
mod prepared;
mod problem;
mod rank;
mod result_column;
mod row_choice;
mod row_expr;
pub(crate) mod row_ranges;
mod served_table;
mod shared;
mod shelf;
mod slot;
mod sorted_scan;
mod snapshot;
#[cfg(test)]
mod reuse_tests;
mod template;
mod top_rows;
mod updated;
mod vetting;
mod watched;

pub use answer_rows::AnswerRows;
pub use checking::Verdict;
pub use digests::RowDigests;
pub use encoded::{Encoded, Extent};
pub use error::EngineError;
pub use inspection::{TableProfile, readers};
pub use json::JsonRows;
pub use limits::Limits;
pub use market_snapshot::{MarketSnapshot, SetName};
pub use market_tables::{FREE_SYMBOLS, Spelling, Wanted};
pub use problem::Problem;
pub use result_column::ResultColumn;
pub use shared::Engine;
pub use snapshot::Snapshot;
pub use vetting::{Vetted, vet};
