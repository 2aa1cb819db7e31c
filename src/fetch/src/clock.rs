//! Time, waiting and randomness, behind a trait so that a test controls them.
//!
//! Nothing else in this crate reads the machine's clock, except the time limits of a transfer.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// A source of time and randomness.
#[async_trait]
pub trait FetchClock: Debug + Send + Sync {
    /// Returns the current time.
    fn now(&self) -> DateTime<Utc>;

    /// Waits for a duration.
    async fn sleep(&self, time: Duration);

    /// Returns a random number from 0 to 1.
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
        // Without randomness the longest wait is used, which is harmless.
        getrandom::u32().map_or(1.0, |n| f64::from(n) / f64::from(u32::MAX))
    }
}
