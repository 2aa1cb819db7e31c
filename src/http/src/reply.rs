//! The shapes of replies: the envelope around ready bytes, errors, and the headers they share.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;

use super::envelope_body::EnvelopeBody;
use parquote_access::{Allowance, redact};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{AnswerFormat, Tier};
use parquote_engine::Encoded;
pub(super) use parquote_surface::trail::Trail;

const JSON: &str = "application/json";
/// How a caller without a key is told to bring one. It names no authorisation server: there is none.
const CHALLENGE: &str = "Bearer realm=\"parquote\"";

/// What an SVG may do that is opened as a page: nothing. It loads nothing and runs nothing, whatever stands in it.
const OF_A_PICTURE: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const LIMIT_DAILY: HeaderName = HeaderName::from_static("x-ratelimit-limit-daily");
const LIMIT_HOURLY: HeaderName = HeaderName::from_static("x-ratelimit-limit-hourly");
const REMAINING_DAILY: HeaderName = HeaderName::from_static("x-ratelimit-remaining-daily");
const TIER: HeaderName = HeaderName::from_static("x-tier");
const ANSWER: HeaderName = HeaderName::from_static("x-answer");
const REMAINING_HOURLY: HeaderName = HeaderName::from_static("x-ratelimit-remaining-hourly");

/// A body, and how long it is.
pub(super) struct Content {
    body: Body,
    bytes: usize,
}

