//! Turns rows into answers: types and units of columns, formats, pictures.

pub(crate) mod result_column;
pub(crate) mod json;
pub(crate) mod format;
pub(crate) mod answer_rows;
pub(crate) mod answer;
pub(crate) mod object;
#[cfg(feature = "xlsx")]
mod object_workbook;
pub(crate) mod rows_file;

// Pictures.
pub(crate) mod declared_drawing;
pub(crate) mod picture_rows;
