//! Checks the numbers in a model's text: each number is found, and stays only if a tool or an input of the run supports it.
//!
//! [`EvidenceLedger`] collects what a run saw; [`EvidenceLedger::strike`] checks a text against it. Nothing here judges which
//! company a number is said of: the right figure of one company passes where a text gives it to another. Cited figures do not
//! have that gap, as they name operation, symbol and field.

mod calendar;
mod cell;
mod ledger;
mod parts;
mod strike;
mod support;
mod written;

pub use cell::{FigureKind, SeenFigure};
pub use ledger::{CitedFigure, EvidenceLedger};
pub(super) use parts::invisible;
pub use strike::{STRUCK, Unsupported};

#[cfg(test)]
mod tests;
