//! HTTP Strict Transport Security (RFC 6797): browsers that used HTTPS once use only HTTPS from then on, so that no one on the path can
//! downgrade a connection.

use axum::http::{HeaderMap, HeaderValue, header};

use super::host;

/// One year, counted again from every reply. Subdomains are not included.
const YEAR: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Host names for which HSTS is sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StrictTransport {
    /// The header is not sent, because replies are not encrypted.
    #[default]
    Off,
    /// Every name: this server encrypts every connection.
    EveryName,
    /// This host, with its port if it has one: a proxy encrypts its connections. Under other names replies are plain.
    Host(String),
}

impl StrictTransport {
    /// Sets the header in a reply to a request that named a host.
    ///
    /// Loopback names are left out even if they are encrypted: the browser would use HTTPS for every other server of the machine, on any
    /// port.
    pub(super) fn set_header(&self, host: Option<&str>, headers: &mut HeaderMap) {
        let Some(host) = host.filter(|host| !host::is_loopback(host)) else { return };
        if self.is_encrypted(host) {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, YEAR);
        }
    }

    /// Returns the origin of this server under a host name, such as `https://api.example.com`.
    pub(super) fn origin(&self, host: &str) -> String {
        let scheme = if self.is_encrypted(host) { "https" } else { "http" };
        format!("{scheme}://{host}")
    }

    fn is_encrypted(&self, host: &str) -> bool {
        match self {
            Self::Off => false,
            Self::EveryName => true,
            Self::Host(name) => host.eq_ignore_ascii_case(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_header(setting: &StrictTransport, host: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        setting.set_header(host, &mut headers);
        headers.get(header::STRICT_TRANSPORT_SECURITY).is_some_and(|line| line == YEAR)
    }

    #[test]
    fn the_header_is_sent_where_replies_are_encrypted() {
        let public = StrictTransport::Host("quotes.example".to_owned());
        for (setting, host, expected) in [
            (&StrictTransport::Off, Some("quotes.example"), false),
            (&StrictTransport::EveryName, Some("quotes.example:8443"), true),
            (&StrictTransport::EveryName, Some("localhost:8443"), false),
            (&StrictTransport::EveryName, None, false),
            (&public, Some("Quotes.Example"), true),
            (&public, Some("10.0.0.1:8080"), false),
            (&public, Some("127.0.0.1:8080"), false),
            (&public, None, false),
        ] {
            assert_eq!(has_header(setting, host), expected, "{setting:?} {host:?}");
        }
    }
}
