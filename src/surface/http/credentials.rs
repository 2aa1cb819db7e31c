//! Where a request carries its key: `X-Api-Key`, `Authorization: Bearer`, `apiKey` in the query. Whether it is a key, and
//! what happens when there are several, is not decided here.

use std::borrow::Cow;

use axum::http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Uri};

use super::query;

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Everything that a request presents as a key.
pub(super) fn presented<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> impl Iterator<Item = Cow<'a, str>> {
    let plain = headers.get_all(X_API_KEY).iter().map(text);
    let bearers = headers.get_all(AUTHORIZATION).iter().map(text).filter_map(bearer);
    plain.chain(bearers).map(Cow::Borrowed).chain(query::keys(uri.query().unwrap_or_default()))
}

/// The token of the one bearer that a request has; `None` if it has none, several, or a key beside it.
pub(super) fn lone_bearer(headers: &HeaderMap) -> Option<&str> {
    let mut lines = headers.get_all(AUTHORIZATION).iter().map(text);
    let token = bearer(lines.next()?)?;
    (lines.next().is_none() && !headers.contains_key(X_API_KEY)).then_some(token)
}

/// What is no text is no key either, but it was sent as one.
fn text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or("?")
}

/// The token of a bearer; other schemes are none of ours.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_all_places() {
        let mut headers = HeaderMap::new();
        headers.append(X_API_KEY, HeaderValue::from_static("a"));
        headers.append(X_API_KEY, HeaderValue::from_bytes(b"\xff").unwrap());
        for value in ["bearer  b", "Basic c", "Bearer", "Bearer "] {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        let uri: Uri = "/v1/companies?q=x&apiKey=d+e&api%4Bey=%zz&apikey=f".parse().unwrap();
        assert_eq!(presented(&headers, &uri).collect::<Vec<_>>(), ["a", "?", "b", "d e", "%zz"]);
    }
}
