//! The fictional market.
