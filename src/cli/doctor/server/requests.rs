//! Requests to the examined server, its replies, and the meaning of a reply that a client cannot use. No redirect is followed.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Client, Method};
use serde_json::Value as Json;
use tokio::time::timeout;
use url::{Host, Url};

use super::Diagnosis;
use crate::causes::with_causes;

/// The server, as a client reaches it.
pub(super) struct ExaminedServer {
    client: Client,
    /// Its address without a path.
    base: Url,
    /// The key of the user, if any.
    pub(super) key: Option<String>,
    timeout: Duration,
}

/// A reply, read to its end.
pub(super) struct ProbeReply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    body: Vec<u8>,
}

/// A request that failed for a client, with the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) finding: String,
    pub(super) remedy: String,
}

impl Trouble {
    pub(super) fn new(finding: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { finding: finding.into(), remedy: remedy.into() }
    }

    pub(super) fn fault(self, subject: impl Into<String>) -> Diagnosis {
        Diagnosis::fault(subject, self.finding, self.remedy)
    }

    pub(super) fn warning(self, subject: impl Into<String>) -> Diagnosis {
        Diagnosis::warning(subject, self.finding, self.remedy)
    }
}

impl ExaminedServer {
    pub(super) fn new(url: &Url, key: Option<String>, timeout: Duration) -> reqwest::Result<Self> {
        let mut base = url.clone();
        base.set_path("/");
        base.set_query(None);
        base.set_fragment(None);
        let builder = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("parquote-doctor/", env!("CARGO_PKG_VERSION")));
        let builder = if is_loopback(&base) { builder.no_proxy() } else { builder };
        Ok(Self { client: builder.build()?, base, key, timeout })
    }

    /// Returns its address, without a slash at the end.
    pub(super) fn address(&self) -> String {
        self.base.origin().ascii_serialization()
    }

    /// Returns the URL of a path, which begins with a slash.
    pub(super) fn url_of(&self, path: &str) -> Url {
        self.base.join(path).unwrap_or_else(|_| self.base.clone())
    }

    /// Returns true if only this machine reaches the address.
    pub(super) fn is_local(&self) -> bool {
        is_loopback(&self.base)
    }

    /// Returns true if connections to it are encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// Returns true if hosted chat apps reach the address: they connect to port 443 only.
    pub(super) fn is_on_the_web(&self) -> bool {
        self.is_encrypted() && !self.is_local() && self.base.port_or_known_default() == Some(443)
    }

    /// Sends a GET.
    pub(super) async fn get(&self, url: Url, headers: &[(&str, &str)]) -> Result<ProbeReply, Trouble> {
        self.send(Method::GET, url, headers, String::new()).await
    }

    /// Sends a request and reads its reply, each within the time limit.
    pub(super) async fn send(
        &self,
        method: Method,
        url: Url,
        headers: &[(&str, &str)],
        body: String,
    ) -> Result<ProbeReply, Trouble> {
        let mut request = self.client.request(method, url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !body.is_empty() {
            request = request.body(body);
        }
        // The URL may contain the key.
        let failed = |error: reqwest::Error| failure(&error.without_url());
        let reply =
            timeout(self.timeout, request.send()).await.map_err(|_| self.no_reply())?.map_err(failed)?;
        let (status, headers) = (reply.status().as_u16(), reply.headers().clone());
        let body = timeout(self.timeout, reply.bytes()).await.map_err(|_| self.unfinished_reply())?;
        Ok(ProbeReply { status, headers, body: body.map_err(failed)?.to_vec() })
    }

    fn no_reply(&self) -> Trouble {
        Trouble::new(
            format!("{} does not reply within {} ms", self.address(), self.timeout.as_millis()),
            "check host and port, the firewall, and that the proxy passes requests to a server that runs",
        )
    }

    fn unfinished_reply(&self) -> Trouble {
        Trouble::new(
            format!(
                "a reply began and did not end within {} ms: a proxy holds it back",
                self.timeout.as_millis()
            ),
            "turn buffering off in the proxy: nginx `proxy_buffering off;`, Caddy `flush_interval -1`",
        )
    }

    /// Describes a reply that a client cannot use; `None` for a success.
    pub(super) fn trouble(&self, path: &str, reply: &ProbeReply) -> Option<Trouble> {
        match reply.status {
            300..400 => Some(self.redirect(path, reply)),
            200..300 | 500..600 if reply.is_html() => Some(Trouble::new(
                format!("{path} is answered with a page of HTML ({})", reply.status),
                format!(
                    "let the proxy pass {path} to a Parquote that runs, without a sign-in page of its own"
                ),
            )),
            200..300 => None,
            _ => Some(self.refusal(path, reply)),
        }
    }

    /// Describes a reply with an error.
    fn refusal(&self, path: &str, reply: &ProbeReply) -> Trouble {
        let (status, message, address) = (reply.status, reply.message(), self.address());
        let (finding, remedy) = match status {
            401 => (
                format!("the key is refused: {message}"),
                "use a key that `parquote keys list` shows as valid".to_owned(),
            ),
            403 if message.is_empty() => (
                format!("a proxy or firewall refuses {path} (403)"),
                format!("let it pass POST {path} with the header Authorization"),
            ),
            403 => (
                format!("{path} is refused (403): {message}"),
                format!("start the server with --public-url {address}, or --mcp-hosts and --mcp-origins"),
            ),
            404 => (
                format!("there is nothing at {path} (404)"),
                format!("use {address}/mcp/chat, and let the proxy pass the path unchanged"),
            ),
            405 => (format!("{path} refuses the method (405)"), format!("let the proxy pass POST to {path}")),
            406 | 415 => (
                format!("a proxy changes Accept or Content-Type ({status})"),
                "let the proxy pass headers unchanged".to_owned(),
            ),
            429 => (
                format!("too many requests: {message}"),
                "wait, or issue a key with a larger quota: parquote keys issue --day N --hour N".to_owned(),
            ),
            500..600 if message.is_empty() => (
                format!("the proxy does not reach the server ({status})"),
                "start the server, and name the address of its --listen in the proxy".to_owned(),
            ),
            _ => (format!("{path} fails ({status}): {message}"), "read the log of the server".to_owned()),
        };
        Trouble { finding, remedy }
    }

    fn redirect(&self, path: &str, reply: &ProbeReply) -> Trouble {
        let to = reply.header(LOCATION.as_str());
        // The report must not repeat a key in the query or before the host.
        let target = self.url_of(path).join(to).ok().map(|mut target| {
            target.set_query(None);
            let _ = target.set_username("").and_then(|()| target.set_password(None));
            target
        });
        let to = target.as_ref().map_or("no address", Url::as_str);
        let finding =
            format!("{path} redirects to {to}; clients do not send a POST or a key after a redirect");
        let remedy = match target {
            Some(target) if target.scheme() == "http" && self.is_encrypted() => {
                "let the proxy send X-Forwarded-Proto, and pass the path unchanged".to_owned()
            }
            Some(target) => format!("use {target}"),
            None => "let the proxy pass the path unchanged".to_owned(),
        };
        Trouble::new(finding, remedy)
    }
}

