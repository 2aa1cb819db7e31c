//! The one error that clients see, and its table of codes.
//!
//! Clients get the message; the log gets the chain of causes with the request id. Text of the query engine never becomes a
//! message.

use serde::{Deserialize, Serialize};

/// Kind of a refusal or failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    #[default]
    Internal,
}

crate::word_enum! {
    /// The limit that a refused request reached.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ReachedLimit {
        /// The `Host` header is not an allowed one.
        Host = "host",
        /// Wrong keys from one address.
        WrongKeys = "wrong_keys",
        /// Calls of a day.
        DayQuota = "day_quota",
        /// Calls of an hour.
        HourQuota = "hour_quota",
        /// Rest of a quota that another server on the same state holds.
        HeldQuota = "held_quota",
        /// Concurrent requests of one caller.
        CallerRequests = "caller_requests",
        /// Free requests of one caller.
        CallerFreeRequests = "caller_free_requests",
        /// Unread bytes of replies to one caller.
        CallerReplyBytes = "caller_reply_bytes",
        /// Unread bytes of replies to all callers.
        AllReplyBytes = "all_reply_bytes",
        /// Pages of guests from one address.
        GuestPages = "guest_pages",
        /// Concurrent requests of all callers.
        AllRequests = "all_requests",
        /// Queries of one owner that wait.
        OwnerQueue = "owner_queue",
        /// Waiting queries of all owners.
        Queue = "queue",
    }
    const ALL "All kinds.";
    fn word "Returns the limit as a machine-readable word.";
}

/// An error for a client: the fault, the allowed values, the next step.
#[derive(Debug, Default, thiserror::Error)]
#[error("{message}")]
pub struct ClientError {
    /// The kind, which determines the status.
    pub kind: ErrorKind,
    /// Message for the client.
    pub message: String,
    /// Seconds until the same request may be retried, if known.
    pub retry_after_s: Option<i64>,
    /// The limit that was reached, if any.
    pub bound: Option<ReachedLimit>,
    /// Path of this server's page on which a person can fix it, if there is one.
    pub page: Option<&'static str>,
    /// The invalid parameters, each with its part of the message.
    pub violations: Vec<(String, String)>,
    /// The cause, for the log only.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
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
        Self { kind, message: message.into(), ..Self::default() }
    }

    /// Builds the error for invalid arguments: all of them at once, each with its message.
    pub fn invalid(kind: ErrorKind, violations: Vec<(String, String)>) -> Self {
        let messages: Vec<&str> = violations.iter().map(|(_, message)| message.as_str()).collect();
        let error = Self::new(kind, messages.join("; "));
        Self { violations, ..error }
    }

    /// Builds an error with its cause.
    pub fn from_cause(
        kind: ErrorKind,
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { source: Some(source.into()), ..Self::new(kind, message) }
    }

    /// Returns the seconds after which the request may be retried: the stored number, or a few if the obstacle - a deadline, a full memory,
    /// a snapshot being replaced - passes by itself.
    pub fn after_s(&self) -> Option<i64> {
        const OBSTACLE_SECONDS: i64 = 5;
        self.retry_after_s.or((self.kind.status() == 503).then_some(OBSTACLE_SECONDS))
    }

    /// Returns the error with the seconds after which the request may be retried.
    #[must_use]
    pub fn after(self, seconds: i64) -> Self {
        Self { retry_after_s: Some(seconds), ..self }
    }

    /// Returns the error with the limit that was reached.
    #[must_use]
    pub fn at(self, bound: ReachedLimit) -> Self {
        Self { bound: Some(bound), ..self }
    }
}
