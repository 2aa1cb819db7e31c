//! The places in which a request carries its key: `X-Api-Key`, `Authorization: Bearer`, `apiKey` in the query. It neither validates keys
//! nor chooses among several.

use std::borrow::Cow;

use axum::http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Uri};

use super::query;

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Meaning of a bearer token if the query has a key too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BearerMeaning {
    /// Another key.
    Key,
    /// No key: some clients send the id of an OAuth client there, and their key in the query.
    NoKey,
}

/// Returns everything that a request presents as a key.
pub(super) fn presented_keys<'a>(
    headers: &'a HeaderMap,
    uri: &'a Uri,
    bearer_meaning: BearerMeaning,
) -> impl Iterator<Item = Cow<'a, str>> {
    let in_query = query::keys(uri.query().unwrap_or_default());
    let is_key =
        bearer_meaning == BearerMeaning::Key || query::keys(uri.query().unwrap_or_default()).next().is_none();
    let plain = headers.get_all(X_API_KEY).iter().map(text);
    let bearers = headers.get_all(AUTHORIZATION).iter().map(text).filter_map(bearer);
    plain.chain(bearers.filter(move |_| is_key)).map(Cow::Borrowed).chain(in_query)
}

/// Returns the token of the only bearer of a request; `None` if there is none, several, or an `X-Api-Key` as well.
pub(super) fn lone_bearer(headers: &HeaderMap) -> Option<&str> {
    let mut lines = headers.get_all(AUTHORIZATION).iter().map(text);
    let token = bearer(lines.next()?)?;
    (lines.next().is_none() && !headers.contains_key(X_API_KEY)).then_some(token)
}

/// Returns the text of a header. A value that is not text becomes `?`, because it is a presented key all the same.
fn text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or("?")
}

/// Returns the token of a bearer; `None` for other schemes.
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
        let found = |uri: &Uri, bearer_meaning| {
            presented_keys(&headers, uri, bearer_meaning).map(Cow::into_owned).collect::<Vec<_>>()
        };
        assert_eq!(found(&uri, BearerMeaning::Key), ["a", "?", "b", "d e", "%zz"]);
        assert_eq!(found(&uri, BearerMeaning::NoKey), ["a", "?", "d e", "%zz"]);
        let uri: Uri = "/mcp?tools=x".parse().unwrap();
        assert_eq!(found(&uri, BearerMeaning::NoKey), ["a", "?", "b"]);
    }
}
