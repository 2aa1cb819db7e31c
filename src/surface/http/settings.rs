//! What the HTTP door is told when it is built. Nothing here reads the environment.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Tells the time as Unix seconds; tests give one that stands still.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Settings of the HTTP door.
#[derive(Clone)]
pub struct HttpSettings {
    /// The time of `meta.timestamp`.
    pub clock: Clock,
    /// How long an operation may run before it is given up with a 503.
    pub deadline: Duration,
    /// The longest path with its query string, in bytes; a longer one is a 414.
    pub url_bytes: usize,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self { clock: Arc::new(unix_seconds), deadline: Duration::from_secs(10), url_bytes: 8 * 1024 }
    }
}

impl fmt::Debug for HttpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSettings")
            .field("deadline", &self.deadline)
            .field("url_bytes", &self.url_bytes)
            .finish_non_exhaustive()
    }
}

fn unix_seconds() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
}
