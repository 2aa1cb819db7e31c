//! Work units: pieces of a derivation that depend only on the files that they read, so that any machine can run them.
//!
//! A unit of files parses raw files. A unit of stocks makes the rows of neighbouring stocks in all per-symbol tables. A unit of a table
//! makes a table from written tables, or a calendar year of it. The derivation puts the inputs of a unit into a transfer store, a worker
//! puts the outputs there, and the derivation merges them. The resulting files equal those of a single process byte for byte.

mod path_below;
mod unit_error;
mod work_unit;
mod run;
mod of_files;
mod of_stocks;
mod of_tables;
mod merge;

pub use path_below::PathBelow;
pub use run::run_unit;
pub use unit_error::UnitError;
pub use work_unit::{MadeFile, MadeUnit, UnitRunner, WorkUnit};

pub(super) use merge::plan_merge;
pub(super) use of_files::UnitFileParser;
pub(super) use of_stocks::{StockUnitInputs, make_stocks};
pub(super) use of_tables::make_table;
pub(super) use work_unit::{new_rebuild_id, stocks_table};
