//! How much time and how many bytes a transfer may take, and whether requests go through a proxy.

use std::time::Duration;

/// Limits on one transfer. Times are of the machine's clock: a host that is silent is silent in real time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until the reply begins.
    pub reply: Duration,
    /// Until the next bytes of it.
    pub idle: Duration,
    /// After this time a body must have come at the slowest speed on the average.
    pub grace: Duration,
    /// Bytes a second.
    pub slowest: u64,
    /// Bytes a second at which the largest file that there may be comes in the time that any file may take, after the grace.
    pub usual: u64,
    /// Bytes to which any packed file may unpack; larger ones to 200 times their own.
    pub unpacked: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(20),
            reply: Duration::from_secs(90),
            idle: Duration::from_mins(1),
            grace: Duration::from_mins(2),
            slowest: 512,
            usual: 64 << 10,
            unpacked: 64 << 20,
        }
    }
}

/// Whether requests go through a proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Proxy {
    /// The one that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`), if it does.
    #[default]
    Environment,
    /// None.
    Direct,
}
