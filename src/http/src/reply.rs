//! Building blocks of replies: the envelope around ready bytes, errors, and the headers they share.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;

use super::envelope_body::EnvelopeBody;
use parquote_access::{Allowance, redact};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{AnswerFormat, Tier};
use parquote_engine::EncodedAnswer;
pub(super) use parquote_surface::log_fields::LogFields;

pub(super) const JSON: &str = "application/json";
/// Content type of pages.
pub(super) const HTML: &str = "text/html; charset=utf-8";
/// Header that makes browsers reload after some seconds, without scripts.
pub(super) const REFRESH: HeaderName = HeaderName::from_static("refresh");
/// Challenge for a caller without a key. It names no authorization server.
const CHALLENGE: &str = "Bearer realm=\"parquote\"";

/// Policy of an SVG that is opened as a page: it loads nothing and runs nothing, whatever it contains.
const PICTURE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const LIMIT_DAILY: HeaderName = HeaderName::from_static("x-ratelimit-limit-daily");
const LIMIT_HOURLY: HeaderName = HeaderName::from_static("x-ratelimit-limit-hourly");
const REMAINING_DAILY: HeaderName = HeaderName::from_static("x-ratelimit-remaining-daily");
const TIER: HeaderName = HeaderName::from_static("x-tier");
const ANSWER: HeaderName = HeaderName::from_static("x-answer");
const REMAINING_HOURLY: HeaderName = HeaderName::from_static("x-ratelimit-remaining-hourly");

impl From<EnvelopeBody> for Body {
    fn from(pieces: EnvelopeBody) -> Self {
        Self::new(pieces)
    }
}

/// Wraps `data`, which is JSON already, in the envelope of a successful reply.
pub(super) fn envelope(data: Bytes, tier: Tier, allowance: Allowance, timestamp: i64) -> EnvelopeBody {
    const META_BYTES: usize = 192;
    let mut meta = Vec::with_capacity(META_BYTES);
    // Writing to a vector does not fail, and a tier's word needs no escaping.
    let _ = write!(
        meta,
        r#","meta":{{"tier":"{}","requests_remaining_today":{},"requests_remaining_hour":{},"timestamp":{timestamp}}}}}"#,
        tier.word(),
        allowance.left.day,
        allowance.left.hour,
    );
    EnvelopeBody::new([Bytes::from_static(b"{\"data\":"), data, meta.into()])
}

/// Builds a reply that the caller may cache and must revalidate: it is made for one key, so shared caches must not store it; revalidation
/// costs a 304 and nothing of the quota.
pub(super) fn revalidated_reply(
    content_type: &'static str,
    tag: &HeaderValue,
    body: impl Into<Body>,
) -> Response {
    let mut response = reply(StatusCode::OK, body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    set_cache_headers(response.headers_mut(), tag);
    response
}

/// Builds the reply with an immutable file, which is cached without revalidation.
pub(super) fn immutable(content_type: &'static str, body: Bytes) -> Response {
    let mut response = reply(StatusCode::OK, body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    response
}

/// Builds an answer without an envelope: rows, or a picture of them. The envelope's fields are in headers: the tier in `X-Tier`, the quota
/// as in every reply, the time in `Date`, and the fields around the rows as JSON in `X-Answer`.
pub(super) fn revalidated_bare(
    format: AnswerFormat,
    tag: &HeaderValue,
    answer: EncodedAnswer,
    tier: Tier,
) -> Response {
    let mut response = revalidated_reply(format.media_type(), tag, answer.body);
    let headers = response.headers_mut();
    headers.insert(TIER, HeaderValue::from_static(tier.word()));
    if format == AnswerFormat::Svg {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PICTURE_POLICY));
    }
    if !answer.wrapper.is_empty()
        && let Ok(wrapper) =
            HeaderValue::try_from(escape_non_ascii(&String::from_utf8_lossy(&answer.wrapper)))
    {
        headers.insert(ANSWER, wrapper);
    }
    response
}

/// Escapes JSON for a header: characters beyond ASCII occur only inside its strings, where they can be escaped.
fn escape_non_ascii(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for char in json.chars() {
        if char.is_ascii() {
            escaped.push(char);
        } else {
            for unit in char.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        }
    }
    escaped
}

pub(super) fn not_modified(tag: &HeaderValue) -> Response {
    let mut response = reply(StatusCode::NOT_MODIFIED, Bytes::new());
    set_cache_headers(response.headers_mut(), tag);
    response
}

/// Builds a reply with rows as an uncached file, without an envelope.
pub(super) fn file_reply(format: AnswerFormat, answer: EncodedAnswer, tier: Tier) -> Response {
    let mut response = uncached_reply(StatusCode::OK, format.media_type(), answer.body);
    response.headers_mut().insert(TIER, HeaderValue::from_static(tier.word()));
    response
}

