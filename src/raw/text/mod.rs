//! Text to figures: cells, dates, names and numbers as raw files write them.

pub(crate) mod cells;
pub(crate) mod dates;
pub(crate) mod symbols;
pub(crate) mod file_name;
pub(crate) mod file_head;
pub(crate) mod accession;
pub(crate) mod cik;
pub(crate) mod filing_items;
