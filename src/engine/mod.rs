//! How SQL runs: snapshots of tables, operations prepared on them, plans reused with values bound late, encodings.
//! It knows nothing of keys, tiers or protocols.
//!
//! Reading order: [`Snapshot`] and [`MarketSnapshot`] (what is served), `shared` (what snapshots have in common),
//! `market_tables`, `load` and `shelf` (where tables come from), `served_table`, `key_scan`, `long_file`, `top_rows`, `top_numbers`
//! and `sorted_scan` (how rows are found), `prepared_operation`, `prepared_call`, `template` and `plans` (how a call runs), `answer`,
//! `format` and `json` (how rows leave), `declared_drawing`, `drawing` and `picture_rows` (how they are drawn), `checking`, `vetting`
//! and `inspection` (what is looked at before a set is served).

mod answer;
mod answer_rows;
pub(crate) mod arrow_types;
mod checking;
mod chosen;
pub(crate) mod context;
mod counted;
mod coverage;
mod deadline;
mod declared_drawing;
mod digests;
mod drawing;
mod encoded;
mod error;
pub mod functions;
mod guard;
mod fold;
mod format;
mod inspection;
mod json;
mod key_index;
mod key_scan;
mod limits;
mod load;
mod long_file;
pub(crate) mod long_table;
mod market_data;
mod market_snapshot;
pub(crate) mod market_tables;
mod matched_rows;
mod opaque;
mod picture_rows;
mod plans;
mod prepared_call;
mod prepared_operation;
mod prepared_select;
mod problem;
mod recent_latency;
mod result_column;
mod row_choice;
mod row_expr;
pub(crate) mod row_ranges;
mod served_table;
mod set_name;
mod shared;
mod shelf;
mod slot;
mod sorted_scan;
mod snapshot;
#[cfg(test)]
mod tests;
mod load_progress;
mod load_scope;
mod table_handle;
mod template;
mod top_numbers;
mod top_rows;
mod updated;
mod vetting;
mod watched;
mod with_input;

pub use answer_rows::AnswerRows;
pub use checking::{CheckResult, drawn};
pub use coverage::{Coverage, Needs};
pub use deadline::Deadline;
pub use digests::RowDigests;
pub use encoded::{Encoded, Extent};
pub use error::EngineError;
pub use inspection::{ExampleFaults, TableProfile, readers};
pub use json::JsonRows;
pub use limits::QueryLimits;
pub use load_progress::LoadProgress;
pub use load_scope::LoadScope;
pub use market_snapshot::MarketSnapshot;
pub use market_tables::{FREE_SYMBOLS, Spelling};
pub(crate) use picture_rows::number_form;
pub use picture_rows::{PictureRows, PictureSetting};
pub use prepared_call::PreparedCall;
pub use prepared_operation::PreparedOperation;
pub use problem::Problem;
pub use result_column::ResultColumn;
pub use set_name::SetName;
pub use shared::{CacheFigures, DATAFUSION, Engine};
pub use snapshot::Snapshot;
pub use vetting::{Vetted, vet};
