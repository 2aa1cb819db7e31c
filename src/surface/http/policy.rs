//! What a page may do: load files of this server and ask it, nothing else. What stands in the page itself is neither run nor
//! styles anything. One policy holds for every page, the manual included.

use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use axum::http::{HeaderMap, HeaderValue};

/// Answers are no scripts: each says its type, which browsers hold to.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
     base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
);

/// Puts a page under the policy.
pub(super) fn guard(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
}
