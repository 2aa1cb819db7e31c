//! What scripts of other web pages may read (CORS, as the Fetch standard has it): what this server says of itself to apps, their
//! registration, the exchange and the end of tokens, and the tools for the pages that their endpoint answers to.
//!
//! None of these reads a cookie, and no reply lets one come along: a page learns what any other program would. Pages for people,
//! consent among them, and the operations below `/v1` are read by no other page.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;

use super::reply::Trail;

/// Browsers ask with GET and POST unasked; DELETE is how clients of sessions end them, and they are told that there are none.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");
/// How long a browser may remember what it may ask, in seconds.
const REMEMBERED: HeaderValue = HeaderValue::from_static("3600");
/// The headers of replies that a script may read, beside those that it always may.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "www-authenticate, mcp-session-id, mcp-protocol-version, retry-after, x-request-id, x-snapshot, x-as-of, x-sessions-behind, \
     x-source-terms, x-renamed-from, x-without-sector, x-newest-rows, x-ratelimit-limit-daily, x-ratelimit-limit-hourly, \
     x-ratelimit-remaining-daily, x-ratelimit-remaining-hourly",
);
const ANYONE: HeaderValue = HeaderValue::from_static("*");

/// Web pages of other places whose scripts may read replies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CrossOrigin {
    /// None.
    #[default]
    Nobody,
    /// All.
    Everyone,
    /// Those of these origins, such as `https://app.example.com`, with a `*` in the place of the port for any port, or `null`.
    Origins(Arc<[String]>),
}

impl CrossOrigin {
    /// The answer to a browser that asks what a script may send, before it sends it; `None` if nothing was asked, or the page is not
    /// one of these.
    ///
    /// No key comes with such a question. Whatever headers a script wants to send, it may: a browser adds none that a person is known
    /// by.
    pub(super) fn preflight(&self, request: &Request) -> Option<Response> {
        let headers = request.headers();
        let is_question = request.method() == Method::OPTIONS
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        self.reader(headers.get(header::ORIGIN)?).filter(|_| is_question)?;
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let told = response.headers_mut();
        told.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        told.insert(header::ACCESS_CONTROL_MAX_AGE, REMEMBERED);
        if let Some(wanted) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            told.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        told.insert(header::VARY, HeaderValue::from_static("access-control-request-headers"));
        response.extensions_mut().insert(Trail::default());
        Some(response)
    }

    /// Says in a reply who may read it. A reply for everyone says so whoever asked, as it may be kept and shown to another.
    pub(super) fn mark(&self, origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
        let reader = match self {
            Self::Nobody => return,
            Self::Everyone => Some(ANYONE),
            Self::Origins(_) => {
                headers.append(header::VARY, HeaderValue::from_static("origin"));
                origin.and_then(|origin| self.reader(origin))
            }
        };
        if let Some(reader) = reader {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, reader);
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
    }

    /// How a page of this origin is named as one that may read.
    fn reader(&self, origin: &HeaderValue) -> Option<HeaderValue> {
        match self {
            Self::Nobody => None,
            Self::Everyone => Some(ANYONE),
            Self::Origins(known) => {
                let asked = origin.to_str().ok()?;
                known.iter().any(|known| is_same(known, asked)).then(|| origin.clone())
            }
        }
    }
}

/// Whether an origin is the one that is known, or one of those.
fn is_same(known: &str, asked: &str) -> bool {
    let (Some((known, port)), Some((asked, asked_port))) = (parts(known), parts(asked)) else {
        return known == asked;
    };
    known.eq_ignore_ascii_case(asked) && (port == "*" || port == asked_port)
}

/// Scheme and host of an origin, and its port; `None` for one that has no host, such as `null`.
fn parts(origin: &str) -> Option<(&str, &str)> {
    let (scheme, host) = origin.split_once("://")?;
    let usual = if scheme.eq_ignore_ascii_case("https") { "443" } else { "80" };
    let port = host.rsplit_once(':').map(|(_, port)| port).filter(|port| !port.ends_with(']'));
    let before = port.map_or(origin.len(), |port| origin.len() - port.len() - 1);
    Some((origin.get(..before)?, port.unwrap_or(usual)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        for (known, asked) in [
            ("https://app.example", "https://app.example"),
            ("https://app.example", "https://APP.example"),
            ("https://app.example:443", "https://app.example"),
            ("http://[::1]:*", "http://[::1]"),
            ("http://[::1]:*", "http://[::1]:6274"),
            ("http://localhost:*", "http://localhost:5173"),
            ("vscode-webview://abc:*", "vscode-webview://abc"),
            ("null", "null"),
        ] {
            assert!(is_same(known, asked), "{known} {asked}");
        }
        for (known, asked) in [
            ("https://app.example", "http://app.example"),
            ("https://app.example", "https://app.example:8443"),
            ("https://app.example:*", "https://app.example.evil.example"),
            ("https://app.example:*", "https://evil.example:1"),
            ("https://app.example:*", "https://app.example:1/https://app.example"),
            ("http://localhost:*", "null"),
            ("http://localhost:*", ""),
            ("null", "http://null"),
        ] {
            assert!(!is_same(known, asked), "{known} {asked}");
        }
    }

    #[test]
    fn a_reply_names_the_page_that_may_read_it() {
        let of = |readers: &CrossOrigin, origin: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            readers.mark(origin.map(HeaderValue::from_static).as_ref(), &mut headers);
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
