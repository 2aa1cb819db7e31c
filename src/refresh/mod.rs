//! How new data comes to be served while a server runs: it is noticed, copied, held against the contract, planned on, and put
//! in the place of the old by one pointer. What is refused changes nothing but the reports about it.
//!
//! Reading order: [`Snapshots`] (what is served now, and earlier sets on request), [`Refresher`] (the loop that replaces it),
//! `watch` (what wakes the loop), [`Candidate`] (plain files on their way to a set), [`admission`](Admission) (what a
//! candidate must pass), [`Difference`] (what changed between two sets). It knows no protocols, keys or tiers.

mod admission;
mod candidate;
mod comparison;
mod difference;
mod error;
mod finding;
mod market_refresh;
mod offline;
mod refresher;
mod settings;
mod snapshots;
mod status;
mod vetter;
mod watch;

pub use admission::{Admission, Admitted};
pub use candidate::{Candidate, Changed};
pub use difference::{Difference, TableDifference};
pub use error::RefreshError;
pub use finding::{Finding, Level};
pub use offline::{Looked, Published, admit, look, publish};
pub use refresher::{Refresher, Request};
pub use settings::RefreshSettings;
pub use snapshots::{Snapshots, Unfound};
pub use status::{MarketStatus, Status};
pub use vetter::{Task, Vetter, limit_memory};
