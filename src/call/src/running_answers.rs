//! Answers that are being computed, for identical calls that arrive meanwhile: one of the calls computes, and the others wait for its
//! answer. Nothing is cached: the answer is dropped with the last of these calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::OnceCell;

use super::fair_queue::QueueFull;
use parquote_catalogue::error::ClientError;
use parquote_engine::EncodedAnswer;

/// Most identical calls of one key at the same time.
const MOST_CALLERS: usize = 32;

/// The answers that are being computed, by a text that is equal for identical calls.
#[derive(Debug, Default)]
pub(super) struct RunningAnswers(Mutex<HashMap<String, Weak<OnceCell<EncodedAnswer>>>>);

impl RunningAnswers {
    /// Returns the answer of an identical call that runs already, else computes it. If that call fails or its caller leaves, the next one
    /// computes. More calls than may wait get an error.
    pub(super) async fn answer(
        &self,
        call: String,
        compute: impl Future<Output = Result<EncodedAnswer, ClientError>>,
    ) -> Result<EncodedAnswer, ClientError> {
        let running = self.shared_answer(call);
        // Each of these calls holds a reference until the answer is computed.
        if Arc::strong_count(&running) > MOST_CALLERS {
            return Err(QueueFull::Key(MOST_CALLERS).into());
        }
        running.get_or_try_init(|| compute).await.cloned()
    }

    fn shared_answer(&self, call: String) -> Arc<OnceCell<EncodedAnswer>> {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = answers.get(&call).and_then(Weak::upgrade) {
            return running;
        }
        answers.retain(|_, answer| answer.strong_count() > 0);
        let answer = Arc::new(OnceCell::new());
        answers.insert(call, Arc::downgrade(&answer));
        answer
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bytes::Bytes;
    use futures::FutureExt as _;
    use tokio::sync::Semaphore;

    use super::*;

    /// Counts the computation, and answers once the gate has a permit.
    async fn compute(count: &AtomicUsize, gate: &Semaphore) -> Result<EncodedAnswer, ClientError> {
        count.fetch_add(1, Ordering::Relaxed);
        gate.acquire().await.unwrap().forget();
        Ok(EncodedAnswer { body: Bytes::from_static(b"{}"), wrapper: Bytes::new(), extent: None })
    }

    #[test]
    fn identical_calls_at_the_same_time_are_computed_once() {
        let (running, count, gate) = (RunningAnswers::default(), AtomicUsize::new(0), Semaphore::new(0));
        let call = |text: &str| Box::pin(running.answer(text.to_owned(), compute(&count, &gate)));
        let mut calls: Vec<_> = (0..10).map(|_| call("a")).collect();
        assert!(calls.iter_mut().all(|waiting| waiting.now_or_never().is_none()));
        assert_eq!(count.load(Ordering::Relaxed), 1);
        let mut other = call("b");
        assert!((&mut other).now_or_never().is_none());
        assert_eq!(count.load(Ordering::Relaxed), 2);
        // The caller for which the answer is computed leaves: the next one computes.
        drop(calls.remove(0));
        assert!(calls.iter_mut().all(|waiting| waiting.now_or_never().is_none()));
        assert_eq!(count.load(Ordering::Relaxed), 3);
        gate.add_permits(2);
        assert!(calls.iter_mut().all(|waiting| waiting.now_or_never().unwrap().is_ok()));
        assert_eq!(count.load(Ordering::Relaxed), 3);
        drop(calls);
        let many: Vec<_> =
            (0..=MOST_CALLERS).map(|_| call("c")).map(|mut one| (one.as_mut().now_or_never(), one)).collect();
        let refused = many.iter().filter(|(reply, _)| matches!(reply, Some(Err(_)))).count();
        assert_eq!((refused, count.load(Ordering::Relaxed)), (1, 4));
        drop(many);
        // An answer is not cached for later calls.
        assert!(call("a").now_or_never().is_none());
        assert_eq!(count.load(Ordering::Relaxed), 5);
    }
}
