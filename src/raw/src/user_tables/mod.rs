//! Tables whose rows come from raw files. The rows of a user-supplied table are in files of its name or of a declared format; those of a
//! staged table are computed from the rows of raw files by a SELECT.

pub(crate) mod cell;
pub(crate) mod file;
mod row_select;
pub(crate) mod staged_rows;
