//! What is filed with the SEC, brought together: which symbol a security has, which of two sources of a filing is used.

mod cusips;
mod held_before;
mod insider_tables;
pub(crate) mod settle;
