//! Text to values: cells, dates, names and numbers as raw files write them.

pub mod cells;
pub mod dates;
pub(crate) mod dates_in_words;
pub mod symbols;
pub mod file_name;
pub mod file_head;
pub mod accession;
pub mod cik;
pub mod filing_items;
