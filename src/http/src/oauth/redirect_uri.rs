//! Redirect URIs, to which codes are sent: over HTTPS, or to the machine that the browser runs on.

use url::{Host, Url};

/// Longest redirect URI, in bytes.
const LONGEST_ADDRESS: usize = 400;

/// Returns true if an app may use this redirect URI.
pub(super) fn is_allowed(text: &str) -> bool {
    parse(text).is_some()
}

/// Returns true if `requested` matches the `registered` redirect URI: both are the same text, or differ in the port of a loopback address,
/// which apps choose when they start (RFC 8252, section 7.3).
pub(super) fn is_same(registered: &str, requested: &str) -> bool {
    if registered == requested {
        return is_allowed(requested);
    }
    let (Some(mut registered), Some(mut requested)) = (parse(registered), parse(requested)) else {
        return false;
    };
    let without_port =
        |url: &mut Url| is_loopback(url) && url.scheme() == "http" && url.set_port(None).is_ok();
    without_port(&mut registered) && without_port(&mut requested) && registered == requested
}

/// Returns the host of a redirect URI, for display; empty if it is not allowed.
pub(super) fn host_of(text: &str) -> String {
    parse(text).and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

/// Returns a redirect URI with the parameters added to its query; `None` if it is not allowed.
pub(super) fn with_query(text: &str, pairs: &[(&str, &str)]) -> Option<Url> {
    let mut url = parse(text)?;
    url.query_pairs_mut().extend_pairs(pairs);
    Some(url)
}

fn parse(text: &str) -> Option<Url> {
    let is_plain =
        text.len() <= LONGEST_ADDRESS && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let url = Url::parse(text).ok().filter(|_| is_plain)?;
    let is_bare = url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
    let is_safe = match url.scheme() {
        "https" => url.host_str().is_some_and(|host| !host.is_empty()),
        "http" => is_loopback(&url),
        _ => false,
    };
    (is_bare && is_safe).then_some(url)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_go_over_https_or_stay_on_the_machine() {
        for right in [
            "https://claude.ai/api/mcp/auth_callback",
            "https://app.example:8443/cb?x=1",
            "http://127.0.0.1:6274/oauth/callback",
            "http://localhost/callback",
            "http://[::1]:80/cb",
        ] {
            assert!(is_allowed(right), "{right}");
        }
        for wrong in [
            "",
            "/callback",
            "http://app.example/cb",
            "http://127.0.0.1.evil.example/cb",
            "http://localhost.evil.example/cb",
            "https://app.example/cb#x",
            "https://user@app.example/cb",
            "javascript:alert(1)",
            "data:text/html,x",
            "cursor://callback",
            "https://app.example\\@evil.example/",
            "https://app.example/\r\nx",
        ] {
            assert!(!is_allowed(wrong), "{wrong}");
        }
    }

    #[test]
    fn addresses_are_the_same_to_the_letter_but_for_a_loopback_port() {
        assert!(is_same("https://a.example/cb", "https://a.example/cb"));
        assert!(is_same("http://127.0.0.1/cb", "http://127.0.0.1:50123/cb"));
        assert!(is_same("http://localhost:1/cb", "http://localhost:2/cb"));
        for (registered, requested) in [
            ("https://a.example/cb", "https://a.example/cb/"),
            ("https://a.example/cb", "https://a.example/cb?x=1"),
            ("https://a.example/cb", "https://a.example:8443/cb"),
            ("https://a.example/cb", "https://a.example.evil.example/cb"),
            ("https://a.example/cb", "https://a.example/cb/../evil"),
            ("https://a.example/cb", "https://A.example/cb"),
            ("http://127.0.0.1/cb", "http://localhost/cb"),
            ("http://127.0.0.1/cb", "http://127.0.0.1:1/other"),
            ("http://127.0.0.1/cb", "https://127.0.0.1/cb"),
            ("javascript:alert(1)", "javascript:alert(1)"),
        ] {
            assert!(!is_same(registered, requested), "{registered} {requested}");
        }
    }

    #[test]
    fn the_outcome_is_added_to_the_query() {
        let url = with_query("https://a.example/cb?x=1", &[("code", "a&b"), ("state", "\"<é")]).unwrap();
        assert_eq!(url.as_str(), "https://a.example/cb?x=1&code=a%26b&state=%22%3C%C3%A9");
    }
}
