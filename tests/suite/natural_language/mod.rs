//! The natural-language screen: hand-written expectations, attacks, and the rules of filters.

mod snapshot;
pub(crate) use snapshot::grammar;
mod queries;
mod attacks;
mod filters;
mod models;
