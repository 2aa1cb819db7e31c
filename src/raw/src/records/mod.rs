//! Results of reading a raw file: a format yields a layout, a layout yields records, and a record stores itself.

// A row and its position.
pub(crate) mod positioned_row;
pub(crate) mod listed;

// Rows of prices.
pub(crate) mod price_columns;

// Records that are rows of tables.
pub(crate) mod columns;
pub(crate) mod record_store;
pub(crate) mod duplicates;
pub(crate) mod table_row;
pub(crate) mod tables;

// Formats, and the records that declared ones fill.
pub(crate) mod raw_format;
mod field;
pub(crate) mod record_type;
