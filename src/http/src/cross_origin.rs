//! CORS (as in the Fetch standard): the replies that scripts of other web pages may read. These are OAuth metadata, the registration of
//! apps, the exchange and revocation of tokens, and the tools, for pages that their endpoint accepts.
//!
//! None of these reads a cookie, and no reply allows credentials: a page learns what any other program would. Pages for people, consent
//! among them, and the operations below `/v1` are readable by no other page.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;

use super::reply::LogFields;

/// GET and POST need no preflight; DELETE is how clients end sessions, and the reply says that there are no sessions.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");
/// Seconds for which a browser may cache a preflight.
const PREFLIGHT_SECONDS: HeaderValue = HeaderValue::from_static("3600");
/// Reply headers that a script may read, in addition to those that it always may.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "www-authenticate, mcp-session-id, mcp-protocol-version, retry-after, x-request-id, x-snapshot, x-as-of, x-sessions-behind, \
     x-source-terms, x-renamed-from, x-without-sector, x-newest-rows, x-coverage, x-ratelimit-limit-daily, \
     x-ratelimit-limit-hourly, x-ratelimit-remaining-daily, x-ratelimit-remaining-hourly",
);
const ANYONE: HeaderValue = HeaderValue::from_static("*");

/// Web pages of other origins whose scripts may read replies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CrossOrigin {
    /// No pages.
    #[default]
    Nobody,
    /// All pages.
    Everyone,
    /// Pages of these origins, such as `https://app.example.com`; `*` as the port matches any port; `null` is allowed.
    Origins(Arc<[String]>),
}

impl CrossOrigin {
    /// Answers a preflight; `None` if the request is not one, or its origin is not allowed.
    ///
    /// Preflight requests carry no key; any header is allowed, because browsers attach no credentials.
    pub(super) fn preflight(&self, request: &Request) -> Option<Response> {
        let headers = request.headers();
        let is_preflight = request.method() == Method::OPTIONS
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        self.allowed_origin(headers.get(header::ORIGIN)?).filter(|_| is_preflight)?;
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let reply_headers = response.headers_mut();
        reply_headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        reply_headers.insert(header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS);
        if let Some(requested) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            reply_headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, requested.clone());
        }
        reply_headers.insert(header::VARY, HeaderValue::from_static("access-control-request-headers"));
        response.extensions_mut().insert(LogFields::default());
        Some(response)
    }

    /// Sets the CORS headers of a reply. A reply for everyone has them even without `Origin`, because it may be cached and given to another
    /// page.
    pub(super) fn set_headers(&self, origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
        let reader = match self {
            Self::Nobody => return,
            Self::Everyone => Some(ANYONE),
            Self::Origins(_) => {
                headers.append(header::VARY, HeaderValue::from_static("origin"));
                origin.and_then(|origin| self.allowed_origin(origin))
            }
        };
        if let Some(reader) = reader {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, reader);
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
        }
    }

    /// Returns the value of `Access-Control-Allow-Origin` for an origin; `None` if its pages may not read replies.
    fn allowed_origin(&self, origin: &HeaderValue) -> Option<HeaderValue> {
        match self {
            Self::Nobody => None,
            Self::Everyone => Some(ANYONE),
            Self::Origins(allowed) => {
                let requested = origin.to_str().ok()?;
                allowed.iter().any(|allowed| matches_origin(allowed, requested)).then(|| origin.clone())
            }
        }
    }
}

/// Returns true if an origin matches an allowed one, whose port may be `*`.
fn matches_origin(allowed: &str, requested: &str) -> bool {
    let (Some((host, port)), Some((requested_host, requested_port))) =
        (split_origin(allowed), split_origin(requested))
    else {
        return allowed == requested;
    };
    host.eq_ignore_ascii_case(requested_host) && (port == "*" || port == requested_port)
}

/// Splits an origin into scheme with host, and port; `None` for one without a host, such as `null`.
fn split_origin(origin: &str) -> Option<(&str, &str)> {
    let (scheme, host) = origin.split_once("://")?;
    let default_port = if scheme.eq_ignore_ascii_case("https") { "443" } else { "80" };
    let port = host.rsplit_once(':').map(|(_, port)| port).filter(|port| !port.ends_with(']'));
    let before = port.map_or(origin.len(), |port| origin.len() - port.len() - 1);
    Some((origin.get(..before)?, port.unwrap_or(default_port)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        for (allowed, requested) in [
            ("https://app.example", "https://app.example"),
            ("https://app.example", "https://APP.example"),
            ("https://app.example:443", "https://app.example"),
            ("http://[::1]:*", "http://[::1]"),
            ("http://[::1]:*", "http://[::1]:6274"),
            ("http://localhost:*", "http://localhost:5173"),
            ("vscode-webview://abc:*", "vscode-webview://abc"),
            ("null", "null"),
        ] {
            assert!(matches_origin(allowed, requested), "{allowed} {requested}");
        }
        for (allowed, requested) in [
            ("https://app.example", "http://app.example"),
            ("https://app.example", "https://app.example:8443"),
            ("https://app.example:*", "https://app.example.evil.example"),
            ("https://app.example:*", "https://evil.example:1"),
            ("https://app.example:*", "https://app.example:1/https://app.example"),
            ("http://localhost:*", "null"),
            ("http://localhost:*", ""),
            ("null", "http://null"),
        ] {
            assert!(!matches_origin(allowed, requested), "{allowed} {requested}");
        }
    }

    #[test]
    fn a_reply_names_the_page_that_may_read_it() {
        let of = |readers: &CrossOrigin, origin: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            readers.set_headers(origin.map(HeaderValue::from_static).as_ref(), &mut headers);
            headers.get(header::ACCESS_CONTROL_ALLOW_ORIGIN).map(|value| value.to_str().unwrap().to_owned())
        };
        let some = CrossOrigin::Origins(["https://app.example:*".to_owned()].into());
        assert_eq!(of(&CrossOrigin::Nobody, Some("https://app.example")), None);
        assert_eq!(of(&CrossOrigin::Everyone, None).as_deref(), Some("*"));
        assert_eq!(of(&some, Some("https://app.example")).as_deref(), Some("https://app.example"));
        assert_eq!(of(&some, Some("https://evil.example")), None);
        assert_eq!(of(&some, None), None);
    }
}
