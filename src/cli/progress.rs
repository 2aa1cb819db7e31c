//! Progress: bars on a terminal, plain lines otherwise.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::raw::Progress;

/// Shows the progress of steps on standard error.
pub(super) struct TerminalProgress {
    is_terminal: bool,
    step: Mutex<Option<ProgressStep>>,
}

struct ProgressStep {
    what: String,
    began: Instant,
    bar: Option<ProgressBar>,
    done: u64,
}

impl TerminalProgress {
    pub(super) fn new() -> Self {
        Self { is_terminal: std::io::stderr().is_terminal(), step: Mutex::new(None) }
    }

    fn with_step(&self, act: impl FnOnce(&mut Option<ProgressStep>)) {
        act(&mut self.step.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Progress for TerminalProgress {
    fn start(&self, what: &str, total: u64) {
        let bar = self.is_terminal.then(|| {
            let style = ProgressStyle::with_template("{msg:<28} {bar:32} {pos}/{len} {elapsed}");
            let bar = ProgressBar::new(total).with_message(what.to_owned());
            match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        self.with_step(|step| {
            *step = Some(ProgressStep { what: what.to_owned(), began: Instant::now(), bar, done: 0 });
        });
    }

    fn advance(&self, by: u64) {
        self.with_step(|step| {
            if let Some(step) = step {
                step.done += by;
                if let Some(bar) = &step.bar {
                    bar.inc(by);
                }
            }
        });
    }

    fn part(&self, what: &str, took: Duration) {
        self.with_step(|step| {
            let line = format!("  {what:<41} {:>8.2} s", took.as_secs_f64());
            match step.as_ref().and_then(|step| step.bar.as_ref()) {
                Some(bar) => bar.println(line),
                None => eprintln!("{line}"),
            }
        });
    }

    fn finish(&self) {
        self.with_step(|step| {
            if let Some(step) = step.take() {
                if let Some(bar) = &step.bar {
                    bar.finish_and_clear();
                }
                eprintln!(
                    "{:<32} {:>10} {:>8.2} s",
                    step.what,
                    step.done,
                    step.began.elapsed().as_secs_f64()
                );
            }
        });
    }
}
