//! Loading progress of a server whose data is not served yet: the step of each market, and how many of its parts are done.
//!
//! The progress is only displayed; nothing depends on it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use parquote_catalogue::operation::Market;

/// The loading steps of markets, shared by the code that takes them and the code that reports them.
#[derive(Debug, Clone, Default)]
pub struct LoadProgress(Arc<Mutex<MarketSteps>>);

/// Each market's step in this process, and its step in a child process.
type MarketSteps = BTreeMap<(Market, Worker), LoadStep>;

/// The process that takes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worker {
    ThisProcess,
    ChildProcess,
}

#[derive(Debug)]
struct LoadStep {
    name: Cow<'static, str>,
    /// Number of finished parts.
    done: usize,
    /// Number of all parts.
    parts: usize,
    start: Instant,
}

impl LoadProgress {
    /// Starts a step that has `parts` parts, such as `tables load`.
    pub fn start(&self, market: Market, name: &'static str, parts: usize) {
        self.lock().insert((market, Worker::ThisProcess), LoadStep::new(name.into(), parts));
    }

    /// Counts one more part as done.
    pub fn advance(&self, market: Market) {
        if let Some(step) = self.lock().get_mut(&(market, Worker::ThisProcess)) {
            step.done += 1;
        }
    }

    /// Ends the step.
    pub fn finish(&self, market: Market) {
        self.lock().remove(&(market, Worker::ThisProcess));
    }

    /// Records the progress of a child process: `done` of `parts` parts of a market's step; `parts` = 0 ends the step.
    pub fn record(&self, market: Market, name: &str, (done, parts): (usize, usize)) {
        let (mut steps, key) = (self.lock(), (market, Worker::ChildProcess));
        if parts == 0 {
            steps.remove(&key);
            return;
        }
        let step = steps.entry(key).or_insert_with(|| LoadStep::new(name.to_owned().into(), parts));
        if step.name != name {
            *step = LoadStep::new(name.to_owned().into(), parts);
        }
        step.done = done;
    }

    /// Describes the progress of all markets; `None` if no market is at a step.
    pub fn describe(&self) -> Option<String> {
        let steps = self.lock();
        let message: Vec<String> =
            steps.iter().map(|((market, _), step)| step.words(*market, step.start.elapsed())).collect();
        (!message.is_empty()).then(|| message.join("; "))
    }

    fn lock(&self) -> MutexGuard<'_, MarketSteps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LoadStep {
    fn new(name: Cow<'static, str>, parts: usize) -> Self {
        Self { name, done: 0, parts, start: Instant::now() }
    }

    /// Describes the step, which has run for `took`, with an estimate of the remaining time once a part is done.
    fn words(&self, market: Market, took: Duration) -> String {
        let Self { name, done, parts, .. } = self;
        let message = format!("{market}: {name}: {done} of {parts}");
        if *done == 0 {
            return message;
        }
        let remaining_seconds = took.as_secs_f64() * parts.saturating_sub(*done) as f64 / *done as f64;
        format!("{message}, about {} s more", remaining_seconds.ceil())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_says_how_far_it_is_and_is_gone_when_it_is_done() {
        let progress = LoadProgress::default();
        assert_eq!(progress.describe(), None);
        progress.start(Market::India, "tables load", 86);
        assert_eq!(progress.describe().unwrap(), "india: tables load: 0 of 86");
        progress.advance(Market::India);
        assert!(progress.describe().unwrap().starts_with("india: tables load: 1 of 86, about "));
        let step = LoadStep { done: 43, ..LoadStep::new("tables load".into(), 86) };
        let message = step.words(Market::India, Duration::from_secs(3));
        assert_eq!(message, "india: tables load: 43 of 86, about 3 s more");
        progress.record(Market::India, "bars", (0, 2));
        assert!(progress.describe().unwrap().ends_with("; india: bars: 0 of 2"), "{:?}", progress.describe());
        progress.finish(Market::India);
        progress.record(Market::India, "symbol by symbol", (0, 9));
        assert_eq!(progress.describe().unwrap(), "india: symbol by symbol: 0 of 9");
        progress.record(Market::India, "symbol by symbol", (0, 0));
        assert_eq!(progress.describe(), None);
    }
}
