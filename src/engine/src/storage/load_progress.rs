//! Loading progress of a server whose data is not served yet: the step of each market, and how many of its parts are done.
//!
//! It is for display only and decides nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use parquote_catalogue::operation::Market;

/// The steps of markets, shared by their workers and by those who report them.
#[derive(Debug, Clone, Default)]
pub struct LoadProgress(Arc<Mutex<MarketSteps>>);

/// Each market's step in this process, and its step in a child process.
type MarketSteps = BTreeMap<(Market, Worker), LoadStep>;

/// The process that takes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worker {
    Here,
    Beside,
}

#[derive(Debug)]
struct LoadStep {
    what: Cow<'static, str>,
    /// Number of finished parts.
    done: usize,
    of: usize,
    began: Instant,
}

impl LoadProgress {
    /// Starts a step that has `of` parts, such as `tables load`.
    pub fn start(&self, market: Market, what: &'static str, of: usize) {
        self.lock().insert((market, Worker::Here), LoadStep::new(what.into(), of));
    }

    /// Counts one more part as done.
    pub fn advance(&self, market: Market) {
        if let Some(step) = self.lock().get_mut(&(market, Worker::Here)) {
            step.done += 1;
        }
    }

    /// Ends the step.
    pub fn finish(&self, market: Market) {
        self.lock().remove(&(market, Worker::Here));
    }

    /// Records the progress of a child process: `done` of `of` parts of a market's step; `of` = 0 ends the step.
    pub fn record(&self, market: Market, what: &str, (done, of): (usize, usize)) {
        let (mut steps, key) = (self.lock(), (market, Worker::Beside));
        if of == 0 {
            steps.remove(&key);
            return;
        }
        let step = steps.entry(key).or_insert_with(|| LoadStep::new(what.to_owned().into(), of));
        if step.what != what {
            *step = LoadStep::new(what.to_owned().into(), of);
        }
        step.done = done;
    }

    /// Describes the progress of all markets; `None` if none is at a step.
    pub fn words(&self) -> Option<String> {
        let steps = self.lock();
        let message: Vec<String> =
            steps.iter().map(|((market, _), step)| step.words(*market, step.began.elapsed())).collect();
        (!message.is_empty()).then(|| message.join("; "))
    }

    fn lock(&self) -> MutexGuard<'_, MarketSteps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LoadStep {
    fn new(what: Cow<'static, str>, of: usize) -> Self {
        Self { what, done: 0, of, began: Instant::now() }
    }

    /// Describes the step after this time, with an estimate of the time left once a part is done.
    fn words(&self, market: Market, took: Duration) -> String {
        let Self { what, done, of, .. } = self;
        let message = format!("{market}: {what}: {done} of {of}");
        if *done == 0 {
            return message;
        }
        let left = took.as_secs_f64() * of.saturating_sub(*done) as f64 / *done as f64;
        format!("{message}, about {} s more", left.ceil())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_says_how_far_it_is_and_is_gone_when_it_is_done() {
        let progress = LoadProgress::default();
        assert_eq!(progress.words(), None);
        progress.start(Market::India, "tables load", 86);
        assert_eq!(progress.words().unwrap(), "india: tables load: 0 of 86");
        progress.advance(Market::India);
        assert!(progress.words().unwrap().starts_with("india: tables load: 1 of 86, about "));
        let step = LoadStep { done: 43, ..LoadStep::new("tables load".into(), 86) };
        let message = step.words(Market::India, Duration::from_secs(3));
        assert_eq!(message, "india: tables load: 43 of 86, about 3 s more");
        progress.record(Market::India, "bars", (0, 2));
        assert!(progress.words().unwrap().ends_with("; india: bars: 0 of 2"), "{:?}", progress.words());
        progress.finish(Market::India);
        progress.record(Market::India, "symbol by symbol", (0, 9));
        assert_eq!(progress.words().unwrap(), "india: symbol by symbol: 0 of 9");
        progress.record(Market::India, "symbol by symbol", (0, 0));
        assert_eq!(progress.words(), None);
    }
}
