//! Financial statements: figures of income, balance sheets and cash flows, from all layouts of companies' reports.
//!
//! A file states lines, or figures under the tags of a taxonomy, which rules map to lines; the figures in force are chosen from all files
//! together. Ratios, sums over quarters and growth are computed by the SQL of tables, not here.

// The parts of a figure.
pub(crate) mod units;
pub(crate) mod row;
pub(crate) mod record;

// All figures together, and their settlement.
pub(crate) mod gathered_statements;
pub(crate) mod piece;
mod debt;
mod made_lines;
pub(crate) mod cover_counts;
pub(crate) mod naming;
mod spans;
mod company_batch;
pub(crate) mod settle;
