//! Settles SEC filings: symbols of securities, and which of two sources of a filing is used.

mod cusips;
pub(crate) mod day_prices;
mod position_values;
mod doubtful_forms;
mod held_before;
mod insider_tables;
pub(crate) mod settle;
