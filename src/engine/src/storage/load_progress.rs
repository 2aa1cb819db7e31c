//! How far a server is whose data is not served yet: which step each market is at, and how many of its parts are done.
//!
//! What is told here decides nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use parquote_catalogue::operation::Market;

/// The steps that markets are at, shared by those who take them and those who tell of them.
#[derive(Debug, Clone, Default)]
pub struct LoadProgress(Arc<Mutex<MarketSteps>>);

/// The step that a market is at in this process, and the one that a process beside it is at.
type MarketSteps = BTreeMap<(Market, Worker), LoadStep>;

/// Who takes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worker {
    Here,
    Beside,
}

#[derive(Debug)]
struct LoadStep {
    what: Cow<'static, str>,
    done: usize,
    of: usize,
    began: Instant,
}

impl LoadProgress {
    /// A market begins a step of so many parts, such as `tables load`.
    pub fn start(&self, market: Market, what: &'static str, of: usize) {
        self.lock().insert((market, Worker::Here), LoadStep::new(what.into(), of));
    }

    /// One part more is done.
    pub fn advance(&self, market: Market) {
        if let Some(step) = self.lock().get_mut(&(market, Worker::Here)) {
            step.done += 1;
        }
    }

    /// The step is done.
    pub fn finish(&self, market: Market) {
        self.lock().remove(&(market, Worker::Here));
    }

    /// A process beside this one has done so many parts of a step of a market; a step without parts is done.
    pub fn hear(&self, market: Market, what: &str, (done, of): (usize, usize)) {
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

    /// How far the markets are, in words; `None` where none is at a step.
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

    /// The step after so long a time, with an estimate of what is left as soon as a part is done.
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
        progress.hear(Market::India, "bars", (0, 2));
        assert!(progress.words().unwrap().ends_with("; india: bars: 0 of 2"), "{:?}", progress.words());
        progress.finish(Market::India);
        progress.hear(Market::India, "symbol by symbol", (0, 9));
        assert_eq!(progress.words().unwrap(), "india: symbol by symbol: 0 of 9");
        progress.hear(Market::India, "symbol by symbol", (0, 0));
        assert_eq!(progress.words(), None);
    }
}
