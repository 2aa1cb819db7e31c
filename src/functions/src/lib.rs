//! SQL functions that markets need, one per file, and the context in which every SELECT runs: its functions, settings and types.
//!
//! Reading order: [`context`] (the session of a SELECT), [`arrow_types`] (Arrow types and values of tables), [`Calendar`] (the sessions
//! that functions count), then one file per function; window functions are in [`window`].

pub mod arrow_types;
pub mod context;

pub mod calendar;
mod calendar_functions;
mod carried;
mod has_words;
mod newest_lines;
mod market_constants;
pub mod clocks;
mod search;
mod sessions_held;
pub mod window;

pub use calendar::Calendar;
pub use calendar::CalendarUse;
pub use calendar_functions::calendar_functions;
pub use carried::CarriedCell;
pub use has_words::has_words;
pub use market_constants::{market_function, prices_function};
pub use newest_lines::newest_lines;
pub use search::search_rank;
pub use search::{Ranker, SearchText};
pub use window::FIXED_ROWS;
