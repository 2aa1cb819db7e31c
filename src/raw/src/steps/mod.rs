//! The steps from the contents of files to a market, in order.

pub(crate) mod symbol_history;
pub(crate) mod overlap;
pub(crate) mod merge;
pub(crate) mod sessions;
mod one_date;
mod action_dates;
pub(crate) mod without_prices;
pub(crate) mod missing_sessions;
pub(crate) mod action_list;
pub(crate) mod share_counts;
pub(crate) mod jump_rule;
pub(crate) mod bad_ticks;
pub(crate) mod adjust;
pub(crate) mod company_list;
pub(crate) mod former_names;
pub(crate) mod share_classes;
pub(crate) mod exceptions;
