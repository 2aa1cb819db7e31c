//! How derived tables are made.

pub mod raw;