impl ProbeReply {
    /// Returns a header as text, empty if it is missing.
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Parses the body as JSON; of a stream of events, the last event with JSON.
    pub(super) fn json(&self) -> Option<Json> {
        let text = std::str::from_utf8(&self.body).ok()?;
        let read = |text: &str| serde_json::from_str(text.trim()).ok();
        if self.header(CONTENT_TYPE.as_str()).starts_with("text/event-stream") {
            return text.lines().rev().filter_map(|line| line.strip_prefix("data:")).find_map(read);
        }
        read(text)
    }

    /// Returns true if the body is a page.
    pub(super) fn is_html(&self) -> bool {
        let start = self.body.iter().copied().find(|byte| !byte.is_ascii_whitespace());
        self.header(CONTENT_TYPE.as_str()).starts_with("text/html") || start == Some(b'<')
    }

    /// Returns true if there is no body.
    pub(super) fn is_empty(&self) -> bool {
        self.body.is_empty()
    }

    /// Returns the message of an error in JSON, empty if there is none.
    pub(super) fn message(&self) -> String {
        const PLACES: [&str; 4] = ["/message", "/error/message", "/error_description", "/error"];
        let json = self.json().unwrap_or_default();
        let found = PLACES.iter().find_map(|place| json.pointer(place).and_then(Json::as_str));
        found.unwrap_or_default().to_owned()
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Describes a failed connection.
fn failure(error: &reqwest::Error) -> Trouble {
    let text = with_causes(error);
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let remedy = if has(&["refused"]) {
        "start the server (`parquote serve`), or name the address of its --listen"
    } else if has(&["dns", "lookup", "resolve"]) {
        "check the host name"
    } else if has(&["invalidcontenttype", "corrupt message", "record overflow"]) {
        "this port does not encrypt: use http://, or turn on TLS with --tls-cert and --tls-key"
    } else if has(&["certificate", "unknownissuer", "notvalidforname"]) {
        "use a certificate for this host name with its chain, from an authority that clients know (--tls-cert)"
    } else {
        "check the address, the proxy and the network between"
    };
    Trouble::new(text, remedy)
}
