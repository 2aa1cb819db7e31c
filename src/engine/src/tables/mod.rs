//! The tables of a market for SQL: names, spellings of symbols, coverage and ages.

pub(crate) mod type_erased;
pub(crate) mod row_age;
pub(crate) mod table_handle;
pub(crate) mod parsed_plan;
pub(crate) mod shared;
pub mod market_tables;
pub(crate) mod coverage;
pub(crate) mod name_search;
