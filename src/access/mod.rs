//! WHO may call: keys, their tiers, and how often. It knows nothing of HTTP, of operations or of their SQL.
//!
//! The state file is the truth about keys; what is in memory follows it within a second. Counting happens in memory
//! and follows into the file within a second. No lock is held across an await: nothing here waits.
//!
//! Reading order: the clock and its windows (`clock`), the text of a key (`secret`), who is known (`directory`),
//! how often (`quotas`, `auth_failure_limiter`), what uses them all (`access_control`), and what keeps it and the file the
//! same (`state_sync`).

mod clock;
mod secret;

mod directory;
mod error;

mod auth_failure_limiter;
mod quotas;

mod access_control;
mod state_sync;

pub use access_control::{AccessControl, Allowance, Reservation};
pub use auth_failure_limiter::network;
pub use clock::{Clock, Window, unix_seconds};
pub use directory::{Key, quota_of};
pub use error::AccessError;
pub use secret::{Secret, redact};
pub use state_sync::{FOLLOWED, StateFailures, StateSync};

/// The allowance of a key that is not metered: the largest number that every client's integers hold. It is counted all
/// the same, so that its use is known.
pub const UNMETERED: u32 = i32::MAX as u32;
