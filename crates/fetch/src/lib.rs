//! The room of fetching by itself, with the one type of the house that it needs.
//!
//! It is compiled here without the rest; nothing else stands in this crate.

pub mod fetch;
pub mod operation;
