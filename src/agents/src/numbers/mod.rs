//! Checks the numbers in a model's text: a number stays only if a tool or an input of the run supports it.
//!
//! [`EvidenceLedger`] collects the evidence of a run; [`EvidenceLedger::strike`] checks a text against it. The subject of a number is not
//! checked: the correct figure of one company passes where a text attributes it to another. Cited figures do not have that gap, as they
//! name operation, symbol and field.

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
pub use strike::{STRUCK, UnsupportedNumber};

#[cfg(test)]
mod tests;
