//! Raw files as rows: every encoding and every kind of document becomes records of cells, and cells become figures, dates and names.
//!
//! It knows no table and no market: what a row means is said where formats are declared.
//!
//! Reading order: [`text`] (cells, and what they say), [`rows`] (CSV, Parquet, JSON and workbooks as records), [`documents`] (files that are one
//! document: XBRL, XML and text of the SEC), [`unpack_bounds`] (what a file may cost).

// Text to figures, and files that are no rows.
pub mod text;
pub mod documents;

// Every encoding of rows, and what a file may cost.
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
