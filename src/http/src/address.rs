//! The address of a caller: the other end of the connection or, behind a trusted proxy, the address that the proxy names.

use std::net::IpAddr;

use axum::http::header::FORWARDED;
use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;

use super::header_list;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Returns the address of the caller: the last hop that is not a trusted proxy. Earlier hops were written by the caller and are ignored.
pub(super) fn caller(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let mut nearest = peer;
    if !is_trusted(peer, trusted) {
        return nearest;
    }
    for hop in forwarded_hops(headers).iter().rev() {
        let Some(hop) = parse_address(hop) else { return nearest };
        nearest = hop;
        if !is_trusted(hop, trusted) {
            return nearest;
        }
    }
    nearest
}

/// Returns true if an address is that of a trusted proxy.
pub(super) fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    let address = address.to_canonical();
    trusted.iter().any(|network| network.contains(&address))
}

/// Returns the hops, the caller's first and the nearest proxy's last. If both headers are present, `X-Forwarded-For` counts, as more
/// proxies write it.
fn forwarded_hops(headers: &HeaderMap) -> Vec<&str> {
    if headers.contains_key(X_FORWARDED_FOR) {
        return header_list::items(headers, X_FORWARDED_FOR, b',').collect();
    }
    header_list::items(headers, FORWARDED, b',').map(forwarded_node).collect()
}

/// Returns the node of `for=` in one element of `Forwarded` (RFC 7239); empty if there is none.
fn forwarded_node(element: &str) -> &str {
    let pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let mut nodes = pairs.filter(|(name, _)| name.trim().eq_ignore_ascii_case("for"));
    nodes.next().map_or("", |(_, node)| node)
}

/// Parses an address as proxies write it: bare, in quotes, with a port, in brackets.
fn parse_address(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    let bare = match text.strip_prefix('[') {
        Some(rest) => rest.split(']').next()?,
        None if text.matches(':').count() == 1 => text.split(':').next()?,
        None => text,
    };
    bare.parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn caller_address(peer: &str, lines: &[(HeaderName, &'static str)]) -> String {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name, HeaderValue::from_static(value));
        }
        let trusted = ["10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32"].map(|text| text.parse().unwrap());
        caller(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn the_last_hop_that_is_not_trusted_is_the_caller() {
        let hops = "198.51.100.9, 203.0.113.5, 10.0.0.2";
        assert_eq!(caller_address("10.0.0.1", &[(X_FORWARDED_FOR, hops)]), "203.0.113.5");
        assert_eq!(
            caller_address("::ffff:10.0.0.1", &[(X_FORWARDED_FOR, "203.0.113.5:4711")]),
            "203.0.113.5"
        );
        let two = [(X_FORWARDED_FOR, "198.51.100.9"), (X_FORWARDED_FOR, "203.0.113.6")];
        assert_eq!(caller_address("192.0.2.7", &two), "203.0.113.6");
        let forwarded = "for=198.51.100.9;proto=https, For=\"[2001:470::1]:80\";by=10.0.0.1";
        assert_eq!(caller_address("2001:db8::1", &[(FORWARDED, forwarded)]), "2001:470::1");
    }

    #[test]
    fn a_hop_of_other_bytes_hides_no_later_one() {
        let line = HeaderValue::from_bytes(b"\xff, 203.0.113.5").unwrap();
        let headers = HeaderMap::from_iter([(X_FORWARDED_FOR, line)]);
        let found = caller("10.0.0.1".parse().unwrap(), &headers, &["10.0.0.0/8".parse().unwrap()]);
        assert_eq!(found.to_string(), "203.0.113.5");
    }

    #[test]
    fn who_is_not_trusted_and_what_is_no_address_says_nothing() {
        assert_eq!(caller_address("203.0.113.1", &[(X_FORWARDED_FOR, "198.51.100.9")]), "203.0.113.1");
        assert_eq!(caller_address("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(caller_address("10.0.0.1", &[(X_FORWARDED_FOR, "198.51.100.9, unknown")]), "10.0.0.1");
        assert_eq!(
            caller_address("10.0.0.1", &[(X_FORWARDED_FOR, "198.51.100.9, _x, 10.0.0.3")]),
            "10.0.0.3"
        );
        assert_eq!(caller_address("10.0.0.1", &[(X_FORWARDED_FOR, "10.0.0.9, 10.0.0.8")]), "10.0.0.9");
    }
}
