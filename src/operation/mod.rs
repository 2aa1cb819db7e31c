//! What an operation and a table are. Pure: no I/O, no async, no DataFusion.

mod market;
pub use market::Market;
