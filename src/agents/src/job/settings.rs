//! Intervals, retry counts and limits of jobs, and the clock.

use std::sync::Arc;
use std::time::Duration;

/// A clock in Unix seconds; tests set their own.
pub type UnixClock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Default number of jobs that a server runs at once. They wait for providers nearly all the time without a thread, and their computation
/// queues with other queries. The number leaves room for jobs whose provider is silent.
pub const WORKERS: usize = 64;

/// Settings of jobs. All servers on one store should have the same.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Length of a lease in seconds; after a kill, the time until another worker may take the job.
    pub lease_s: i64,
    /// Interval at which a worker renews its lease and learns of cancels on other servers.
    pub renew_interval: Duration,
    /// Interval at which idle workers look for jobs whose lease on another server has expired.
    pub poll_interval: Duration,
    /// Maximum number of running jobs of one owner on this server.
    pub per_owner: usize,
    /// Multiple of the usual maximum duration of a kind of work after which a job is ended.
    pub time_factor: u32,
    /// Seconds until a job is retried if its record could not be written.
    pub retry_s: i64,
    /// Number of attempts without a newly recorded step after which a job fails.
    pub most_attempts: u32,
    /// Maximum time that a cancel waits for work on this server to end.
    pub local_cancel_timeout: Duration,
    /// Maximum time that a cancel waits for another server's acknowledgement; longer than [`Settings::renew_interval`].
    pub remote_cancel_timeout: Duration,
    /// Days until ended jobs are deleted; at least the longest window of a limit.
    pub keep_days: i64,
    /// Maximum size of a specification, in bytes of JSON.
    pub most_spec_bytes: usize,
    /// Maximum size of the output of a step, in bytes of JSON.
    pub most_step_bytes: usize,
    /// Maximum size of a report, in bytes of JSON.
    pub most_report_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease_s: 15,
            renew_interval: Duration::from_secs(3),
            poll_interval: Duration::from_secs(2),
            per_owner: 2,
            time_factor: 10,
            retry_s: 30,
            most_attempts: 5,
            local_cancel_timeout: Duration::from_secs(2),
            remote_cancel_timeout: Duration::from_secs(4),
            keep_days: 90,
            most_spec_bytes: 64 << 10,
            most_step_bytes: 1 << 20,
            most_report_bytes: 4 << 20,
        }
    }
}
