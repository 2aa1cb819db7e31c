//! Financial statements: figures of income, balance sheets and cash flows, from every layout that companies' reports come in.
//!
//! A file gives lines as they are, or figures under the tags of a taxonomy, which rules make into lines; what holds is settled
//! over all files at once. Ratios, sums over quarters and growth are not made here.

// What a figure is.
pub(crate) mod units;
pub(crate) mod row;
pub(crate) mod record;

// All figures together, and what becomes of them.
pub(crate) mod gathered;
pub(crate) mod piece;
mod debt;
mod made_lines;
pub(crate) mod cover_counts;
pub(crate) mod naming;
mod spans;
mod some_companies;
pub(crate) mod settle;
