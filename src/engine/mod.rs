//! How SQL runs: snapshots of tables, operations prepared on them, plans reused with values bound late, encodings.
//! It knows nothing of keys, tiers or protocols.
//!
//! Reading order: [`Snapshot`] (what is served), `market_tables`, `load` and `root` (where it comes from), `served_table`,
//! `key_scan`, `long_file`, `top_rows` and `sorted_scan` (how rows are found), `template` and `prepared` (how a call runs), `answer`, `form` and `json` (how rows leave).

mod answer;
pub(crate) mod arrow_types;
mod chosen;
pub(crate) mod context;
mod encoded;
mod error;
pub mod functions;
mod guard;
mod fold;
mod form;
mod json;
mod key_index;
mod key_scan;
mod limits;
mod load;
mod long_file;
pub(crate) mod long_table;
pub(crate) mod market_tables;
mod prepared;
mod rank;
mod result_column;
mod root;
mod row_choice;
mod row_expr;
pub(crate) mod row_ranges;
mod served_table;
mod slot;
mod sorted_scan;
mod snapshot;
#[cfg(test)]
mod reuse_tests;
mod template;
mod top_rows;

pub use encoded::Encoded;
pub use error::EngineError;
pub use json::JsonRows;
pub use limits::Limits;
pub use market_tables::{FREE_SYMBOLS, Spelling};
pub use result_column::ResultColumn;
pub use snapshot::{Snapshot, Verdict, Wanted};

/// The key under which a Parquet file says when its data was last updated.
pub(crate) const LAST_UPDATED: &str = "parquote.last_updated";
