//! Why a caller is refused. The messages are for the caller.

use super::clock::ClockTime;
use parquote_catalogue::operation::Tier;

/// Why a caller is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// No key came with the request.
    #[error(
        "an API key is needed: send it as the header `X-Api-Key`, as `Authorization: Bearer`, or as `apiKey` in the query"
    )]
    Missing,
    /// Several keys came, and they are not the same.
    #[error("several API keys were sent and they differ; send one")]
    Differ,
    /// Nobody has this key.
    #[error("the API key is not known")]
    Unknown,
    /// The key was revoked.
    #[error("the API key was revoked")]
    Revoked,
    /// The key's time is over.
    #[error("the API key has expired")]
    Expired,
    /// Too many wrong keys came from one address.
    #[error("too many wrong API keys came from this address; try again in {retry_after_s} s")]
    Failures {
        /// Seconds until the next are looked at.
        retry_after_s: i64,
    },
    /// The day's allowance is used up.
    #[error(
        "the daily limit of {limit} requests ({tier}) is used up; the count starts again at {at}, in {retry_after_s} s"
    )]
    Day {
        /// Requests a day.
        limit: u32,
        /// The key's tier.
        tier: Tier,
        /// Seconds until midnight in India.
        retry_after_s: i64,
        /// That midnight.
        at: ClockTime,
    },
    /// The hour's allowance is used up.
    #[error(
        "the hourly limit of {limit} requests ({tier}) is used up; the count starts again at {at}, in {retry_after_s} s"
    )]
    Hour {
        /// Requests an hour.
        limit: u32,
        /// The key's tier.
        tier: Tier,
        /// Seconds until the hour is full.
        retry_after_s: i64,
        /// That hour.
        at: ClockTime,
    },
    /// What is left of an allowance is leased to other servers, which may give some of it back.
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
    /// Several servers count, and the state file, which says what is left, cannot be used.
    #[error(
        "the server cannot find out now what is left of this key's allowance; try again in {} s",
        AccessError::UNBACKED_S
    )]
    Unbacked,
}

impl AccessError {
    /// When what others hold may have come back: they give it back after two seconds.
    pub const HELD_S: i64 = 3;
    /// When the state file may be usable again.
    pub const UNBACKED_S: i64 = 1;
}
