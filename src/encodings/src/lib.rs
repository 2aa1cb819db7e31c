//! Raw files as rows: every encoding and every kind of document becomes records of cells, and cells become figures, dates and names.
//!
//! It knows no table and no market: the meaning of a row is declared with its format.
//!
//! Reading order: [`text`] (cells and their values), [`rows`] (CSV, Parquet, JSON and workbooks as records), [`documents`] (files with one
//! document: XBRL, XML and text of the SEC), [`unpack_bounds`] (resource limits of a file).

// Text to values, and files without rows.
pub mod text;
pub mod documents;

// Every encoding of rows, and resource limits.
pub mod unpack_bounds;
pub mod as_utf8;
pub mod last_line;
mod row_array;
mod json_rows;
pub mod object_rows;
mod parquet_rows;
mod stacked_rows;
mod decimal_commas;
pub mod rows;
