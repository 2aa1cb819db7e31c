//! Replies that are pages: uncached HTML, redirects, and the headers that every page sends to browsers.

use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use maud::Markup;

use super::policy::POLICY;
use super::reply::LogFields;
use parquote_access::redact;
use parquote_catalogue::error::ClientError;
use parquote_explorer::portal::notice_page;

/// Builds a page.
pub(super) fn page(status: StatusCode, markup: Markup) -> Response {
    let body = Bytes::from(markup.into_string());
    let trail = LogFields { bytes: body.len(), ..LogFields::default() };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding, cookie"));
    response.extensions_mut().insert(trail);
    response
}

/// Builds the page of a refusal.
pub(super) fn refusal(refused: ClientError) -> Response {
    let status = StatusCode::from_u16(refused.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let title = status.canonical_reason().unwrap_or("This did not work");
    let mut response = page(status, notice_page(title, &redact(&refused.message)));
    if let Some(seconds) = refused.after_s() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(trail) = response.extensions_mut().get_mut::<LogFields>() {
        trail.cause = Some(std::sync::Arc::new(refused));
    }
    response
}

/// Redirects to another page with GET.
pub(super) fn see_other(path: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    if let Ok(path) = HeaderValue::try_from(path) {
        response.headers_mut().insert(header::LOCATION, path);
    }
    response.extensions_mut().insert(LogFields::default());
    response
}

/// Sets the default headers of pages; headers that are set already remain.
pub(super) fn dress(response: &mut Response) {
    const MARKS: [(HeaderName, &str); 4] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in MARKS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
}
