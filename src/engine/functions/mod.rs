//! SQL functions of ours, one a file, registered in every context.

pub(super) mod calendar;
mod calendar_functions;
mod carried;
mod has_words;
mod newest_lines;
mod of_market;
pub(super) mod clocks;
mod search;
mod sessions_held;
pub mod window;

pub use calendar::Calendar;
pub(crate) use calendar::CalendarUse;
pub use calendar_functions::calendar_functions;
pub(crate) use carried::Carried;
pub use has_words::has_words;
pub(crate) use newest_lines::newest_lines;
pub use of_market::{market_function, prices_function};
pub use search::search_rank;
pub(super) use search::{Ranker, SearchText};
pub(crate) use window::FIXED_ROWS;