/// Builds an uncached JSON reply.
pub(super) fn fresh_json(status: StatusCode, body: impl Into<Body>) -> Response {
    uncached_reply(status, JSON, body)
}

pub(super) fn uncached_reply(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Body>,
) -> Response {
    let mut response = reply(status, body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Message of an error envelope, among the extensions of its reply: if a person reads the reply, a page shows it instead.
#[derive(Clone)]
pub(super) struct ErrorMessage(pub String);

/// Builds the error envelope. A message may repeat input of the caller; keys in it are redacted.
pub(super) fn error(status: StatusCode, message: &str) -> Response {
    let redacted = redact(message);
    let message = serde_json::Value::from(&*redacted);
    let body = format!(r#"{{"error":true,"status":{},"message":{message}}}"#, status.as_u16());
    let mut response = fresh_json(status, body);
    response.extensions_mut().insert(ErrorMessage(redacted.into_owned()));
    response
}

pub(super) fn status(refused: &ClientError) -> StatusCode {
    StatusCode::from_u16(refused.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Builds the error envelope of a refusal, with its causes for the log.
pub(super) fn refusal(refused: ClientError) -> Response {
    let mut response = error(status(&refused), &refused.message);
    if refused.kind == ErrorKind::Unauthorized {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE));
    }
    if let Some(seconds) = refused.after_s() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(log_fields) = response.extensions_mut().get_mut::<LogFields>() {
        log_fields.cause = Some(Arc::new(refused));
    }
    response
}

/// Sets the headers of a caller's quota and its remainder.
pub(super) fn set_allowance_headers(headers: &mut HeaderMap, Allowance { limit, left }: Allowance) {
    headers.insert(LIMIT_DAILY, HeaderValue::from(limit.day));
    headers.insert(LIMIT_HOURLY, HeaderValue::from(limit.hour));
    headers.insert(REMAINING_DAILY, HeaderValue::from(left.day));
    headers.insert(REMAINING_HOURLY, HeaderValue::from(left.hour));
}

/// Returns true if a reply has the headers of a quota already.
pub(super) fn has_allowance_headers(headers: &HeaderMap) -> bool {
    headers.contains_key(LIMIT_DAILY)
}

/// Names the file under which browsers store a reply.
pub(super) fn name_file(headers: &mut HeaderMap, stem: &str, format: AnswerFormat) {
    let name = HeaderValue::try_from(format!("attachment; filename=\"{stem}.{}\"", format.word()));
    if let Ok(name) = name {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
}

fn set_cache_headers(headers: &mut HeaderMap, tag: &HeaderValue) {
    headers.insert(header::ETAG, tag.clone());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
}

/// Initial capacity for the headers of a reply, more than a typical answer has: a map that grows rehashes all of them.
const HEADER_CAPACITY: usize = 24;

fn reply(status: StatusCode, body: impl Into<Body>) -> Response {
    let body: Body = body.into();
    let log_fields = LogFields { bytes: body.size_hint().lower() as usize, ..LogFields::default() };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = HeaderMap::with_capacity(HEADER_CAPACITY);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response.extensions_mut().insert(log_fields);
    response
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;
    use parquote_catalogue::operation::Quota;

    #[tokio::test]
    async fn the_envelope_is_that_of_the_contract() {
        let allowance = Allowance { limit: Tier::ApiMax.quota(), left: Quota { day: 4_999, hour: 7 } };
        let body = envelope(Bytes::from_static(b"[1,2]"), Tier::ApiMax, allowance, 1_700_000_000);
        let length = body.bytes();
        let bytes = to_bytes(body.into(), usize::MAX).await.unwrap();
        assert_eq!(bytes.len(), length);
        assert_eq!(
            std::str::from_utf8(&bytes).unwrap(),
            r#"{"data":[1,2],"meta":{"tier":"api_max","requests_remaining_today":4999,"requests_remaining_hour":7,"timestamp":1700000000}}"#
        );
    }

    #[test]
    fn letters_beyond_ascii_are_escaped() {
        assert_eq!(escape_non_ascii(r#"{"a":"é🙂"}"#), r#"{"a":"\u00e9\ud83d\ude42"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escape_non_ascii(r#""é🙂""#)).unwrap(), "é🙂");
    }

    #[tokio::test]
    async fn an_error_is_three_fields_and_never_its_cause() {
        let refused = ClientError::from_cause(ErrorKind::Unavailable, "no \"x\"\n", "engine text");
        let response = refusal(refused);
        assert_eq!(response.status(), 503);
        assert_eq!(response.headers()[header::RETRY_AFTER], "5");
        assert!(response.extensions().get::<LogFields>().unwrap().cause.is_some());
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        assert_eq!(
            std::str::from_utf8(&body).unwrap(),
            r#"{"error":true,"status":503,"message":"no \"x\"\n"}"#
        );
    }
}
