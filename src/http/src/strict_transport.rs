//! Browsers that came over HTTPS once come over HTTPS alone from then on (RFC 6797), so that nobody on the way can turn a connection into
//! one without encryption.

use axum::http::{HeaderMap, HeaderValue, header};

use super::host;

/// A year, which browsers count again from every reply. Other hosts below the name are left to their owners.
const YEAR: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Under which names browsers are told to come over HTTPS alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StrictTransport {
    /// Under none: replies are not encrypted.
    #[default]
    Off,
    /// Under every name: this server encrypts every connection.
    EveryName,
    /// Under this host, with its port if it has one: a proxy encrypts what is sent to it. Under other names replies are plain.
    Host(String),
}

impl StrictTransport {
    /// Tells it in a reply to a request that named a host.
    ///
    /// A machine's own names are left out even if they are encrypted: the browser would ask every other server of the machine, on
    /// whatever port, over HTTPS.
    pub(super) fn mark(&self, host: Option<&str>, headers: &mut HeaderMap) {
        let Some(host) = host.filter(|host| !host::is_loopback(host)) else { return };
        let is_encrypted = match self {
            Self::Off => false,
            Self::EveryName => true,
            Self::Host(name) => host.eq_ignore_ascii_case(name),
        };
        if is_encrypted {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, YEAR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_told(setting: &StrictTransport, host: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        setting.mark(host, &mut headers);
        headers.get(header::STRICT_TRANSPORT_SECURITY).is_some_and(|line| line == YEAR)
    }

    #[test]
    fn it_is_told_where_replies_are_encrypted() {
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
            assert_eq!(is_told(setting, host), expected, "{setting:?} {host:?}");
        }
    }
}
