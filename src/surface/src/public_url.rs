//! The public address of a server.

use std::str::FromStr;

/// The public address of this server: a scheme, a host, and a port if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// Returns the address without a trailing slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address of a path, which begins with a slash.
    pub fn url_of(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    /// Returns true if connections to it are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.0.starts_with("https:")
    }

    /// Returns the host, with its port if it has one.
    pub fn host(&self) -> &str {
        self.0.split_once("://").map_or("", |(_, host)| host)
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    /// Parses `https://host`; `http` is allowed for loopback hosts only, for trying out.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("`{text}` is not an address such as https://api.example.com, without a path");
        let url = url::Url::parse(text).map_err(|_| wrong())?;
        let is_loopback = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        let is_safe = url.scheme() == "https" || url.scheme() == "http" && is_loopback;
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let is_anonymous = url.username().is_empty() && url.password().is_none();
        if is_safe && is_bare && is_anonymous {
            return Ok(Self(url.origin().ascii_serialization()));
        }
        Err(wrong())
    }
}
