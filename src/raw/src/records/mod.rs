//! What a raw file is read into: a format gives a layout, a layout gives records, and a record says what becomes of it.

// A row and its place.
pub(crate) mod placed;
pub(crate) mod record;
pub(crate) mod listed;

// Rows of prices.
pub(crate) mod price_columns;

// Records that are rows of tables.
pub(crate) mod columns;
pub(crate) mod record_store;
pub(crate) mod duplicates;
pub(crate) mod table_row;
pub(crate) mod tables;

// What a format is, and the records that declared ones fill.
pub(crate) mod raw_format;
pub(crate) mod plain_record;
