//! Formats that need no code: a file of `queries/raw` says under which names the columns of a record or of a table stand, and how
//! their cells are written.
//!
//! A declaration names and scales, it never judges: what a cell may be, the record or the table says that it fills.

// What a declaration says of a column, of the other names of a header, and of a path.
pub(crate) mod cell_form;
pub(crate) mod column;
pub(crate) mod header_rules;
pub(crate) mod path_rules;

// The declaration, and the columns that it may fill.
pub(crate) mod target_column;
pub(crate) mod format;

// A row of a file of such a format.
pub(crate) mod plain_row;
