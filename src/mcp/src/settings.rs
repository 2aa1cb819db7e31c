//! Settings with which the MCP endpoint is built. Nothing here reads the environment.

use std::time::Duration;

/// The names by which a machine calls itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// What stands for every host or origin.
const ANY: &str = "*";

/// Settings of the MCP endpoint.
#[derive(Debug, Clone)]
pub struct McpSettings {
    /// How long a message may take to come.
    pub body_time: Duration,
    /// The longest message that is taken, in bytes.
    pub body_bytes: usize,
    /// The longest answer of a tool, in bytes of its JSON; rows beyond it are left for the next call.
    pub answer_bytes: usize,
    /// Host names under which the endpoint may be asked, `*` for any; the machine's own names always count.
    pub hosts: Vec<String>,
    /// Origins of web pages that may ask, such as `https://app.example.com`, `*` for any; pages of the hosts always may.
    pub origins: Vec<String>,
    /// The address under which people reach this server, such as `https://market.example.com`: charts link to its explorer. None gives no
    /// links.
    pub public_url: Option<String>,
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
        }
    }
}

impl McpSettings {
    /// The hosts that are answered to; none means any.
    ///
    /// A page on the web can make a name of its own point at this machine and have a browser ask it; the browser then says
    /// that name, which is not among these.
    pub(super) fn allowed_hosts(&self) -> Vec<String> {
        if self.hosts.iter().any(|host| host == ANY) {
            return Vec::new();
        }
        LOOPBACK.iter().map(|host| (*host).to_owned()).chain(self.hosts.iter().cloned()).collect()
    }

    /// The origins that are answered to; `None` means any.
    pub fn allowed_origins(&self) -> Option<Vec<String>> {
        if self.origins.iter().any(|origin| origin == ANY) {
            return None;
        }
        let named = self.hosts.iter().map(String::as_str).filter(|host| *host != ANY);
        let pages = LOOPBACK.into_iter().chain(named).flat_map(pages_of);
        Some(pages.chain(self.origins.iter().map(|origin| any_port(origin))).collect())
    }
}

/// The origins of a host's own pages; a host without a port has them on any.
fn pages_of(host: &str) -> impl Iterator<Item = String> {
    ["http", "https"].into_iter().map(move |scheme| any_port(&format!("{scheme}://{host}")))
}

/// The origin with `:*` behind a host that has no port.
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
