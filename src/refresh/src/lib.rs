//! Refreshes the served data while a server runs: new data is detected, copied, checked against the contract, and swapped in by one
//! pointer once all operations plan on it. Refused data changes only the status and the log.
//!
//! Reading order: [`Snapshots`] (the served snapshot, the view of an [`Audience`], and earlier sets on request), [`Refresher`] (the loop
//! that replaces it), `watch` (wakes the loop), `quiet_files` (delays files until they are complete), `market_failures` (failures of the
//! loop), [`Candidate`] (plain files that become a set), [`admission`](Admission) (the checks of a candidate), [`SetDifference`] (changes
//! between two sets), [`SetAdministration`] (the sets of a server for its operators). The crate knows no protocols, keys or tiers.

mod admission;
mod audience;
mod candidate;
mod comparison;
mod difference;
mod error;
mod finding;
mod hash_watch;
mod market_refresh;
mod newer_sets;
mod offline;
mod refresher;
mod quiet_files;
mod set_administration;
mod settings;
mod snapshots;
mod status;
mod market_failures;
mod vetter;
mod wake;
mod watch;

pub use admission::{Admission, AdmissionResult};
pub use audience::{Audience, WithheldSets};
pub use candidate::{Candidate, InboxChanges};
pub use difference::{SetDifference, TableDifference};
pub use error::RefreshError;
pub use finding::{Finding, Level};
pub use offline::{InspectedData, PublishOutcome, admit, inspect, publish};
pub use refresher::{Refresher, ScanTrigger};
pub use set_administration::{
    DerivationCounts, ListedSet, MarketSets, SetAdministration, SetAdministrationError,
};
pub use settings::RefreshSettings;
pub use snapshots::{FoundSet, SnapshotUnavailable, Snapshots};
pub use status::{MarketStatus, RefreshStatus};
pub use vetter::{Task, Vetter, limit_memory};
