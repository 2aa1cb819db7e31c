//! Financial statements: figures of income, balance sheets and cash flows, from every layout that companies' reports come in.
//!
//! Each reader brings its file into one long layout, a figure a row; which of them hold is settled over all files at once.
//! Ratios, sums over quarters and growth are not made here.

// What a figure is.
mod lines;
mod row;
mod units;

// The layout of one's own files, into which all others are brought.
mod long_file;

// All figures together.
mod gathered;
mod settle;

pub use lines::{Line, Measure, Statement};
pub use row::{Basis, Span, StatementRow};
pub use settle::Statements;

pub(crate) use gathered::Gathered;
pub(crate) use long_file::StatementFile;
pub(crate) use row::ReadLine;
pub(crate) use settle::settle;
