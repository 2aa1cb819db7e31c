//! Operations that need Rust around their SQL: `run: name` in an operation's file names one of them.
//!
//! They are declared and called like all other operations; this crate only computes their answers. Each handler is one file. The algorithms
//! are in [`parquote_language`], [`parquote_risk`], [`parquote_backtest`] and [`parquote_agents`]. No handler knows a protocol, a quota or
//! a query string.

// Shared parts.
mod handler;
mod past_days;
mod rounding;

// Handlers that need only the snapshot.
mod fast_scan;
mod caller_select;
mod user_select_limits;
mod risk_audit;
mod backtest;
mod backtest_picks;
mod backtest_screen;
mod backtest_bars;
mod backtest_call;
mod backtest_universe;
mod backtest_answer;
mod screen_by_words;
mod screen_formula;
mod screen_histograms;
mod screen_limits;
mod screen_groups;
mod screen_table;
mod screen_words;
mod screened;
mod screener_call;

// Handlers of stored items: provider keys, lists, screens and their ledgers, drawings, notes, counts of back-tests, and runs of agents.
mod account;
mod drawing;
mod drawings;
mod lists;
mod notes;
mod screen_members;
mod screen_ledger;
mod screen_ledgers;
mod screen_recorder;
mod screen_score;
mod tried_backtests;
mod watchlists;
mod owner_contexts;
mod preset_catalog;
mod row_writer;
mod runners;
mod runs;
mod run_ledger;
mod write_runs;
mod stateful;
mod usage;

// All handlers.
mod handler_list;

pub use account::Account;
pub use handler::{FilteredRows, Handler, HandlerCall, Owner};
pub use handler_list::Handlers;
pub use past_days::PastDays;
pub use row_writer::{RowWriter, WriteSpec};
pub use runners::{PinnedRunner, Runners};
pub use runs::{COMMITTEE, PRESET};
pub use screen_formula::{FORMULAS, formula_title};
pub use screen_ledger::LedgerName;
pub use screen_limits::RANGES as SCREEN_RANGES;
pub use screen_members::is_recorded;
pub use screen_recorder::ScreenRecorder;
pub use stateful::{StatefulHandlers, StatefulParts};
pub use usage::AccountUsage;
pub use user_select_limits::{cost_of_work, most_cost_of_work};
pub use watchlists::{DEFAULT_LIST, SHARED_PREFIX, SavedItemStore, SavedItems};
