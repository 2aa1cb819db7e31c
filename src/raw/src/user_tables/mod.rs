//! Tables whose rows are in raw files: user-supplied in files of the table's name or of a declared format, or staged, as computed by a
//! SELECT.

pub(crate) mod cell;
pub(crate) mod file;
mod row_select;
pub(crate) mod staged_rows;
