//! How SQL runs: snapshots of tables, operations prepared on them, plans reused with values bound late, encodings.
//! It knows nothing of keys, tiers or protocols.
//!
//! Reading order: [`Snapshot`] and [`MarketSnapshot`] (what is served), `shared` (what snapshots have in common),
//! `market_tables`, `load` and `loaded_tables` (how tables are loaded), `served_table`, `key_scan`, `long_file`, `kept_columns`,
//! `zstd_pages` and `name_search` (how rows are found), `prepared_operation`, `row_age`, `prepared_call`, `template`, `parsed_plan` and
//! `plans` (how a call runs), `memory_plan`, `sorted_scan`, `top_rows`, `top_numbers`, `one_row_first`, `whole_windows`, `sliding_windows`,
//! `key_joins`, `met_keys`, `ordered_arrays`, `lean_rows`, `lean_join` and `lean_plan` (how its plan is made quick), `own_select` (SELECTs that callers
//! write), `answer`, `format`, `json` and `rows_file` (how rows are written), `declared_drawing`, `drawing` and
//! `picture_rows` (how rows are drawn), `checking`, `vetting`, `casts` and `inspection` (the checks of a set before it is served).

mod answer;
mod answer_rows;
mod casts;
mod checking;
mod chosen_columns;
mod constant_values;
mod coverage;
mod deadline;
mod declared_drawing;
mod digests;
mod drawing;
mod encoded;
mod error;
mod fold_constants;
mod format;
mod inspection;
mod json;
mod kept_columns;
mod key_index;
mod key_joins;
mod key_scan;
mod lean_join;
mod lean_plan;
mod lean_rows;
mod limits;
mod load;
mod load_scope;
mod loaded_tables;
mod long_file;
pub mod long_table;
mod market_data;
mod market_snapshot;
pub mod market_tables;
mod match_count;
mod matched_rows;
mod memory_plan;
mod met_keys;
mod name_search;
mod observed_plan;
mod one_row_first;
mod ordered_arrays;
pub mod own_select;
mod picture_rows;
mod plans;
mod prepared_call;
mod prepared_operation;
mod prepared_select;
mod problem;
mod recent_latency;
mod replace_inputs;
mod result_column;
mod row_age;
mod row_choice;
mod row_expr;
mod row_order;
pub mod row_ranges;
mod rows_file;
mod scanned_rows;
mod served_table;
mod set_name;
mod shared;
mod sliding_windows;
mod slot;
mod snapshot;
mod load_progress;
mod sorted_scan;
mod table_handle;
mod template;
#[cfg(test)]
mod tests;
mod time_guard;
mod top_before_join;
mod top_numbers;
mod top_rows;
mod type_erased;
mod parsed_plan;
mod updated;
mod vetting;
mod whole_windows;
mod zstd_pages;

pub use answer_rows::AnswerRows;
pub use checking::{CheckResult, FilesToCheck, drawn};
pub use coverage::{Coverage, Needs};
pub use deadline::Deadline;
pub use digests::RowDigests;
pub use encoded::{Encoded, Extent};
pub use error::EngineError;
pub use format::{csv_line, lacking_feature};
pub use inspection::{ExampleFaults, TableProfile, readers, tables_made_of, tables_read};
pub use json::JsonRows;
pub use limits::QueryLimits;
pub use load_progress::LoadProgress;
pub use load_scope::LoadScope;
pub use market_snapshot::MarketSnapshot;
pub use market_tables::{FREE_SYMBOLS, Spelling, named_tables};
pub use name_search::FoundCompany;
pub use picture_rows::number_form;
pub use picture_rows::{PictureRows, PictureSetting};
pub use prepared_call::PreparedCall;
pub use prepared_operation::PreparedOperation;
pub use problem::Problem;
pub use result_column::ResultColumn;
pub use row_age::RowAge;
pub use rows_file::FileForm;
pub use set_name::SetName;
pub use shared::{CacheFigures, DATAFUSION, Engine};
pub use snapshot::Snapshot;
pub use vetting::{Vetted, vet};
