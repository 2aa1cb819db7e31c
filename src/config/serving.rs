//! The settings of the server: addresses, TLS, limits and guests, with the parsers of their values.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use ipnet::IpNet;

use super::{FetchOptions, MIB, Models, Refresh, WithoutState};
use crate::engine::QueryLimits;
use crate::operation::Tier;
use crate::surface::public_url::PublicUrl;

/// Parses a network or a single address.
fn trusted_proxy(text: &str) -> Result<IpNet, String> {
    let single = || text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
    text.parse::<IpNet>().or_else(|_| single()).map_err(|_| {
        format!("`{text}` is neither an address nor a network such as 10.0.0.0/8 or 2001:db8::/32")
    })
}

/// Settings of the server.
#[derive(Debug, Clone, Args)]
pub struct Serving {
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", env = "PARQUOTE_LISTEN", default_value = "127.0.0.1:8080", value_parser = address)]
    pub listen: SocketAddr,
    /// An address for operators: /healthz, /readyz and /metrics, without keys.
    #[arg(long, value_name = "ADDRESS", env = "PARQUOTE_ADMIN", value_parser = address)]
    pub admin: Option<SocketAddr>,
    /// The certificate in PEM form, followed by its intermediate certificates; it turns on TLS.
    #[arg(long, value_name = "FILE", env = "PARQUOTE_TLS_CERT", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The private key (PEM) of the certificate.
    #[arg(long, value_name = "FILE", env = "PARQUOTE_TLS_KEY", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Host names under which /mcp may be called, in addition to the machine's own, such as api.example.com; * for any.
    #[arg(long, value_name = "HOST,...", env = "PARQUOTE_MCP_HOSTS", value_delimiter = ',')]
    pub mcp_hosts: Vec<String>,
    /// Origins of web pages whose scripts may call /mcp and read its answers (CORS), in addition to those of the hosts, such as
    /// `https://app.example.com`; * for any.
    #[arg(long, value_name = "ORIGIN,...", env = "PARQUOTE_MCP_ORIGINS", value_delimiter = ',')]
    pub mcp_origins: Vec<String>,
    /// The address under which everyone reaches this server, such as `https://api.example.com`. It lets chat apps in by OAuth; without
    /// it they need a key.
    #[arg(long, value_name = "URL", env = "PARQUOTE_PUBLIC_URL")]
    pub public_url: Option<PublicUrl>,
    /// Let people without a key read the explorer as guests, who change nothing: --guest for yes, --guest=false for no. Left out,
    /// they do where this machine alone is served the built-in demo market. All guests share 5,000 pages a day and 1,000 an hour,
    /// of which one address has 100.
    #[arg(long, env = "PARQUOTE_GUEST", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub guest: Option<bool>,
    /// The tier of guests. The default is free with --guest, and api_max if guests look at the demo market without --guest.
    #[arg(long, value_name = "TIER", env = "PARQUOTE_GUEST_TIER")]
    pub guest_tier: Option<Tier>,
    /// The most concurrent requests; one more is refused with a retry time.
    #[arg(long, value_name = "N", env = "PARQUOTE_UNDER_WAY", default_value_t = 1_024)]
    pub under_way: usize,
    /// The most concurrent requests of one key, or of one address without a key; one more is refused with a retry time.
    #[arg(long, value_name = "N", env = "PARQUOTE_UNDER_WAY_PER_CALLER", default_value_t = 256)]
    pub under_way_per_caller: usize,
    /// The most free requests a second of one key or address, such as documents, lists and unchanged answers; twenty times as many may
    /// come at once.
    #[arg(long, value_name = "N", env = "PARQUOTE_FREE_A_SECOND", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub free_a_second: u32,
    /// The timeout for receiving the body of a request to /mcp, in milliseconds.
    #[arg(long, value_name = "MS", env = "PARQUOTE_BODY_MS", default_value_t = 30_000)]
    pub body_ms: u64,
    /// The most open connections; a new one takes the place of the oldest idle one, or waits.
    #[arg(long, value_name = "N", env = "PARQUOTE_CONNECTIONS", default_value_t = 4_096)]
    pub connections: usize,
    /// The most open connections from one address (IPv6: from one /64); those of trusted proxies are not counted.
    #[arg(long, value_name = "N", env = "PARQUOTE_CONNECTIONS_PER_ADDRESS", default_value_t = 1_024)]
    pub connections_per_address: usize,
    /// The most concurrent requests on one HTTP/2 connection; the protocol makes the client wait with others.
    #[arg(long, value_name = "N", env = "PARQUOTE_STREAMS", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    pub streams: u32,
    /// The idle timeout of a connection without a request in progress, in milliseconds.
    #[arg(long, value_name = "MS", env = "PARQUOTE_IDLE_MS", default_value_t = 60_000)]
    pub idle_ms: u64,
    /// The timeout of a reply of which the caller takes nothing, in milliseconds.
    #[arg(long, value_name = "MS", env = "PARQUOTE_STALLED_MS", default_value_t = 20_000)]
    pub stalled_ms: u64,
    /// The milliseconds for which the server goes on serving after a signal to stop: /readyz says 503 and each reply closes its
    /// connection, so that a balancer sends callers elsewhere. A second signal ends it at once.
    #[arg(long, value_name = "MS", env = "PARQUOTE_DRAIN_MS", default_value_t = 0)]
    pub drain_ms: u64,
    /// Trusted proxies, as addresses or networks such as 10.0.0.0/8; behind them the caller's address is read from X-Forwarded-For or
    /// Forwarded.
    #[arg(long, value_name = "CIDR,...", env = "PARQUOTE_TRUSTED_PROXY", value_delimiter = ',', value_parser = trusted_proxy)]
    pub trusted_proxy: Vec<IpNet>,
    /// The most wrong keys from one address in a minute; valid keys are never delayed.
    #[arg(long, value_name = "N", env = "PARQUOTE_WRONG_KEYS", default_value_t = 600)]
    pub wrong_keys: u32,
    /// The handling of calls beyond the calls that this server has leased, while the state cannot be reached: refuse answers 503, serve
    /// counts them in memory, above the quota if several servers do so. A server that is alone on a file serves.
    #[arg(long, value_name = "WAY", env = "PARQUOTE_WITHOUT_STATE", default_value = "refuse")]
    pub without_state: WithoutState,
    /// Threads for queries, separate from the network threads; each runs one query at a time. The default is one more than there are
    /// cores.
    #[arg(long, value_name = "N", env = "PARQUOTE_QUERY_THREADS", value_parser = at_least_one)]
    pub query_threads: Option<usize>,
    /// The most concurrent queries of one key, so that no key has all threads. The default is the number of threads minus one.
    #[arg(long, value_name = "N", env = "PARQUOTE_QUERIES_PER_KEY", value_parser = at_least_one)]
    pub queries_per_key: Option<usize>,
    /// The most waiting queries of one key; one more is refused with a retry time. Keys take turns.
    #[arg(long, value_name = "N", env = "PARQUOTE_QUERIES_WAITING", default_value_t = 256)]
    pub queries_waiting: usize,
    /// The time limit of a query, including its wait for a thread, in milliseconds.
    #[arg(long, value_name = "MS", env = "PARQUOTE_DEADLINE_MS", default_value_t = 10_000)]
    pub deadline_ms: u64,
    /// The most memory of one query, in MiB.
    #[arg(long, value_name = "MIB", env = "PARQUOTE_QUERY_MIB", default_value_t = 256)]
    pub query_mib: usize,
    /// The most memory of all queries together, in MiB.
    #[arg(long, value_name = "MIB", env = "PARQUOTE_TOTAL_MIB", default_value_t = 768)]
    pub total_mib: usize,
    /// The most processes for the SELECTs that callers write; each runs one at a time, at low priority, in at most 64 MiB in addition to
    /// its tables. The default is half of the cores, 2 to 8.
    #[arg(long, value_name = "N", env = "PARQUOTE_SQL_PROCESSES", value_parser = at_least_one)]
    pub sql_processes: Option<usize>,
    /// The memory of the answer cache, in MiB.
    #[arg(long, value_name = "MIB", env = "PARQUOTE_CACHE_MIB", default_value_t = 64)]
    pub cache_mib: usize,
    /// The memory of the plan cache, in MiB.
    #[arg(long, value_name = "MIB", env = "PARQUOTE_PLANS_MIB", default_value_t = 64)]
    pub plans_mib: usize,
    /// The memory for checking new data before it is served, in MiB.
    #[arg(long, value_name = "MIB", env = "PARQUOTE_ADMISSION_MIB", default_value_t = 1_024)]
    pub admission_mib: usize,
    /// Language models and the runs that use them.
    #[command(flatten)]
    pub models: Models,
    /// Detection of new data.
    #[command(flatten)]
    pub refresh: Refresh,
    /// Fetch and derive new sessions in a process of the server, when the tables are due.
    #[arg(id = "refresh", long, env = "PARQUOTE_REFRESH")]
    pub fetches: bool,
    /// Settings of fetching.
    #[command(flatten)]
    pub fetching: FetchOptions,
}

/// Parses an address with a port.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "it is an IP address with a port, such as 127.0.0.1:8080".to_owned())
}

/// Parses a number of at least 1.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("it is a whole number from 1".to_owned()),
    }
}

impl Serving {
    /// Returns the limits on queries in these settings.
    pub fn limits(&self) -> QueryLimits {
        QueryLimits {
            query_bytes: self.query_mib * MIB,
            total_bytes: self.total_mib * MIB,
            check_bytes: self.admission_mib * MIB,
            deadline: Duration::from_millis(self.deadline_ms),
            cache_bytes: (self.cache_mib * MIB) as u64,
            plan_bytes: (self.plans_mib * MIB) as u64,
        }
    }
}
