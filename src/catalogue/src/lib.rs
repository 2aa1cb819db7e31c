//! What Parquote's operations and tables are, and what all its rooms stand on: errors of calls, causes of errors, digits.
//!
//! [`operation`] reads the files under `queries` - operations, tables, checks, words - and holds them as a
//! [`operation::Catalogue`]. Nothing here knows how SQL runs, who calls, or where data lies.
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
pub mod operation;
