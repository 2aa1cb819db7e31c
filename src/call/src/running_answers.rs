//! Answers that are being computed, for identical calls that arrive meanwhile: one of the calls computes, and the others wait for its answer.
//! Nothing is cached: the answer is dropped with the last of these calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::OnceCell;

use parquote_catalogue::error::ClientError;
use parquote_engine::EncodedAnswer;

/// The answers that are being computed, by a text that is equal for identical calls.
#[derive(Debug, Default)]
pub(super) struct RunningAnswers(Mutex<HashMap<String, Weak<OnceCell<EncodedAnswer>>>>);

impl RunningAnswers {
    /// Returns the answer of an identical call that runs already, else computes it. If that call fails or its caller leaves, the next one
    /// computes.
    ///
    /// # Errors
    /// Errors of `compute`.
    pub(super) async fn answer(
        &self,
        call: String,
        compute: impl Future<Output = Result<EncodedAnswer, ClientError>>,
    ) -> Result<EncodedAnswer, ClientError> {
        let cell = self.cell(call);
        cell.get_or_try_init(|| compute).await.cloned()
    }

    fn cell(&self, call: String) -> Arc<OnceCell<EncodedAnswer>> {
        let mut cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = cells.get(&call).and_then(Weak::upgrade) {
            return running;
        }
        cells.retain(|_, cell| cell.strong_count() > 0);
        let cell = Arc::new(OnceCell::new());
        cells.insert(call, Arc::downgrade(&cell));
        cell
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
        Ok(EncodedAnswer { body: Bytes::from_static(b"{}"), around: Bytes::new(), extent: None })
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
        // An answer is not cached for later calls.
        assert!(call("a").now_or_never().is_none());
        assert_eq!(count.load(Ordering::Relaxed), 4);
    }
}
