//! Operations that need Rust around their SQL: `run: name` in an operation's file names one of them.
//!
//! They are declared and called as all others are; this module only makes their answers. A handler is one file; what it stands on has a
//! room of its own: [`parquote_language`], [`parquote_risk`], [`parquote_agents`]. None knows a protocol, a quota or a query string.

// What handlers have in common.
mod handler;
mod rounding;

// Handlers of the snapshot alone.
mod fast_scan;
mod own_select;
mod own_select_limits;
mod risk_audit;
mod screen_by_words;
mod screen_limits;
mod screen_groups;
mod screen_table;
mod screen_words;
mod screened;

// Handlers of what callers keep: keys of providers, lists and screens, and runs of agents.
mod account;
mod lists;
mod own_lists;
mod owner_contexts;
mod runners;
mod runs;
mod stateful;
mod usage;

// All of them.
mod handler_list;

pub use account::Account;
pub use handler::{Handler, HandlerCall, KeptRows, Owner};
pub use handler_list::Handlers;
pub use own_lists::{KeptThings, OwnLists};
pub use own_select_limits::{cost_of_work, most_cost_of_work};
pub use runners::{Pinned, Runners};
pub use runs::{COMMITTEE, PRESET};
pub use screen_limits::RANGES as SCREEN_RANGES;
pub use stateful::{Stateful, StatefulParts};
pub use usage::AccountUsage;
