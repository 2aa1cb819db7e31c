//! The host that a request names: the name under which a client reached this server, and the validity of that name (RFC 9112, 3.2; RFC
//! 9113, 8.3.1). It does not decide which names are accepted.

use std::net::Ipv6Addr;

use axum::extract::Request;
use axum::http::uri::{Authority, Scheme};
use axum::http::{HeaderMap, StatusCode, Uri, Version, header};
use axum::middleware::Next;
use axum::response::Response;

use super::reply;

/// Names by which a machine addresses itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

const MISSING_HOST: &str =
    "the request names no host; send one `Host`, such as `Host: api.example.com` (HTTP/2: `:authority`)";
const REPEATED_HOST: &str = "the request has more than one header `Host`; send one";
const INVALID_HOST: &str = "`Host` is not a name or address with or without a port; send one such as api.example.com, 192.0.2.1:8080 or [2001:db8::1]:8080";
const TWO_HOSTS: &str = "`Host` and `:authority` name different hosts; send `:authority` alone";
const USER: &str = "the address of the request names a user before `@`; leave that out";

/// Returns the host with its port, if any. If the request target has an authority, as in HTTP/2, `Host` is ignored (RFC 9112, 3.2.2).
pub(super) fn requested_host<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<&'a str> {
    let from_header = || headers.get(header::HOST).and_then(|host| host.to_str().ok());
    uri.authority().map(Authority::as_str).or_else(from_header)
}

/// Returns the fault in the host that a request names; `None` if the host is valid. A request over HTTP/1.0 may name no host.
pub(super) fn host_fault(request: &Request) -> Option<&'static str> {
    let (version, authority) = (request.version(), request.uri().authority().map(Authority::as_str));
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = hosts.next();
    if hosts.next().is_some() {
        return Some(REPEATED_HOST);
    }
    if authority.is_some_and(|authority| authority.contains('@')) {
        return Some(USER);
    }
    let host = match host.map(|host| host.to_str().ok().and_then(split_host)) {
        Some(None) => return Some(INVALID_HOST),
        host => host.flatten(),
    };
    match (host, authority) {
        (None, None) if version > Version::HTTP_10 => Some(MISSING_HOST),
        (None, Some(_)) if version == Version::HTTP_11 => Some(MISSING_HOST),
        (_, Some(authority)) if split_host(authority).is_none() => Some(INVALID_HOST),
        (Some(host), Some(authority)) if version == Version::HTTP_2 => {
            let default_port = if request.uri().scheme() == Some(&Scheme::HTTPS) { 443 } else { 80 };
            (!is_same(host, split_host(authority)?, default_port)).then_some(TWO_HOSTS)
        }
        _ => None,
    }
}

/// Middleware that answers 400 to a request with a fault in its host.
pub(super) async fn check_host(request: Request, next: Next) -> Response {
    match host_fault(&request) {
        Some(fault) => reply::error(StatusCode::BAD_REQUEST, fault),
        None => next.run(request).await,
    }
}

/// Splits a host into name and port; `None` if it is invalid.
fn split_host(host: &str) -> Option<(&str, Option<u16>)> {
    let name_length =
        if host.starts_with('[') { host.find(']')? + 1 } else { host.find(':').unwrap_or(host.len()) };
    let (name, port) = host.split_at_checked(name_length)?;
    let is_name = match name.strip_prefix('[') {
        Some(address) => address.strip_suffix(']')?.parse::<Ipv6Addr>().is_ok(),
        None => !name.is_empty() && name.bytes().all(is_name_byte),
    };
    let is_number = |digits: &&str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let port = match port {
        "" | ":" => None,
        port => Some(port.strip_prefix(':').filter(is_number)?.parse().ok()?),
    };
    is_name.then_some((name, port))
}

/// Returns true for the bytes that a registered name may have (RFC 3986, 3.2.2).
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=".contains(&byte)
}

/// Returns true if two hosts are equal; a host without a port has the default port.
fn is_same(one: (&str, Option<u16>), other: (&str, Option<u16>), default_port: u16) -> bool {
    one.0.eq_ignore_ascii_case(other.0) && one.1.unwrap_or(default_port) == other.1.unwrap_or(default_port)
}

/// Returns true if a host is this machine itself, on any port.
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
        assert_eq!(requested_host(&headers, &Uri::from_static("/login")), None);
        assert_eq!(requested_host(&headers, &whole), Some("a.example:8443"));
        headers.insert(header::HOST, HeaderValue::from_static("b.example"));
        assert_eq!(requested_host(&headers, &Uri::from_static("/login")), Some("b.example"));
        assert_eq!(requested_host(&headers, &whole), Some("a.example:8443"));
    }

    fn refusal(version: Version, uri: &'static str, hosts: &[&str]) -> Option<&'static str> {
        let mut request = Request::new(axum::body::Body::empty());
        *request.version_mut() = version;
        *request.uri_mut() = Uri::from_static(uri);
        for host in hosts {
            request.headers_mut().append(header::HOST, HeaderValue::from_str(host).unwrap());
        }
        host_fault(&request)
    }

    #[test]
    fn a_request_names_one_host() {
        use Version as V;
        for host in
            ["a.example", "A.example:8080", "a.example:", "192.0.2.1:80", "[::1]", "[2001:db8::1]:443", "a_b"]
        {
            assert_eq!(refusal(V::HTTP_11, "/", &[host]), None, "{host}");
        }
        for host in [
            "", " ", ":80", "a b", "a/b", "a:b", "a:80:90", "a:65536", "a:+80", "a@b", "http://a", "[::1",
            "[g]", "[::1]80", "[::1]8", "é",
        ] {
            assert_eq!(refusal(V::HTTP_11, "/", &[host]), Some(INVALID_HOST), "{host}");
            assert_eq!(refusal(V::HTTP_10, "/", &[host]), Some(INVALID_HOST), "{host}");
        }
        assert_eq!(refusal(V::HTTP_11, "/", &[]), Some(MISSING_HOST));
        assert_eq!(refusal(V::HTTP_11, "http://a.example/", &[]), Some(MISSING_HOST));
        assert_eq!(refusal(V::HTTP_11, "http://a.example/", &["b.example"]), None);
        assert_eq!(refusal(V::HTTP_10, "/", &[]), None);
        for version in [V::HTTP_10, V::HTTP_11, V::HTTP_2] {
            assert_eq!(refusal(version, "/", &["a.example", "a.example"]), Some(REPEATED_HOST));
        }
    }

    #[test]
    fn over_http2_the_header_may_only_repeat_the_authority() {
        let of = |uri: &'static str, hosts: &[&str]| refusal(Version::HTTP_2, uri, hosts);
        assert_eq!(of("https://a.example/", &[]), None);
        assert_eq!(of("/", &["a.example"]), None);
        for host in ["a.example", "A.EXAMPLE", "a.example:443", "a.example:"] {
            assert_eq!(of("https://a.example/", &[host]), None, "{host}");
        }
        for host in ["b.example", "a.example:80", "a.example.b"] {
            assert_eq!(of("https://a.example/", &[host]), Some(TWO_HOSTS), "{host}");
        }
        assert_eq!(of("http://a.example:80/", &["a.example"]), None);
        assert_eq!(of("/", &[]), Some(MISSING_HOST));
        assert_eq!(of("https://user@a.example/", &[]), Some(USER));
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
