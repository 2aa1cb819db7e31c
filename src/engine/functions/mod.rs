//! SQL functions of ours, one a file, registered in every context.

pub(super) mod calendar;
pub(super) mod clocks;
mod sessions_held;
pub mod window;

pub use calendar::Calendar;
