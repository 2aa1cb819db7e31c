//! The tables of a market for SQL: names, spellings of symbols, coverage and ages.

pub(crate) mod type_erased;
pub(crate) mod row_age;
pub(crate) mod table_handle;
pub(crate) mod parsed_plan;
pub(crate) mod shared;
pub(crate) mod market_tables;
pub mod tables_read;
pub(crate) mod planned_tables;
pub(crate) mod market_sql;
pub(crate) mod coverage;
pub(crate) mod name_search;
