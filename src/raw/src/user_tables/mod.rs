//! Tables whose rows are those of raw files: as users supply them in files of the table's name or of a declared format, or staged, as a
//! SELECT makes them.

pub(crate) mod cell;
pub(crate) mod file;
mod row_select;
pub(crate) mod staged_rows;
