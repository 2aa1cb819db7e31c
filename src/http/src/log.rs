//! One log line for each request, and one for the cause of a refusal. No line contains a key, wherever in the request it was.

use std::error::Error;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::http::{HeaderValue, Method, StatusCode, Uri};

use super::paths::FILES;
use super::query;
use super::reply::LogFields;
use parquote_access::redact;
use parquote_catalogue::causes::with_causes;
use parquote_catalogue::error::ClientError;

/// Most bytes of a path, and of a query, in a line: callers without a key cause lines too.
const MOST_BYTES: usize = 300;

/// Writes the log record of a request: synchronously or on another thread.
pub type RequestLog = Arc<dyn Fn(LoggedRequest) + Send + Sync>;

/// The log record of an answered request. It owns its texts: slices would retain the buffer into which the request was read.
pub struct LoggedRequest {
    id: Box<str>,
    /// Number of the key, as `parquote keys list` shows it.
    key: Option<i64>,
    /// Address of the caller.
    from: Option<IpAddr>,
    method: Method,
    path: Box<str>,
    query: Option<Box<str>>,
    status: StatusCode,
    /// Time until the reply was ready to be sent.
    took: Duration,
    log_fields: LogFields,
    at: SystemTime,
    /// Number of earlier refusals of the same address that were not logged.
    left_out: u64,
}

impl LoggedRequest {
    /// Builds the record; `None` if nothing would be logged.
    pub(super) fn if_enabled(
        id: &HeaderValue,
        method: &Method,
        uri: &Uri,
        status: StatusCode,
        took: Duration,
        log_fields: LogFields,
    ) -> Option<Self> {
        (log_fields.cause.is_some() || tracing::enabled!(tracing::Level::INFO)).then(|| Self {
            id: id.to_str().unwrap_or_default().into(),
            key: None,
            from: None,
            method: method.clone(),
            // The address of a file grants access to it.
            path: if uri.path().starts_with(FILES) { FILES } else { uri.path() }.into(),
            query: uri.query().map(Into::into),
            status,
            took,
            log_fields,
            at: SystemTime::now(),
            left_out: 0,
        })
    }

    /// Returns the record with the caller's key and address, and the number of earlier refusals that it covers.
    pub(super) fn with_caller(self, key: Option<i64>, from: Option<IpAddr>, left_out: u64) -> Self {
        Self { key, from, left_out, ..self }
    }

    /// Returns the time of the answer.
    pub fn at(&self) -> SystemTime {
        self.at
    }

    /// Writes the line, and one for the cause of a refusal. `bytes` counts the body before compression.
    pub fn write(&self) {
        let Self { id, log_fields, status, .. } = self;
        if tracing::enabled!(tracing::Level::INFO) {
            let query = self.query.as_deref().map(query::redact_query);
            let path = query::redact_text(&self.path);
            tracing::info!(
                id = &**id,
                key = self.key,
                from = self.from.map(tracing::field::display),
                method = &*redact(self.method.as_str()),
                path = truncate(&path),
                query = query.as_deref().map(truncate),
                operation = log_fields.operation.as_deref(),
                status = status.as_u16(),
                microseconds = self.took.as_micros() as u64,
                bytes = if self.method == Method::HEAD { 0 } else { log_fields.bytes },
                left_out = (self.left_out > 0).then_some(self.left_out),
                "request"
            );
        }
        if let Some(error) = &log_fields.cause {
            let causes = causes(error);
            let (refused, causes) = (redact(&error.message), redact(&causes));
            if status.is_server_error() {
                tracing::error!(id = &**id, refused = &*refused, causes = &*causes);
            } else {
                tracing::debug!(id = &**id, refused = &*refused, causes = &*causes);
            }
        }
    }
}

/// Truncates a redacted text. Redaction comes first, because a fragment of a key would not be recognized.
fn truncate(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text)
}

/// Returns the causes of an error, outermost first.
fn causes(error: &ClientError) -> String {
    error.source().map(with_causes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquote_catalogue::error::ErrorKind;

    #[test]
    fn a_long_text_is_cut_between_letters() {
        assert_eq!(truncate("symbol=TCS"), "symbol=TCS");
        assert_eq!(truncate(&"é".repeat(400)), "é".repeat(150));
        assert_eq!(truncate(&format!("a{}", "é".repeat(400))).len(), 299);
    }

    #[test]
    fn causes_are_logged_and_the_message_is_not_repeated() {
        let io = std::io::Error::other("x".parse::<i64>().unwrap_err());
        let error = ClientError::from_cause(ErrorKind::Unavailable, "try again", io);
        assert!(causes(&error).contains("invalid digit"));
        assert!(!causes(&error).contains("try again"));
    }
}
