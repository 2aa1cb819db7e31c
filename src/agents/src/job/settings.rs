//! Intervals, retry counts and limits of jobs, and the clock.

use std::sync::Arc;
use std::time::Duration;

/// A clock in Unix seconds; tests use one that they move.
pub type UnixClock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Jobs that a server works on at once, where the operator does not say. They wait for providers nearly all the time, which takes no
/// thread, and what they compute takes its turn among the queries: so many that those whose provider is silent leave room.
pub const WORKERS: usize = 64;

/// How long, how often and how much. All servers on one store should have the same.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Seconds for which a worker holds a job; after a kill, the time until another takes it.
    pub lease_s: i64,
    /// How often a worker renews its lease, and learns of a cancel that came through another server.
    pub renew: Duration,
    /// How often idle workers look for jobs of other servers, whose leases may have run out.
    pub look: Duration,
    /// Jobs of one owner that this server does at once.
    pub per_owner: usize,
    /// A job is ended after this many times the most seconds that its kind of work usually takes.
    pub time_factor: u32,
    /// Seconds after which a job whose record could not be kept is tried again.
    pub retry_s: i64,
    /// Attempts without a newly recorded step, after which a job fails.
    pub most_attempts: u32,
    /// How long a cancel waits for work of this server to end.
    pub cancel_here: Duration,
    /// How long a cancel waits for a worker of another server to acknowledge it; more than [`Settings::renew`].
    pub cancel_there: Duration,
    /// Days for which jobs that ended are kept; at least as long as the longest window of a limit.
    pub keep_days: i64,
    /// The longest specification, in bytes of JSON.
    pub most_spec_bytes: usize,
    /// The longest output of a step, in bytes of JSON.
    pub most_step_bytes: usize,
    /// The longest report, in bytes of JSON.
    pub most_report_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease_s: 15,
            renew: Duration::from_secs(3),
            look: Duration::from_secs(2),
            per_owner: 2,
            time_factor: 10,
            retry_s: 30,
            most_attempts: 5,
            cancel_here: Duration::from_secs(2),
            cancel_there: Duration::from_secs(4),
            keep_days: 90,
            most_spec_bytes: 64 << 10,
            most_step_bytes: 1 << 20,
            most_report_bytes: 4 << 20,
        }
    }
}
