//! The one error that clients see, and its table of codes.
//!
//! Clients get the message; the log gets the chain of causes with the request id. Text of the query engine never becomes a
//! message.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Kind of a refusal or failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorKind {
    /// Missing or invalid parameters.
    BadRequest,
    /// The key is missing or does not work.
    Unauthorized,
    /// The key's tier does not include the operation, or its list of symbols the symbol.
    Forbidden,
    /// No such route, symbol or resource.
    NotFound,
    /// The server has no data of this kind; a retry does not help.
    NoData,
    /// The requested item does not exist any more, or may never have existed.
    Gone,
    /// The route exists, but not the method.
    MethodNotAllowed,
    /// The quota is used up, or too many wrong keys came from one address.
    TooManyRequests,
    /// The engine is temporarily unavailable: tables are loading, a memory limit, a deadline.
    Unavailable,
    /// The answer took longer than the limit of a call.
    Overrun,
    /// An internal fault.
    Internal,
}

/// The limit that a refused request reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitMet {
    /// The `Host` header is not an allowed one.
    Host,
    /// Wrong keys from one address.
    WrongKeys,
    /// Calls of a day.
    DayQuota,
    /// Calls of an hour.
    HourQuota,
    /// Rest of a quota that another server on the same state holds.
    HeldQuota,
    /// Concurrent requests of one caller.
    CallerRequests,
    /// Free requests of one caller.
    CallerFreeRequests,
    /// Unread bytes of replies to one caller.
    CallerReplyBytes,
    /// Unread bytes of replies to all callers.
    AllReplyBytes,
    /// Pages of guests from one address.
    GuestPages,
    /// Concurrent requests of all callers.
    AllRequests,
    /// Waiting queries of one owner.
    OwnerQueue,
    /// Waiting queries of all owners.
    Queue,
}

/// An error for a client: the fault, the allowed values, the next step.
#[derive(Debug, thiserror::Error)]
pub struct ClientError {
    /// The kind, which determines the status.
    pub kind: ErrorKind,
    /// Message for the client.
    pub message: String,
    /// Seconds until the same request may be retried, if known.
    pub retry_after_s: Option<i64>,
    /// The limit that was reached, if any.
    pub bound: Option<LimitMet>,
    /// Path of this server's page on which a person can fix it, if there is one.
    pub page: Option<&'static str>,
    /// The invalid parameters, each with its part of the message.
    pub violations: Vec<(String, String)>,
    /// The cause, for the log only.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl LimitMet {
    /// All kinds.
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

    /// Returns the limit as a machine-readable word.
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
    /// Returns the HTTP status.
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

    /// Returns the kind as a machine-readable word.
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

    /// Returns true if the same request may succeed later.
    pub const fn retry(self) -> bool {
        matches!(self, Self::TooManyRequests | Self::Unavailable | Self::Overrun)
    }

    /// Returns true if a refusal of this kind counts against the caller's quota: answers count, and so does work up to the limit of a call;
    /// unauthenticated requests and faults of the server do not.
    pub const fn counts(self) -> bool {
        matches!(self, Self::BadRequest | Self::NotFound | Self::NoData | Self::Gone | Self::Overrun)
    }
}

impl ClientError {
    /// Builds an error without a cause.
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

    /// Builds an error with its cause.
    pub fn caused(
        kind: ErrorKind,
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { source: Some(source.into()), ..Self::new(kind, message) }
    }

    /// Returns the seconds after which the request may be retried: the stored number, or a few if the obstacle - a deadline, a full memory,
    /// a snapshot being replaced - passes by itself.
    pub fn after_s(&self) -> Option<i64> {
        const PASSING: i64 = 5;
        self.retry_after_s.or((self.kind.status() == 503).then_some(PASSING))
    }

    /// Returns the error with the seconds after which the request may be retried.
    #[must_use]
    pub fn after(self, seconds: i64) -> Self {
        Self { retry_after_s: Some(seconds), ..self }
    }

    /// Returns the error with the limit that was reached.
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
