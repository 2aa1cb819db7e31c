//! Refreshes the served data while a server runs: new data is noticed, copied, checked against the contract, planned on, and
//! swapped in by one pointer. Data that is refused changes nothing but the reports about it.
//!
//! Reading order: [`Snapshots`] (what is served now, what an [`Audience`] sees of it, and earlier sets on request), [`Refresher`] (the loop that replaces it),
//! `watch` (what wakes the loop), `resting` (when files are taken in), `trouble` (when they cannot be), [`Candidate`] (plain files on their way to a set), [`admission`](Admission) (what a candidate
//! must pass), [`SetDifference`] (what changed between two sets). It knows no protocols, keys or tiers.

mod admission;
mod audience;
mod candidate;
mod comparison;
mod difference;
mod error;
mod finding;
mod hash_watch;
mod market_refresh;
mod newer;
mod offline;
mod refresher;
mod resting;
mod settings;
mod snapshots;
mod status;
mod trouble;
mod vetter;
mod wake;
mod watch;

pub use admission::{Admission, Admitted};
pub use audience::{Audience, Withheld};
pub use candidate::{Candidate, Changed};
pub use difference::{SetDifference, TableDifference};
pub use error::RefreshError;
pub use finding::{Finding, Level};
pub use offline::{InspectedData, PublishOutcome, admit, look, publish};
pub use refresher::{Refresher, Request};
pub use settings::RefreshSettings;
pub use snapshots::{FoundSet, SnapshotUnavailable, Snapshots};
pub use status::{MarketStatus, RefreshStatus};
pub use vetter::{Task, Vetter, limit_memory};
