//! Tables whose rows users supply, in files of the table's name or of a declared format.

pub(crate) mod cell;
pub(crate) mod file;
pub(crate) mod rows;
