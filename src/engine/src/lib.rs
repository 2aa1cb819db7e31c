//! Runs SQL: snapshots of tables, operations prepared on them, plans reused with late-bound values, encodings. Keys, tiers and protocols
//! are unknown here.
//!
//! A [`Snapshot`] has a [`MarketSnapshot`] for each market: its tables, loaded once, and every operation prepared on them. A call is a
//! [`PreparedCall`]; its rows are written in one of the formats. Below are the modules in reading order; each lists its files in the same
//! way.

mod error;
mod problem;
mod limits;
mod deadline;
mod encoded;
mod set_name;
mod updated;

// Storage of rows, their lookup, and tables.
mod storage;
mod operators;
mod tables;

// Answers to calls.
mod answers;
mod plans;

// Served data.
mod market_snapshot;
mod checks;
pub mod caller_select;
mod snapshot;

#[cfg(test)]
mod tests;

pub use answers::answer_rows::AnswerRows;
pub use answers::format::{csv_line, is_lacking_format, lacking_feature};
pub use answers::json::JsonRows;
pub use answers::picture_rows::{PictureRows, PictureSetting, number_form};
pub use answers::result_column::ResultColumn;
pub use answers::rows_file::FileForm;
pub use checks::checking::{CheckResult, FilesToCheck, draw_table};
pub use checks::digests::RowDigests;
pub use checks::inspection::{
    ExampleFaults, TableProfile, operations_that_read, tables_read, tables_that_read,
};
pub use checks::vetting::{VettingResult, vet};
pub use deadline::Deadline;
pub use encoded::{EncodedAnswer, Extent};
pub use error::EngineError;
pub use limits::QueryLimits;
pub use market_snapshot::MarketSnapshot;
pub use plans::prepared_call::PreparedCall;
pub use plans::prepared_operation::PreparedOperation;
pub use problem::Problem;
pub use set_name::SetName;
pub use snapshot::Snapshot;
pub use storage::load_progress::LoadProgress;
pub use storage::load_scope::LoadScope;
pub use storage::{long_table, row_ranges};
pub use tables::coverage::{Coverage, SourceNeeds};
pub use tables::market_sql::market_sql;
pub use tables::market_tables::Spelling;
pub use tables::name_search::FoundCompany;
pub use tables::row_age::RowAge;
pub use tables::shared::{CacheFigures, DATAFUSION, Engine};
pub use tables::tables_read;
pub use tables::tables_read::{FREE_SYMBOLS, named_tables};
