//! Formats that need no code: a file of `queries/raw` declares the header names of the columns of a record or table, and the notation of
//! their cells.
//!
//! A declaration names and scales columns and never validates them: the record or table that it fills decides which cells are valid.

// The parts of a declaration: columns, other header names, paths.
pub(crate) mod cell_form;
pub(crate) mod column;
pub(crate) mod header_rules;
pub(crate) mod path_rules;

// A declaration with the columns that it may fill.
pub(crate) mod target_column;
pub(crate) mod written_format;
pub(crate) mod format;

// A row of a file of such a format.
pub(crate) mod plain_row;
