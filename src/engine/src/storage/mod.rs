//! Storage of table rows: in memory by column, or in pages of files that are read on demand.

// Pages and columns.
pub(crate) mod zstd_pages;
pub(crate) mod key_index;
pub(crate) mod long_file;
pub(crate) mod column_cache;
pub(crate) mod served_table;

// From files to tables.
pub(crate) mod row_order;
pub(crate) mod load_scope;
pub(crate) mod load_progress;
pub(crate) mod load;
pub(crate) mod loaded_tables;

// A long table outside of a snapshot.
pub mod row_ranges;
pub mod long_table;
