//! Settings of the HTTP server. Nothing here reads the environment.

use std::sync::Arc;

use arc_swap::ArcSwap;
use ipnet::IpNet;

use super::data_pages::SetsAndSources;
use super::log::RequestLog;
use super::metrics::Metrics;
use super::oauth::AppSettings;
use super::session_cookie::SessionCookie;
use super::strict_transport::StrictTransport;
use parquote_access::Administration;
pub use parquote_access::Clock;
use parquote_access::unix_seconds;
use parquote_explorer::pages::ExplorerPages;

/// Settings of the HTTP server.
#[derive(Clone)]
pub struct HttpSettings {
    /// Clock of `meta.timestamp`.
    pub clock: Clock,
    /// Concurrent requests; one more is a 503.
    pub concurrent_requests: usize,
    /// Concurrent requests of one caller: of an owner, or of an address without a key; one more is a 429.
    pub concurrent_requests_per_caller: usize,
    /// Free requests a second of one caller; twenty seconds' worth may come at once.
    pub free_a_second: u32,
    /// Unsent reply bytes of one caller; one more reply is a 429.
    pub reply_bytes_per_caller: usize,
    /// Unsent reply bytes of all callers; one more reply is a 503.
    pub reply_bytes: usize,
    /// Pages an hour of guests from one address, within the quota that all guests share; one more is a 429. Loopback addresses are exempt.
    pub guest_pages: u32,
    /// Trusted proxies, whose forwarding headers are believed.
    pub trusted_proxies: Arc<[IpNet]>,
    /// Longest path with its query string, in bytes; a longer one is a 414.
    pub url_bytes: usize,
    /// Most bytes of all headers together; more are a 431.
    pub header_bytes: usize,
    /// Longest accepted body, in bytes, though no operation reads one; a longer one is a 413.
    pub body_bytes: u64,
    /// Sink of the request log; by default it writes in the task of the request.
    pub log: RequestLog,
    /// Metrics for operators.
    pub metrics: Arc<Metrics>,
    /// The pages of the explorer, from which they may be reloaded; the default is the pages of the catalogue.
    pub pages: Option<Arc<ArcSwap<ExplorerPages>>>,
    /// Administration of keys and sessions by their owners; without it there is no portal.
    pub administration: Option<Arc<Administration>>,
    /// Sets and sources of the server, for admin keys in the portal; without them these pages are missing.
    pub data: Option<SetsAndSources>,
    /// Transport requirements of the session cookie.
    pub cookie: SessionCookie,
    /// Host names for which HSTS is sent.
    pub strict_transport: StrictTransport,
    /// Settings of OAuth for apps; without them OAuth is off.
    pub apps: Option<AppSettings>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        const KIB: usize = 1024;
        Self {
            clock: Arc::new(unix_seconds),
            concurrent_requests: 1_024,
            concurrent_requests_per_caller: 256,
            free_a_second: 100,
            reply_bytes_per_caller: 64 * KIB * KIB,
            reply_bytes: 512 * KIB * KIB,
            guest_pages: 100,
            trusted_proxies: Arc::default(),
            url_bytes: 8 * KIB,
            header_bytes: 16 * KIB,
            body_bytes: 64 * KIB as u64,
            log: Arc::new(|request| request.write()),
            metrics: Arc::default(),
            pages: None,
            administration: None,
            data: None,
            cookie: SessionCookie::default(),
            strict_transport: StrictTransport::default(),
            apps: None,
        }
    }
}
