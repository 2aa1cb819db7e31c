//! The two markets, as the house has them.

mod market;

pub use market::Market;
