//! The session cookie: its name, and how it is set, read and removed.
//!
//! The name begins with `__Host-`: browsers accept such a cookie only over an encrypted connection, from this host alone and for all of its
//! paths, so no other host, not even of the same domain, can set it. On a loopback address without TLS, where some browsers refuse such a
//! cookie, it has a plain name; elsewhere the plain name is never read.

use axum::http::HeaderMap;
use axum::http::header::HeaderValue;

use super::cookies;
use parquote_access::LONGEST_S;

/// Transport requirements of the session cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SessionCookie {
    /// Encrypted connections only.
    #[default]
    Secure,
    /// Connections without encryption too, on an address that only this machine reaches.
    Loopback,
}

impl SessionCookie {
    const fn name(self) -> &'static str {
        match self {
            Self::Secure => "__Host-parquote",
            Self::Loopback => "parquote",
        }
    }

    const fn attributes(self) -> &'static str {
        match self {
            Self::Secure => "Path=/; Secure; HttpOnly; SameSite=Lax",
            Self::Loopback => "Path=/; HttpOnly; SameSite=Lax",
        }
    }

    /// Returns the value of the cookie in a request; `None` if there is none, or if there are several that differ.
    pub(super) fn read(self, headers: &HeaderMap) -> Option<&str> {
        let mut values = cookies::values(headers, self.name());
        let first = values.next()?;
        values.all(|other| other == first).then_some(first)
    }

    /// Returns the `Set-Cookie` line that sets the cookie to a token.
    pub(super) fn set(self, token: &str) -> Option<HeaderValue> {
        let line = format!("{}={token}; Max-Age={LONGEST_S}; {}", self.name(), self.attributes());
        HeaderValue::try_from(line).ok()
    }

    /// Returns the `Set-Cookie` line that removes the cookie.
    pub(super) fn removal_header(self) -> Option<HeaderValue> {
        HeaderValue::try_from(format!("{}=; Max-Age=0; {}", self.name(), self.attributes())).ok()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header::COOKIE;

    use super::*;

    fn read(cookie: SessionCookie, lines: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(COOKIE, HeaderValue::from_str(line).unwrap());
        }
        cookie.read(&headers).map(str::to_owned)
    }

    #[test]
    fn each_way_reads_its_own_name_alone() {
        let lines = ["a=1; __Host-parquote=x; parquote=y", "b"];
        assert_eq!(read(SessionCookie::Secure, &lines).as_deref(), Some("x"));
        assert_eq!(read(SessionCookie::Loopback, &lines).as_deref(), Some("y"));
        assert_eq!(
            read(SessionCookie::Secure, &["parquote=y", "__host-parquote=z", "x__Host-parquote=z"]),
            None
        );
    }

    #[test]
    fn a_cookie_of_other_bytes_hides_no_other() {
        let line = HeaderValue::from_bytes(b"place=caf\xc3\xa9; __Host-parquote=x; name=\xff").unwrap();
        let headers = HeaderMap::from_iter([(COOKIE, line)]);
        assert_eq!(SessionCookie::Secure.read(&headers), Some("x"));
    }

    #[test]
    fn cookies_that_differ_are_none() {
        assert_eq!(read(SessionCookie::Secure, &["__Host-parquote=x", "__Host-parquote=z"]), None);
        assert_eq!(
            read(SessionCookie::Secure, &["__Host-parquote=x; __Host-parquote=x"]).as_deref(),
            Some("x")
        );
    }

    #[test]
    fn the_marks_are_those_that_browsers_ask_for() {
        let line = SessionCookie::Secure.set("t").unwrap();
        assert_eq!(line, "__Host-parquote=t; Max-Age=604800; Path=/; Secure; HttpOnly; SameSite=Lax");
        let line = SessionCookie::Loopback.removal_header().unwrap();
        assert_eq!(line, "parquote=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax");
    }
}
