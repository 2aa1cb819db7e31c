//! Limits of every exchange with a provider. The environment is not read here.

use std::time::Duration;

use super::breaker::BreakerSettings;

/// Limits of every exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientSettings {
    /// Timeout for opening a connection.
    pub connect: Duration,
    /// Timeout of a whole request with its reply.
    pub request: Duration,
    /// Timeout for the next bytes of a reply that has begun.
    pub idle: Duration,
    /// Maximum size of a reply, in bytes.
    pub reply_bytes: usize,
    /// Settings of the circuit breakers.
    pub breaker: BreakerSettings,
}

impl Default for ClientSettings {
    /// Reasoning models take minutes; their replies are small.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            request: Duration::from_mins(5),
            idle: Duration::from_mins(1),
            reply_bytes: 4 * 1024 * 1024,
            breaker: BreakerSettings::DEFAULT_SETTINGS,
        }
    }
}
