//! Errors of access control. The messages are for the caller.

use super::clock::ClockTime;
use parquote_catalogue::operation::Tier;

/// Reason why a caller is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// The request has no key.
    #[error(
        "an API key is needed: send it as the header `X-Api-Key`, as `Authorization: Bearer`, or as `apiKey` in the query"
    )]
    Missing,
    /// The request has several different keys.
    #[error("several API keys were sent and they differ; send one")]
    Differ,
    /// The key is unknown.
    #[error("the API key is not known")]
    Unknown,
    /// The key was revoked.
    #[error("the API key was revoked")]
    Revoked,
    /// The key has expired.
    #[error("the API key has expired")]
    Expired,
    /// Too many wrong keys came from one address.
    #[error("too many wrong API keys came from this address; try again in {retry_after_s} s")]
    Failures {
        /// Seconds until wrong keys are accepted again.
        retry_after_s: i64,
    },
    /// The daily quota is used up.
    #[error(
        "the daily limit of {limit} requests ({tier}) is used up; the count starts again at {at}, in {retry_after_s} s"
    )]
    Day {
        /// Requests per day.
        limit: u32,
        /// The key's tier.
        tier: Tier,
        /// Seconds until midnight in India.
        retry_after_s: i64,
        /// Time of that midnight.
        at: ClockTime,
    },
    /// The hourly quota is used up.
    #[error(
        "the hourly limit of {limit} requests ({tier}) is used up; the count starts again at {at}, in {retry_after_s} s"
    )]
    Hour {
        /// Requests per hour.
        limit: u32,
        /// The key's tier.
        tier: Tier,
        /// Seconds until the next full hour.
        retry_after_s: i64,
        /// Time of that full hour.
        at: ClockTime,
    },
    /// The rest of a quota is leased to other servers, which may return some of it.
    #[error(
        "the rest of the {window} limit of {limit} requests ({tier}) is reserved by another server of this service; try again in {} s",
        AccessError::HELD_S
    )]
    Held {
        /// `daily` or `hourly`.
        window: &'static str,
        /// Requests in it.
        limit: u32,
        /// The key's tier.
        tier: Tier,
    },
    /// Several servers count, and the state with the counts cannot be used.
    #[error(
        "the server cannot find out now what is left of this key's allowance; try again in {} s",
        AccessError::UNBACKED_S
    )]
    Unbacked,
}

impl AccessError {
    /// Seconds to wait for leases of other servers: they return unused ones after two seconds.
    pub const HELD_S: i64 = 3;
    /// Seconds to wait for the state.
    pub const UNBACKED_S: i64 = 1;
}
