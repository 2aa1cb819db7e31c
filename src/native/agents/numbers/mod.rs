//! Numbers in texts of a model: each is found, and stands only if a tool or a fact of the run gave it.
//!
//! [`Ledger`] collects what a run saw; [`Ledger::strike`] reads a text against it. Nothing here judges what a number is
//! said of: a figure that is right for one company passes where a text gives it to another. Cited figures do not have that gap,
//! as they name operation, symbol and field.

mod calendar;
mod cell;
mod ledger;
mod parts;
mod strike;
mod support;
mod written;

pub use cell::{Cell, Kind};
pub use ledger::{Figure, Ledger};
pub(super) use parts::invisible;
pub use strike::{STRUCK, Unsupported};

#[cfg(test)]
mod tests;
