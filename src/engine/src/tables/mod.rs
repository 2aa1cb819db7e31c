//! The tables of a market as SQL knows them: names, spellings of symbols, and what is there of them.

pub(crate) mod type_erased;
pub(crate) mod row_age;
pub(crate) mod table_handle;
pub(crate) mod parsed_plan;
pub(crate) mod shared;
pub mod market_tables;
pub(crate) mod coverage;
pub(crate) mod name_search;
