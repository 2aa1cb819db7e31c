//! SQL functions of ours, one a file, registered in every context.

pub(super) mod calendar;

pub use calendar::Calendar;
