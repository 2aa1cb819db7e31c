//! Every encoding of rows to records of cells, and what a file may cost.

pub(crate) mod unpack_bounds;
pub(crate) mod as_utf8;
pub(crate) mod last_line;
mod row_array;
mod json_rows;
pub(crate) mod object_rows;
mod parquet_rows;
mod stacked_rows;
mod decimal_commas;
pub(crate) mod rows;
