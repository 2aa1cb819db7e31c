//! The one error that clients see, and its table of codes.
//!
//! Clients get the message; the log gets the chain of causes with the request id. Text of the query engine never becomes a
//! message.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What kind of refusal or failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorKind {
    /// Missing or invalid parameters.
    BadRequest,
    /// No key, or one that does not work.
    Unauthorized,
    /// The key's tier does not reach the operation, or its list of symbols the symbol.
    Forbidden,
    /// No such route, symbol or resource.
    NotFound,
    /// The server has no data of this kind, and does not get any by waiting.
    NoData,
    /// What is asked for was there once, or may have been.
    Gone,
    /// The route exists, the method does not.
    MethodNotAllowed,
    /// The allowance is used up, or too many wrong keys came from one address.
    TooManyRequests,
    /// The engine cannot answer now: tables that load, a memory limit, a deadline.
    Unavailable,
    /// The answer took longer than a call may.
    Overrun,
    /// A fault of ours.
    Internal,
}

/// Which bound a request met that was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitMet {
    /// The host is not named as it must be.
    Host,
    /// Wrong keys from one address.
    WrongKeys,
    /// The calls of a day.
    DayQuota,
    /// The calls of an hour.
    HourQuota,
    /// What is left of a quota, which another server on the same state file holds.
    HeldQuota,
    /// Requests of one caller under way.
    CallerRequests,
    /// Requests of one caller that cost nothing.
    CallerFreeRequests,
    /// Bytes of replies to one caller that are not read yet.
    CallerReplyBytes,
    /// Bytes of replies to all callers that are not read yet.
    AllReplyBytes,
    /// Pages of guests from one address.
    GuestPages,
    /// Requests of all callers under way.
    AllRequests,
    /// Queries of one owner that wait.
    OwnerQueue,
    /// Queries of all owners that wait.
    Queue,
}

/// An error for a client: what was wrong, what is allowed, what to try.
#[derive(Debug, thiserror::Error)]
pub struct ClientError {
    /// The kind, which decides the status.
    pub kind: ErrorKind,
    /// The message that the client reads.
    pub message: String,
    /// When the same request may be tried again, in seconds, where that is known.
    pub retry_after_s: Option<i64>,
    /// The bound that it met, if it met one.
    pub bound: Option<LimitMet>,
    /// The page of this server on which a person mends it, as a path, where there is one.
    pub page: Option<&'static str>,
    /// The parameters that are wrong, each with what the message says of it; empty where none is.
    pub violations: Vec<(String, String)>,
    /// What happened underneath, for the log alone.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl LimitMet {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Host,
        Self::WrongKeys,
        Self::DayQuota,
        Self::HourQuota,
        Self::HeldQuota,
        Self::CallerRequests,
        Self::CallerFreeRequests,
        Self::CallerReplyBytes,
        Self::AllReplyBytes,
        Self::GuestPages,
        Self::AllRequests,
        Self::OwnerQueue,
        Self::Queue,
    ];

    /// The bound in one word, for a machine.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::WrongKeys => "wrong_keys",
            Self::DayQuota => "day_quota",
            Self::HourQuota => "hour_quota",
            Self::HeldQuota => "held_quota",
            Self::CallerRequests => "caller_requests",
            Self::CallerFreeRequests => "caller_free_requests",
            Self::CallerReplyBytes => "caller_reply_bytes",
            Self::AllReplyBytes => "all_reply_bytes",
            Self::GuestPages => "guest_pages",
            Self::AllRequests => "all_requests",
            Self::OwnerQueue => "owner_queue",
            Self::Queue => "queue",
        }
    }
}

impl ErrorKind {
    /// The HTTP status.
    pub const fn status(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound | Self::NoData => 404,
            Self::Gone => 410,
            Self::MethodNotAllowed => 405,
            Self::TooManyRequests => 429,
            Self::Unavailable | Self::Overrun => 503,
            Self::Internal => 500,
        }
    }

    /// The kind in one word, for a machine.
    pub const fn word(self) -> &'static str {
        match self {
            Self::BadRequest => "bad_request",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound | Self::NoData => "not_found",
            Self::Gone => "gone",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::TooManyRequests => "too_many_requests",
            Self::Unavailable | Self::Overrun => "unavailable",
            Self::Internal => "internal",
        }
    }

    /// Whether the same request may succeed later.
    pub const fn retry(self) -> bool {
        matches!(self, Self::TooManyRequests | Self::Unavailable | Self::Overrun)
    }

    /// Whether a refusal of this kind counts against the caller's allowance: those that are answers count, and
    /// those after as much work as a call may make; those where the caller was not let in, or where the fault is ours, do not.
    pub const fn counts(self) -> bool {
        matches!(self, Self::BadRequest | Self::NotFound | Self::NoData | Self::Gone | Self::Overrun)
    }
}

impl ClientError {
    /// An error without a cause underneath.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after_s: None,
            bound: None,
            page: None,
            violations: Vec::new(),
            source: None,
        }
    }

    /// An error with its cause.
    pub fn caused(
        kind: ErrorKind,
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { source: Some(source.into()), ..Self::new(kind, message) }
    }

    /// Seconds after which the same request may be tried again: those it names, or a few where what stands in the way - a
    /// deadline, a full memory, a snapshot being replaced - passes by itself.
    pub fn after_s(&self) -> Option<i64> {
        const PASSING: i64 = 5;
        self.retry_after_s.or((self.kind.status() == 503).then_some(PASSING))
    }

    /// The same, with the seconds after which it may be tried again.
    #[must_use]
    pub fn after(self, seconds: i64) -> Self {
        Self { retry_after_s: Some(seconds), ..self }
    }

    /// The same, with the bound that was met.
    #[must_use]
    pub fn at(self, bound: LimitMet) -> Self {
        Self { bound: Some(bound), ..self }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
