//! The natural-language screen: hand-written expectations, attacks, and the rules of filters.

mod queries;
mod attacks;
mod filters;
mod models;
mod words;
