//! Settings of the MCP endpoint. Nothing here reads the environment.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;

use super::prompts::Prompts;

/// Names by which this machine addresses itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// Wildcard for every host or origin.
const ANY: &str = "*";

/// Settings of the MCP endpoint.
#[derive(Debug, Clone)]
pub struct McpSettings {
    /// Timeout of reading the body of a request.
    pub body_time: Duration,
    /// Longest message, in bytes.
    pub body_bytes: usize,
    /// Longest answer of a tool, in bytes of its JSON; further rows are left for the next call.
    pub answer_bytes: usize,
    /// Allowed host names, `*` for any; loopback names are always allowed.
    pub hosts: Vec<String>,
    /// Allowed origins of web pages, such as `https://app.example.com`, `*` for any; pages of the hosts are always allowed.
    pub origins: Vec<String>,
    /// Public address of this server, such as `https://market.example.com`: charts link to its explorer. `None` omits the links.
    pub public_url: Option<String>,
    /// The prompts, from which they may be reloaded; the default is the prompts of the catalogue.
    pub prompts: Option<Arc<ArcSwap<Prompts>>>,
}

impl Default for McpSettings {
    fn default() -> Self {
        Self {
            body_time: Duration::from_secs(30),
            body_bytes: 256 * 1024,
            answer_bytes: 40_000,
            hosts: Vec::new(),
            origins: Vec::new(),
            public_url: None,
            prompts: None,
        }
    }
}

impl McpSettings {
    /// Returns the allowed hosts; empty means any.
    ///
    /// This defends against DNS rebinding: a web page can point its domain at this machine, but the browser then sends that domain as
    /// `Host`, which is not allowed.
    pub(super) fn allowed_hosts(&self) -> Vec<String> {
        if self.hosts.iter().any(|host| host == ANY) {
            return Vec::new();
        }
        LOOPBACK.iter().map(|host| (*host).to_owned()).chain(self.hosts.iter().cloned()).collect()
    }

    /// Returns the allowed origins; `None` means any.
    pub fn allowed_origins(&self) -> Option<Vec<String>> {
        if self.origins.iter().any(|origin| origin == ANY) {
            return None;
        }
        let hosts = self.hosts.iter().map(String::as_str).filter(|host| *host != ANY);
        let pages = LOOPBACK.into_iter().chain(hosts).flat_map(pages_of);
        Some(pages.chain(self.origins.iter().map(|origin| any_port(origin))).collect())
    }
}

/// Returns the origins of a host's pages; for a host without a port, on any port.
fn pages_of(host: &str) -> impl Iterator<Item = String> {
    ["http", "https"].into_iter().map(move |scheme| any_port(&format!("{scheme}://{host}")))
}

/// Returns the origin with `:*` appended if its host has no port.
fn any_port(origin: &str) -> String {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
    if has_port || origin == "null" { origin.to_owned() } else { format!("{origin}:*") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_itself_is_always_answered() {
        let settings =
            McpSettings { hosts: vec!["api.example.com:8443".to_owned()], ..McpSettings::default() };
        assert_eq!(settings.allowed_hosts(), ["localhost", "127.0.0.1", "[::1]", "api.example.com:8443"]);
        let origins = settings.allowed_origins().unwrap();
        for origin in ["http://localhost:*", "http://[::1]:*", "https://api.example.com:8443"] {
            assert!(origins.iter().any(|known| known == origin), "{origin} is not in {origins:?}");
        }
    }

    #[test]
    fn a_star_opens_one_of_the_two() {
        let settings = McpSettings { hosts: vec!["*".to_owned()], ..McpSettings::default() };
        assert!(settings.allowed_hosts().is_empty());
        assert_eq!(settings.allowed_origins().unwrap().len(), 6);
        let settings = McpSettings { origins: vec!["*".to_owned()], ..McpSettings::default() };
        assert_eq!(settings.allowed_origins(), None);
        assert_eq!(any_port("https://a.b"), "https://a.b:*");
    }
}
