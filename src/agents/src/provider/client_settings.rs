//! The limits of every exchange with a provider. Nothing here reads the environment.

use std::time::Duration;

use super::breaker::BreakerSettings;

/// The limits of every exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientSettings {
    /// The longest time until there is a connection.
    pub connect: Duration,
    /// The longest time of a request and its reply in all.
    pub request: Duration,
    /// The longest time between bytes of a reply that has begun.
    pub idle: Duration,
    /// The longest reply.
    pub reply_bytes: usize,
    /// When requests are paused that would fail.
    pub breaker: BreakerSettings,
}

impl Default for ClientSettings {
    /// Models that think take minutes; what they reply is small.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            request: Duration::from_mins(5),
            idle: Duration::from_mins(1),
            reply_bytes: 4 * 1024 * 1024,
            breaker: BreakerSettings::USUAL,
        }
    }
}
