//! The host that a request names: the name under which somebody reached this server.

use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, header};

/// The names by which a machine calls itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The host with its port, if it has one. In HTTP/2 it stands in the URL.
pub(super) fn of<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<&'a str> {
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    named.or_else(|| uri.authority().map(Authority::as_str))
}

/// Whether a host is this machine itself, on any port.
pub(super) fn is_loopback(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')).map_or(host, |(name, _)| name);
    let name = name.to_ascii_lowercase();
    LOOPBACK.contains(&name.as_str()) || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_host_stands_in_its_header_or_in_the_url() {
        let mut headers = HeaderMap::new();
        let whole = Uri::from_static("https://a.example:8443/login");
        assert_eq!(of(&headers, &Uri::from_static("/login")), None);
        assert_eq!(of(&headers, &whole), Some("a.example:8443"));
        headers.insert(header::HOST, HeaderValue::from_static("b.example"));
        assert_eq!(of(&headers, &whole), Some("b.example"));
    }

    #[test]
    fn a_machine_has_names_of_its_own() {
        for own in
            ["localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:80", "a.localhost:1"]
        {
            assert!(is_loopback(own), "{own}");
        }
        for other in ["localhost.example", "quotes.example:8443", "10.0.0.1", "[2001:db8::1]:80", ""] {
            assert!(!is_loopback(other), "{other}");
        }
    }
}
