//! Time and size limits of a transfer, and the use of a proxy.

use std::time::Duration;

/// Limits on one transfer. Times use the machine's clock, not the [`FetchClock`](crate::FetchClock).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum time to connect.
    pub connect: Duration,
    /// Maximum time until the reply begins.
    pub reply: Duration,
    /// Maximum time between two pieces of a body.
    pub idle: Duration,
    /// Time after which the average speed of a body must reach `slowest`.
    pub grace: Duration,
    /// Minimum speed, in bytes a second.
    pub slowest: u64,
    /// Speed in bytes a second that bounds the total time: `grace` plus the time for the source's largest file at this speed.
    pub usual: u64,
    /// Bytes to which any packed file may unpack; a larger packed file may unpack to 200 times its size.
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

/// The use of a proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Proxy {
    /// The proxy in the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`), if set.
    #[default]
    Environment,
    /// No proxy.
    Direct,
}
