//! One line of the log for each request, and one for the cause of a refusal. No line has a key, wherever in the request it was.

use std::error::Error;
use std::fmt::Write as _;
use std::net::IpAddr;
use std::time::Duration;

use axum::http::{HeaderValue, Method, StatusCode, Uri};

use super::paths::FILES;
use super::query;
use super::reply::Trail;
use crate::access::redact;
use crate::error::ClientError;

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asker {
    /// The number of the key, as `parquote keys list` shows it.
    pub key: Option<i64>,
    /// The caller's address.
    pub from: Option<IpAddr>,
}

/// Writes the line of a request.
///
/// `bytes` counts the body before compression; the time ends when the reply is ready to be sent.
pub(super) fn request(
    id: &HeaderValue,
    asker: Asker,
    (method, uri): (&Method, &Uri),
    status: StatusCode,
    trail: &Trail,
    took: Duration,
) {
    let id = id.to_str().unwrap_or_default();
    if tracing::enabled!(tracing::Level::INFO) {
        let query = uri.query().map(query::for_log);
        // Whoever has the address of a file has the file.
        let path = if uri.path().starts_with(FILES) { FILES } else { uri.path() };
        let path = query::text_for_log(path);
        tracing::info!(
            id,
            key = asker.key,
            from = asker.from.map(tracing::field::display),
            method = &*redact(method.as_str()),
            path = &*path,
            query = query.as_deref(),
            operation = trail.operation.as_deref(),
            status = status.as_u16(),
            microseconds = took.as_micros() as u64,
            bytes = if method == Method::HEAD { 0 } else { trail.bytes },
            "request"
        );
    }
    if let Some(error) = &trail.cause {
        let causes = chain(error);
        let (refused, causes) = (redact(&error.message), redact(&causes));
        if status.is_server_error() {
            tracing::error!(id, refused = &*refused, causes = &*causes);
        } else {
            tracing::debug!(id, refused = &*refused, causes = &*causes);
        }
    }
}

/// What is behind an error, outermost first.
fn chain(error: &ClientError) -> String {
    let mut text = String::new();
    let mut cause = error.source();
    while let Some(inner) = cause {
        if !text.is_empty() {
            text.push_str(": ");
        }
        let _ = write!(text, "{inner}");
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn the_chain_holds_causes_but_not_the_message() {
        let io = std::io::Error::other("x".parse::<i64>().unwrap_err());
        let error = ClientError::caused(ErrorKind::Unavailable, "try again", io);
        assert!(chain(&error).contains("invalid digit"));
        assert!(!chain(&error).contains("try again"));
    }
}
