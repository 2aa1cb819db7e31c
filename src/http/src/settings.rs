//! Settings with which the HTTP server is built. Nothing here reads the environment.

use std::fmt;
use std::sync::Arc;

use ipnet::IpNet;

use super::log::RequestLog;
use super::metrics::Metrics;
use super::oauth::AppSettings;
use super::session_cookie::SessionCookie;
use super::strict_transport::StrictTransport;
use parquote_access::Administration;
pub use parquote_access::Clock;
use parquote_access::unix_seconds;

/// Settings of the HTTP server.
#[derive(Clone)]
pub struct HttpSettings {
    /// The time of `meta.timestamp`.
    pub clock: Clock,
    /// Requests under way at once; one more is a 503.
    pub under_way: usize,
    /// Requests of one caller under way at once: of a key, or of an address without one; one more is a 429.
    pub under_way_per_caller: usize,
    /// Requests a second of one caller that cost nothing of an allowance; twenty seconds' worth may come at once.
    pub free_a_second: u32,
    /// Bytes of replies to one caller that were not handed over yet; one more reply is a 429.
    pub reply_bytes_per_caller: usize,
    /// Bytes of replies to all callers that were not handed over yet; one more reply is a 503.
    pub reply_bytes: usize,
    /// Pages an hour of guests from one address, within the allowance that all guests share; one more is a 429. The machine itself has
    /// no such bound.
    pub guest_pages: u32,
    /// Proxies that are believed whom they ask for.
    pub trusted_proxies: Arc<[IpNet]>,
    /// The longest path with its query string, in bytes; a longer one is a 414.
    pub url_bytes: usize,
    /// The most bytes of all headers together; more are a 431.
    pub header_bytes: usize,
    /// The longest body that is taken from a caller, though no operation reads one; a longer one is a 413.
    pub body_bytes: u64,
    /// Where requests are logged; without a thread of its own, in that of the request.
    pub log: RequestLog,
    /// What operators watch.
    pub metrics: Arc<Metrics>,
    /// Keys and sessions as their owners manage them; without it there is no portal.
    pub administration: Option<Arc<Administration>>,
    /// How the cookie of a session is sent.
    pub cookie: SessionCookie,
    /// Under which names browsers are told to come over HTTPS alone.
    pub strict_transport: StrictTransport,
    /// Under which address apps are let in by OAuth; without it they are not.
    pub apps: Option<AppSettings>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        const KIB: usize = 1024;
        Self {
            clock: Arc::new(unix_seconds),
            under_way: 1_024,
            under_way_per_caller: 256,
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
            administration: None,
            cookie: SessionCookie::default(),
            strict_transport: StrictTransport::default(),
            apps: None,
        }
    }
}

impl fmt::Debug for HttpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSettings")
            .field("under_way", &self.under_way)
            .field("under_way_per_caller", &self.under_way_per_caller)
            .field("free_a_second", &self.free_a_second)
            .field("reply_bytes_per_caller", &self.reply_bytes_per_caller)
            .field("reply_bytes", &self.reply_bytes)
            .field("guest_pages", &self.guest_pages)
            .field("trusted_proxies", &self.trusted_proxies)
            .field("url_bytes", &self.url_bytes)
            .field("header_bytes", &self.header_bytes)
            .field("body_bytes", &self.body_bytes)
            .finish_non_exhaustive()
    }
}
