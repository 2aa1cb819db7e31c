//! Operations that need Rust around their SQL: `run: name` in an operation's file names one of them.
//!
//! They are declared and called like all others; this crate only computes their answers. Each handler is one file; the algorithms are in
//! [`parquote_language`], [`parquote_risk`] and [`parquote_agents`]. No handler knows a protocol, a quota or a query string.

// Shared parts.
mod handler;
mod rounding;

// Handlers of the snapshot alone.
mod fast_scan;
mod caller_select;
mod own_select_limits;
mod risk_audit;
mod screen_by_words;
mod screen_limits;
mod screen_groups;
mod screen_table;
mod screen_words;
mod screened;

// Handlers of stored things: provider keys, lists and screens, runs of agents.
mod account;
mod lists;
mod watchlists;
mod owner_contexts;
mod runners;
mod runs;
mod stateful;
mod usage;

// All handlers.
mod handler_list;

pub use account::Account;
pub use handler::{FilteredRows, Handler, HandlerCall, Owner};
pub use handler_list::Handlers;
pub use own_select_limits::{cost_of_work, most_cost_of_work};
pub use runners::{PinnedRunner, Runners};
pub use runs::{COMMITTEE, PRESET};
pub use screen_limits::RANGES as SCREEN_RANGES;
pub use stateful::{Stateful, StatefulParts};
pub use usage::AccountUsage;
pub use watchlists::{SavedItemStore, SavedItems};
