//! Progress of a server's refresh process: the child writes a line for each step, and at most one line a second within a step; the server
//! reads them.
//!
//! Each line is a JSON object: market, step, completed parts and total; a total of 0 ends the step.

use std::io::{BufRead as _, BufReader, Read};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::output::say;
use crate::engine::LoadProgress;
use crate::fetch::{FetchPlan, FetchProgress, ManifestLine};
use crate::operation::Market;
use crate::raw::Progress;

/// Minimum time between two lines of one step.
const SEND_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Debug, Serialize, Deserialize)]
struct ProgressLine {
    market: Market,
    step: String,
    /// Number of finished parts.
    done: usize,
    /// Number of all parts; 0 ends the step.
    of: usize,
}

/// Reports the progress of a market to the server that started this process.
pub(super) struct ProgressReporter {
    market: Market,
    step: Mutex<Option<(ProgressLine, Instant, Instant)>>,
}

impl ProgressReporter {
    /// Creates a reporter without a step.
    pub(super) const fn new(market: Market) -> Self {
        Self { market, step: Mutex::new(None) }
    }

    fn step(&self) -> MutexGuard<'_, Option<(ProgressLine, Instant, Instant)>> {
        self.step.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for ProgressReporter {
    fn start(&self, what: &str, total: u64) {
        let of = usize::try_from(total).unwrap_or(usize::MAX).max(1);
        let line = ProgressLine { market: self.market, step: what.to_owned(), done: 0, of };
        write(&line);
        *self.step() = Some((line, Instant::now(), Instant::now()));
    }

    fn advance(&self, by: u64) {
        if let Some((line, _, written_at)) = &mut *self.step() {
            line.done = line.done.saturating_add(usize::try_from(by).unwrap_or(usize::MAX));
            if written_at.elapsed() >= SEND_INTERVAL {
                *written_at = Instant::now();
                write(line);
            }
        }
    }

    fn finish(&self) {
        if let Some((line, began, _)) = self.step().take() {
            let (market, step, seconds) = (line.market, &line.step, began.elapsed().as_secs_f64());
            tracing::info!(%market, step, seconds, "a step of the refresh is done");
            write(&ProgressLine { of: 0, ..line });
        }
    }
}

impl FetchProgress for ProgressReporter {
    fn begin(&self, plan: &FetchPlan) {
        self.start("files are fetched", plan.items.len() as u64);
    }

    fn end(&self, _: &ManifestLine) {
        self.advance(1);
    }
}

fn write(line: &ProgressLine) {
    if let Ok(text) = serde_json::to_string(line) {
        say!("{text}");
    }
}

/// Reads progress lines until the output ends; other lines are ignored.
pub(super) fn read_progress(output: impl Read, progress: &LoadProgress) {
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        if let Ok(ProgressLine { market, step, done, of }) = serde_json::from_str(&line) {
            progress.record(market, &step, (done, of));
        }
    }
    for market in Market::ALL {
        progress.record(market, "", (0, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_hears_the_steps_of_the_process_beside_it() {
        let progress = LoadProgress::default();
        let line = ProgressLine { market: Market::India, step: "bars".to_owned(), done: 3, of: 12 };
        let output = format!("next at noon\n{}\n", serde_json::to_string(&line).unwrap());
        // The end of the output, for any reason, ends all steps.
        read_progress(output.as_bytes(), &progress);
        assert_eq!(progress.describe(), None);
        let heard = std::thread::scope(|scope| {
            let (reader, mut writer) = std::io::pipe().unwrap();
            scope.spawn(|| read_progress(reader, &progress));
            std::io::Write::write_all(&mut writer, output.as_bytes()).unwrap();
            loop {
                if let Some(words) = progress.describe() {
                    return words;
                }
                std::thread::yield_now();
            }
        });
        assert!(heard.starts_with("india: bars: 3 of 12, about "), "{heard}");
    }
}
