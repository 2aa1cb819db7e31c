//! The one error that clients see, and its table of codes.
//!
//! Clients get the message. The log gets the chain of causes with the request id. A message never has text of the query engine.

use serde::{Deserialize, Serialize};

/// Kind of a refusal or failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorKind {
    /// Missing or invalid parameters.
    BadRequest,
    /// The key is missing or does not work.
    Unauthorized,
    /// The key's tier does not include the operation, or the key's list of symbols does not include the symbol.
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
    /// The engine is temporarily unavailable: tables are still loading, or a memory limit or a deadline was reached.
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
        /// Wrong keys that one address sent.
        WrongKeys = "wrong_keys",
        /// Calls of one key in a day.
        DayQuota = "day_quota",
        /// Calls of one key in an hour.
        HourQuota = "hour_quota",
        /// Remaining calls of a quota, which another server with the same state has reserved.
        HeldQuota = "held_quota",
        /// Concurrent requests of one caller.
        CallerRequests = "caller_requests",
        /// Free requests of one caller.
        CallerFreeRequests = "caller_free_requests",
        /// Unread bytes of replies to one caller.
        CallerReplyBytes = "caller_reply_bytes",
        /// Unread bytes of replies to all callers.
        AllReplyBytes = "all_reply_bytes",
        /// Pages that one address requests without a key.
        GuestPages = "guest_pages",
        /// Concurrent requests of all callers.
        AllRequests = "all_requests",
        /// Waiting queries of one owner.
        OwnerQueue = "owner_queue",
        /// Waiting queries of all owners.
        Queue = "queue",
    }
    const ALL "All kinds.";
    fn word "Returns the limit as a machine-readable word.";
}

/// An error for a client. Its message has the fault, the allowed values and the next step.
#[derive(Debug, Default, thiserror::Error)]
#[error("{message}")]
pub struct ClientError {
    /// The kind, which determines the HTTP status.
    pub kind: ErrorKind,
    /// Message for the client.
    pub message: String,
    /// Seconds until the same request may be retried; `None` if unknown.
    pub retry_after_s: Option<i64>,
    /// The limit that was reached; `None` for an error of another cause.
    pub reached_limit: Option<ReachedLimit>,
    /// Path of this server's page on which a person can remove the cause; `None` if there is no such page.
    pub page: Option<&'static str>,
    /// The invalid parameters, each as (name, its part of the message); empty for another error.
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
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::TooManyRequests | Self::Unavailable | Self::Overrun)
    }

    /// Returns true if an error of this kind counts against the caller's quota. Unauthenticated requests and faults of the server do not
    /// count; a call that reaches its time limit does.
    pub const fn counts(self) -> bool {
        matches!(self, Self::BadRequest | Self::NotFound | Self::NoData | Self::Gone | Self::Overrun)
    }
}

impl ClientError {
    /// Builds an error without a cause.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), ..Self::default() }
    }

    /// Builds the error for invalid arguments, each as (name of the parameter, message).
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

    /// Returns the seconds after which the request may be retried: `retry_after_s`, else 5 for the HTTP status 503. `None` if a retry does
    /// not help.
    pub fn after_s(&self) -> Option<i64> {
        const UNAVAILABLE_RETRY_S: i64 = 5;
        self.retry_after_s.or((self.kind.status() == 503).then_some(UNAVAILABLE_RETRY_S))
    }

    /// Returns the error with the seconds after which the request may be retried.
    #[must_use]
    pub fn with_retry_after(self, seconds: i64) -> Self {
        Self { retry_after_s: Some(seconds), ..self }
    }

    /// Returns the error with the limit that was reached.
    #[must_use]
    pub fn with_limit(self, reached_limit: ReachedLimit) -> Self {
        Self { reached_limit: Some(reached_limit), ..self }
    }
}
