//! The state: API keys with their usage and activity log, web sessions, encrypted provider keys, watchlists and screens, and long jobs. It
//! is one SQLite file that several processes may open, or a PostgreSQL database for servers on several machines. It only stores: tiers,
//! protocols and the content of jobs are opaque here.
//!
//! PostgreSQL needs the feature `postgres`; without it, such locations are refused.
//!
//! Committed data survives a kill at any moment. There is one writer at a time, over all servers.

mod database;
mod error;
mod file_identity;
mod location;
mod schema;

mod store;
mod backup;

mod activity;
mod apps;
mod bounds;
mod changes;
mod copying;
mod counters;
mod job_holds;
mod jobs;
mod saved_items;
mod key_row;
mod keys;
mod leases;
mod provider_keys;
mod sweep;
mod usage;
mod web_sessions;

#[cfg(feature = "postgres")]
#[cfg(test)]
mod on_postgres;

/// True if this build can store the state in PostgreSQL.
pub const HAS_POSTGRES: bool = cfg!(feature = "postgres");

pub use activity::{ActivityRow, KeyChange, NewActivity};
pub use apps::{AccessTokenRow, AppCodeRow, NewTokens, TokenExchangeEnd, TokenExchangeRequest};
pub use backup::BackupReport;
pub use bounds::{OwnerBounds, ReachedBound};
pub use changes::Changes;
pub use copying::copy_state;
pub use counters::{CounterDelta, CounterRow, CounterStanding, KeyUsage};
pub use database::clock_ahead_ms;
pub use error::StateError;
pub use job_holds::{HoldState, JobClaim, JobClaimResult, JobEnding, StepRecordResult};
pub use jobs::{CancelledRow, JobInsertResult, JobRow, NewJobRow, RunCount, RunLimit, StepRow};
pub use key_row::{APP_HINT, GUEST_HINT, GUESTS, KeyRow, NewKey};
pub use leases::{CountingServer, GrantedLease, LeaseOutcome, LeaseRequest, SEEN_S, lease_block};
pub use location::StateLocation;
pub use provider_keys::{NewProviderKey, ProviderKeyRow};
pub use saved_items::{ALL_REMOVED, SaveError, SavedItemKey, SavedItemKind, SavedItemRow};
pub use store::Store;
pub use sweep::RetentionLimits;
pub use usage::{UseDelta, UseRow};
pub use web_sessions::{NewWebSession, WebSessionRow};