impl From<Bytes> for Content {
    fn from(bytes: Bytes) -> Self {
        Self { bytes: bytes.len(), body: Body::from(bytes) }
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

impl From<EnvelopeBody> for Content {
    fn from(pieces: EnvelopeBody) -> Self {
        Self { bytes: pieces.bytes(), body: Body::new(pieces) }
    }
}

/// The envelope of a successful reply around `data`, which is JSON already.
pub(super) fn envelope(data: Bytes, tier: Tier, allowance: Allowance, timestamp: i64) -> EnvelopeBody {
    const ROOM_FOR_META: usize = 192;
    let mut meta = Vec::with_capacity(ROOM_FOR_META);
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

/// A reply that its receiver may keep, but asks about each time: it is made for one key, so shared caches must not
/// hold it, and asking again costs a 304 and nothing of the allowance.
pub(super) fn kept(content_type: &'static str, tag: &HeaderValue, body: impl Into<Content>) -> Response {
    let mut response = reply(StatusCode::OK, body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    keep(response.headers_mut(), tag);
    response
}

/// A file that never changes, whatever the key and the data: it is kept without asking again.
pub(super) fn for_good(content_type: &'static str, text: &'static str) -> Response {
    let mut response = reply(StatusCode::OK, Bytes::from_static(text.as_bytes()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    response
}

/// A JSON reply that its receiver may keep under the conditions of [`kept`].
pub(super) fn kept_json(tag: &HeaderValue, body: EnvelopeBody) -> Response {
    kept(JSON, tag, body)
}

/// An answer without an envelope: rows, or a picture of them. What stands in it otherwise is in headers: the tier here, the allowance in those that every
/// reply has, the time in `Date`, and what is around the rows as JSON.
pub(super) fn kept_bare(format: AnswerFormat, tag: &HeaderValue, answer: Encoded, tier: Tier) -> Response {
    let mut response = kept(format.media_type(), tag, answer.body);
    let headers = response.headers_mut();
    headers.insert(TIER, HeaderValue::from_static(tier.word()));
    if format == AnswerFormat::Svg {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(OF_A_PICTURE));
    }
    if !answer.around.is_empty()
        && let Ok(around) = HeaderValue::try_from(ascii(&String::from_utf8_lossy(&answer.around)))
    {
        headers.insert(ANSWER, around);
    }
    response
}

/// JSON as a header can carry it: letters beyond ASCII stand only inside its texts, where they can be escaped.
fn ascii(json: &str) -> String {
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

/// What the receiver holds is still right.
pub(super) fn not_modified(tag: &HeaderValue) -> Response {
    let mut response = reply(StatusCode::NOT_MODIFIED, Bytes::new());
    keep(response.headers_mut(), tag);
    response
}

/// Rows without an envelope as a file that is never kept.
pub(super) fn attached(format: AnswerFormat, answer: Encoded, tier: Tier) -> Response {
    let mut response = fresh(StatusCode::OK, format.media_type(), answer.body);
    response.headers_mut().insert(TIER, HeaderValue::from_static(tier.word()));
    response
}

/// A JSON reply that is never kept.
pub(super) fn fresh_json(status: StatusCode, body: impl Into<Content>) -> Response {
    fresh(status, JSON, body)
}

/// A reply that is never kept.
pub(super) fn fresh(status: StatusCode, content_type: &'static str, body: impl Into<Content>) -> Response {
    let mut response = reply(status, body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The error envelope. A message may repeat what the caller sent, and a key that stands there in the place of something
/// else is not repeated.
pub(super) fn error(status: StatusCode, message: &str) -> Response {
    let message = serde_json::Value::from(redact(message));
    let body = format!(r#"{{"error":true,"status":{},"message":{message}}}"#, status.as_u16());
    fresh_json(status, body)
}

/// The error envelope of a refusal; its causes go along for the log.
pub(super) fn refusal(refused: ClientError) -> Response {
    let status = StatusCode::from_u16(refused.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = error(status, &refused.message);
    if refused.kind == ErrorKind::Unauthorized {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE));
    }
    if let Some(seconds) = refused.after_s() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(trail) = response.extensions_mut().get_mut::<Trail>() {
        trail.cause = Some(Arc::new(refused));
    }
    response
}

/// The allowance of a caller and what is left of it.
pub(super) fn allowance(headers: &mut HeaderMap, Allowance { limit, left }: Allowance) {
    headers.insert(LIMIT_DAILY, HeaderValue::from(limit.day));
    headers.insert(LIMIT_HOURLY, HeaderValue::from(limit.hour));
    headers.insert(REMAINING_DAILY, HeaderValue::from(left.day));
    headers.insert(REMAINING_HOURLY, HeaderValue::from(left.hour));
}

/// Whether a reply says it already.
pub(super) fn says_allowance(headers: &HeaderMap) -> bool {
    headers.contains_key(LIMIT_DAILY)
}

fn keep(headers: &mut HeaderMap, tag: &HeaderValue) {
    headers.insert(header::ETAG, tag.clone());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
}

/// As many headers as an answer has, and some: a map that grows places all of them again.
const USUAL_HEADERS: usize = 24;

fn reply(status: StatusCode, content: impl Into<Content>) -> Response {
    let Content { body, bytes } = content.into();
    let trail = Trail { bytes, ..Trail::default() };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = HeaderMap::with_capacity(USUAL_HEADERS);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response.extensions_mut().insert(trail);
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
        let Content { body, bytes: length } = body.into();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        assert_eq!(bytes.len(), length);
        assert_eq!(
            std::str::from_utf8(&bytes).unwrap(),
            r#"{"data":[1,2],"meta":{"tier":"api_max","requests_remaining_today":4999,"requests_remaining_hour":7,"timestamp":1700000000}}"#
        );
    }

    #[test]
    fn letters_beyond_ascii_are_escaped() {
        assert_eq!(ascii(r#"{"a":"é🙂"}"#), r#"{"a":"\u00e9\ud83d\ude42"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&ascii(r#""é🙂""#)).unwrap(), "é🙂");
    }

    #[tokio::test]
    async fn an_error_is_three_fields_and_never_its_cause() {
        let refused = ClientError::caused(ErrorKind::Unavailable, "no \"x\"\n", "engine text");
        let response = refusal(refused);
        assert_eq!(response.status(), 503);
        assert_eq!(response.headers()[header::RETRY_AFTER], "5");
        assert!(response.extensions().get::<Trail>().unwrap().cause.is_some());
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        assert_eq!(
            std::str::from_utf8(&body).unwrap(),
            r#"{"error":true,"status":503,"message":"no \"x\"\n"}"#
        );
    }
}
