//! Authentication and metering of callers: keys, tiers and quotas. HTTP, operations and SQL are unknown here.
//!
//! The state is authoritative for keys; the copy in memory follows it within a second. Calls are counted in memory, within leases, and
//! written to the state within a second. No lock is held across an await.
//!
//! Reading order: clock and windows (`clock`), text of a key (`secret`), known keys (`hash_index`, `directory`), browsers (`web_sessions`),
//! quotas (`key_counter`, `quotas`, `leasing`, `auth_failure_limiter`), usage (`usage_counts`), their users (`access_control`),
//! synchronization with the state (`state_failures`, `state_sync`), and management (`roles`, `administration`).

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
mod sign_in;
mod app_access;

#[cfg(test)]
mod on_postgres;

pub use access_control::{AccessControl, Allowance, Reservation};
pub use administration::{Actor, Administration, IssuedKey, ManagedKey};
pub use administration_error::AdministrationError;
pub use app_access::{ACCESS_S, AppConsent, AppTokens, CodeExchange, TokenExchangeError};
pub use auth_failure_limiter::network;
pub use clock::{Clock, ClockTime, Window, unix_seconds};
pub use directory::{Key, quota_of};
pub use error::AccessError;
pub use key_counter::FullWindow;
pub use random_token::RandomToken;
pub use roles::{KeyRequest, check_one_line};
pub use secret::{Secret, is_key, redact};
pub use sign_in::{ManagedSession, Visitor};
pub use sign_in_code::new_sign_in_code;
pub use state_failures::StateFailures;
pub use state_sync::{SYNC_TIME, StateSync};
pub use usage_counts::CallEnd;
pub use web_sessions::{IDLE_S, LONGEST_S, WebSession, is_over};

/// Quota of an unmetered key: the largest number that every client's integers can hold. Its use is counted too.
pub const UNMETERED: u32 = i32::MAX as u32;
