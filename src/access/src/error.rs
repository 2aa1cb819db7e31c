//! Errors of access control. The messages are for the caller.

use super::clock::ClockTime;
use super::key_counter::FullWindow;
use parquote_catalogue::operation::Tier;

/// The reason why a caller is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// The request has no key.
    #[error(
        "an API key is needed: send it as the header `X-Api-Key`, as `Authorization: Bearer`, or as `apiKey` in the query"
    )]
    Missing,
    /// The request has several different keys.
    #[error("several API keys were sent and they differ; send one")]
    DifferentKeys,
    /// The key is unknown.
    #[error("the API key is not known")]
    Unknown,
    /// The key was revoked.
    #[error("the API key was revoked")]
    Revoked,
    /// The key has expired.
    #[error("the API key has expired")]
    Expired,
    /// Too many wrong keys came from one address; with the seconds until the next minute.
    #[error("too many wrong API keys came from this address; try again in {0} s")]
    Failures(i64),
    /// A quota is used up.
    #[error(
        "the {} limit of {limit} requests ({tier}) is used up; the count starts again at {at}, in {retry_after_s} s",
        window.word()
    )]
    Full {
        /// The window of the quota.
        window: FullWindow,
        /// Maximum number of requests in the window.
        limit: u32,
        /// The tier of the key.
        tier: Tier,
        /// Seconds until midnight in India, or until the next full hour.
        retry_after_s: i64,
        /// Time of that midnight or hour.
        at: ClockTime,
    },
    /// The remainder of a quota is leased to other servers, which may return some of it.
    #[error(
        "the rest of the {} limit of {limit} requests ({tier}) is reserved by another server of this service; try again in {} s",
        window.word(),
        AccessError::LEASE_RETRY_S
    )]
    LeasedElsewhere {
        /// The window of the quota.
        window: FullWindow,
        /// Maximum number of requests in the window.
        limit: u32,
        /// The tier of the key.
        tier: Tier,
    },
    /// Several servers count, and the state with the counts cannot be used.
    #[error(
        "the server cannot read the remaining allowance of this key now; try again in {} s",
        AccessError::STATE_RETRY_S
    )]
    StateUnreachable,
}

impl AccessError {
    /// Seconds to wait for leases of other servers: they return unused ones after two seconds.
    pub const LEASE_RETRY_S: i64 = 3;
    /// Seconds to wait for the state.
    pub const STATE_RETRY_S: i64 = 1;
}
