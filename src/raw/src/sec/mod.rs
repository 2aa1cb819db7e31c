//! Settles SEC filings: finds the symbols of securities, and selects one of several sources of a filing.

mod cusips;
mod fund_lists;
pub(crate) mod day_prices;
mod position_values;
mod doubtful_forms;
mod held_before;
mod insider_tables;
pub(crate) mod settle;
