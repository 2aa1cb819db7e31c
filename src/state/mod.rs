//! The embedded database: keys and what they used, in one SQLite file that several processes may have open.
//! It stores what it is given: it knows no tiers, no windows of time and no protocol.
//!
//! Whatever is committed outlives a kill at any moment: the write-ahead log is synced at every commit.

mod error;
mod migrations;

mod store;

mod counters;
mod keys;

pub use counters::{Counted, CounterDelta, CounterRow};
pub use error::StateError;
pub use keys::{KeyRow, NewKey};
pub use store::Store;
