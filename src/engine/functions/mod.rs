//! SQL functions of ours, one a file, registered in every context.

pub mod window;
