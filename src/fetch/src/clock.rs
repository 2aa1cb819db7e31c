//! The time, waiting, and randomness: all three are arguments, so that a test controls them.
//!
//! Nothing else in this module reads the machine's clock, but for the limits on how long one transfer may be silent.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Time and chance.
#[async_trait]
pub trait FetchClock: Debug + Send + Sync {
    /// The present moment.
    fn now(&self) -> DateTime<Utc>;

    /// Comes back after this time.
    async fn sleep(&self, time: Duration);

    /// A number from 0 to 1, another one each time.
    fn chance(&self) -> f64;
}

/// The clock of the machine and the randomness of the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[async_trait]
impl FetchClock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn chance(&self) -> f64 {
        // Without randomness one waits the longest, which does no harm.
        getrandom::u32().map_or(1.0, |n| f64::from(n) / f64::from(u32::MAX))
    }
}
