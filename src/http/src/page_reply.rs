//! Replies that are pages: uncached HTML, redirects, and the headers that every page sends to browsers.

use axum::body::Body;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use maud::Markup;

use super::colours;
use super::policy::POLICY;
use super::reply::{self, ErrorMessage, HTML, LogFields};
use parquote_access::redact;
use parquote_catalogue::error::ClientError;
use parquote_explorer::portal::notice_page;

pub(super) fn page(status: StatusCode, markup: Markup) -> Response {
    let mut response = reply::uncached_reply(status, HTML, markup.into_string());
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding, cookie"));
    response
}

/// Builds a page with the message of a refusal.
pub(super) fn notice(status: StatusCode, message: &str) -> Response {
    let title = status.canonical_reason().unwrap_or("This did not work");
    let mut response = page(status, notice_page(title, &redact(message), colours::current_scheme()));
    set_default_headers(&mut response);
    response
}

/// Builds a page, or the page of the refusal in its place.
pub(super) fn page_or_refusal(markup: Result<Markup, ClientError>) -> Response {
    markup.map_or_else(refusal, |markup| page(StatusCode::OK, markup))
}

/// Builds the page of a refusal.
pub(super) fn refusal(refused: ClientError) -> Response {
    let mut response = notice(reply::status(&refused), &refused.message);
    if let Some(seconds) = refused.after_s() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(log_fields) = response.extensions_mut().get_mut::<LogFields>() {
        log_fields.cause = Some(std::sync::Arc::new(refused));
    }
    response
}

/// Replaces the envelope of an error by a page with its message; other replies remain.
pub(super) fn with_error_page(mut response: Response) -> Response {
    let Some(ErrorMessage(message)) = response.extensions_mut().remove() else { return response };
    let (page, body) = notice(response.status(), &message).into_parts();
    for envelope_header in [header::CONTENT_ENCODING, header::CONTENT_LENGTH] {
        response.headers_mut().remove(envelope_header);
    }
    response.headers_mut().extend(page.headers);
    if let Some(log_fields) = response.extensions_mut().get_mut::<LogFields>() {
        log_fields.bytes = page.extensions.get::<LogFields>().map_or(0, |page| page.bytes);
    }
    *response.body_mut() = body;
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
pub(super) fn set_default_headers(response: &mut Response) {
    const DEFAULTS: [(HeaderName, &str); 4] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in DEFAULTS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
}
