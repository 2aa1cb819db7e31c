//! WHO may call: keys, their tiers, and how often. It knows nothing of HTTP, of operations or of their SQL.
//!
//! The state file is the truth about keys; what is in memory follows it within a second. Counting happens in memory,
//! out of calls that were leased in the file before, and follows into the file within a second. No lock is held across an await.
//!
//! Reading order: the clock and its windows (`clock`), the text of a key (`secret`), who is known (`hash_index`, `directory`),
//! in which browser (`web_sessions`), how often (`key_counter`, `quotas`, `leasing`, `auth_failure_limiter`) and what (`usage_counts`), what uses them all
//! (`access_control`), what keeps it and the file the same (`state_failures`, `state_sync`), and who may change what (`roles`, `administration`).

mod clock;
mod secret;
mod random_token;

mod hash_index;
mod directory;
mod error;
mod access_tokens;
mod web_sessions;

mod auth_failure_limiter;
mod key_counter;
mod quotas;
mod leasing;
mod usage_counts;

mod access_control;
mod state_failures;
mod state_sync;

mod roles;
mod administration_error;
mod sign_in_code;
mod administration;
mod app_access;

#[cfg(test)]
mod on_postgres;

pub use access_control::{AccessControl, Allowance, Reservation};
pub use administration::{Actor, Administration, IssuedKey, ManagedKey, ManagedSession, Visitor};
pub use administration_error::AdministrationError;
pub use app_access::{ACCESS_S, AppConsent, AppTokens, CodeExchange, ExchangeError};
pub use auth_failure_limiter::network;
pub use clock::{Clock, ClockTime, Window, unix_seconds};
pub use directory::{Key, quota_of};
pub use error::AccessError;
pub use random_token::RandomToken;
pub use roles::KeyRequest;
pub use secret::{Secret, redact};
pub use sign_in_code::new_sign_in_code;
pub use state_failures::StateFailures;
pub use state_sync::{FOLLOWED, StateSync};
pub use usage_counts::CallEnd;
pub use web_sessions::{IDLE_S, LONGEST_S, WebSession, is_over};

/// The allowance of a key that is not metered: the largest number that every client's integers hold. It is counted all
/// the same, so that its use is known.
pub const UNMETERED: u32 = i32::MAX as u32;
