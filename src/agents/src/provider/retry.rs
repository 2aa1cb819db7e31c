//! Retries requests where that may help, after the wait that the provider requests or with exponential backoff.

use std::time::Duration;

use async_trait::async_trait;

use super::model::{LanguageModel, ModelRequest, ProviderError, Reply};

/// Number of requests, and the waits between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Maximum number of requests, including the first.
    pub tries: u32,
    /// Wait before the second request, unless the provider requests a wait; it doubles with each request.
    pub first_wait: Duration,
    /// Maximum of the waits that double.
    pub longest_wait: Duration,
    /// Maximum wait that a provider may request. If it requests more, its error is returned at once: an earlier retry would only lengthen
    /// the wait.
    pub longest_requested: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            tries: 4,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(20),
            longest_requested: Duration::from_mins(1),
        }
    }
}

/// Time and randomness, which tests replace.
#[async_trait]
pub trait Sleeper: Send + Sync {
    /// Waits for the time.
    async fn sleep(&self, time: Duration);

    /// Returns a random number from 0 to 1, inclusive.
    fn chance(&self) -> f64;
}

/// The machine's clock and the system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealTime;

#[async_trait]
impl Sleeper for RealTime {
    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn chance(&self) -> f64 {
        // Without randomness all callers wait equally long, which burdens the provider only.
        getrandom::u32().map_or(1.0, |n| f64::from(n) / f64::from(u32::MAX))
    }
}

/// Requests a reply until one arrives, an error is permanent, or the policy's tries are used up.
///
/// # Errors
/// The error of the last request.
pub async fn reply_with_retries(
    model: &dyn LanguageModel,
    turn: &ModelRequest,
    policy: RetryPolicy,
    sleeper: &dyn Sleeper,
) -> Result<Reply, ProviderError> {
    let mut requests = 1;
    loop {
        let error = match model.reply(turn).await {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        let Some(wait) = wait_before_retry(&error, requests, policy, sleeper) else { return Err(error) };
        let (provider, model) = model.identity();
        tracing::debug!(
            provider,
            model,
            requests,
            wait_ms = wait.as_millis() as u64,
            "{error}; the request is retried"
        );
        sleeper.sleep(wait).await;
        requests += 1;
    }
}

/// Returns the wait before the next request, after `requests` failed ones; `None` if a retry is useless.
fn wait_before_retry(
    error: &ProviderError,
    requests: u32,
    policy: RetryPolicy,
    sleeper: &dyn Sleeper,
) -> Option<Duration> {
    if !error.is_retryable() || requests >= policy.tries {
        return None;
    }
    if let Some(after) = error.retry_after() {
        return (after <= policy.longest_requested).then_some(after);
    }
    let doubled = 2_u32.saturating_pow(requests.saturating_sub(1));
    let longest = policy.first_wait.saturating_mul(doubled).min(policy.longest_wait);
    // A random wait between half and all of it, so that concurrent failures are not retried at the same moment.
    Some(longest.mul_f64(0.5 + 0.5 * sleeper.chance().clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Usage;
    use std::sync::Mutex;

    /// Replies with the listed errors, then with a text, and records the waits.
    #[derive(Default)]
    struct FailingModel {
        errors: Mutex<Vec<ProviderError>>,
        waits: Mutex<Vec<u64>>,
        requests: Mutex<u32>,
    }

    #[async_trait]
    impl LanguageModel for FailingModel {
        async fn reply(&self, _: &ModelRequest) -> Result<Reply, ProviderError> {
            *self.requests.lock().unwrap() += 1;
            let mut errors = self.errors.lock().unwrap();
            if !errors.is_empty() {
                return Err(errors.remove(0));
            }
            let usage = Usage::default();
            Ok(Reply { text: "ok".into(), calls: Vec::new(), usage, model: "m".into(), cut: false })
        }

        fn identity(&self) -> (&str, &str) {
            ("p", "m")
        }
    }

    #[async_trait]
    impl Sleeper for FailingModel {
        async fn sleep(&self, time: Duration) {
            self.waits.lock().unwrap().push(time.as_millis() as u64);
        }

        fn chance(&self) -> f64 {
            0.5
        }
    }

    fn cut() -> ProviderError {
        ProviderError::Cut("P".into())
    }

    fn limited(seconds: Option<u64>) -> ProviderError {
        let after = seconds.map(Duration::from_secs);
        ProviderError::Limited { provider: "P".into(), after, message: String::new() }
    }

    /// Returns true if there was a reply, the number of requests, and the waits in milliseconds.
    async fn run(errors: Vec<ProviderError>, tries: u32) -> (bool, u32, Vec<u64>) {
        let staged = FailingModel { errors: Mutex::new(errors), ..FailingModel::default() };
        let turn = ModelRequest {
            system: String::new(),
            messages: Vec::new(),
            tools: Vec::new(),
            schema: None,
            max_output_tokens: 1,
            temperature: 0.0,
        };
        let policy = RetryPolicy { tries, ..RetryPolicy::default() };
        let replied = reply_with_retries(&staged, &turn, policy, &staged).await.is_ok();
        (replied, *staged.requests.lock().unwrap(), staged.waits.into_inner().unwrap())
    }

    #[tokio::test]
    async fn the_wait_doubles_up_to_its_longest_with_a_quarter_off_by_chance() {
        let waits = vec![750, 1_500, 3_000, 6_000, 12_000, 15_000, 15_000];
        assert_eq!(run(vec![cut(); 7], 20).await, (true, 8, waits));
    }

    #[tokio::test]
    async fn the_provider_is_asked_again_when_it_wants_to_be_and_not_before() {
        assert_eq!(run(vec![limited(Some(7)), limited(None)], 4).await, (true, 3, vec![7_000, 1_500]));
        assert_eq!(run(vec![limited(Some(61))], 4).await, (false, 1, vec![]));
    }

    #[tokio::test]
    async fn it_ends_with_the_tries_and_with_what_will_not_get_better() {
        assert_eq!(run(vec![cut(); 9], 3).await, (false, 3, vec![750, 1_500]));
        assert_eq!(run(vec![cut()], 0).await, (false, 1, vec![]));
        let refused = ProviderError::KeyRefused { provider: "P".into(), message: String::new() };
        assert_eq!(run(vec![refused], 4).await, (false, 1, vec![]));
    }
}
