//! Units of money.

/// Rupees of a crore.
pub(crate) const CRORE: f64 = 1e7;
