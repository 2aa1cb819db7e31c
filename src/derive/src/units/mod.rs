//! Work units: pieces of a derivation that read files and write files, and depend on nothing else, so that they can run anywhere.
//!
//! A unit of files parses raw files. A unit of stocks makes the rows of neighbouring stocks in all per-symbol tables. A unit of a table
//! makes a table from written ones, or a calendar year of it. The derivation puts a unit's inputs into a transfer store, the worker puts
//! its outputs there, and the derivation merges them: the files are byte for byte those that a single process makes.

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
