//! The declarations of Parquote's operations and tables, and the foundations of all crates: errors of calls, causes of errors, digits.
//!
//! [`operation`] parses the files under `queries` - operations, tables, checks, words - into an [`operation::Catalogue`]. This crate knows
//! neither SQL execution nor callers nor the location of data.
//!
//! ```
//! use parquote_catalogue::operation::{Catalogue, Market};
//!
//! let catalogue = Catalogue::with_overlay(&[]).unwrap();
//! assert!(catalogue.table(Market::India, "daily_prices").is_some());
//! ```

pub mod error;
pub mod blocking;
pub mod causes;
pub mod digits;
pub mod features;
pub mod thread_priority;
pub mod unseen;
mod word_enum;
pub mod operation;
