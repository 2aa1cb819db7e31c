//! The progress of a fetch: a bar on a terminal, plain lines otherwise, and the confirmation of a large plan.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::bail;
use indicatif::{ProgressBar, ProgressStyle};

use super::fetching::{confirm, is_terminal, shown_bytes};
use crate::fetch::{FetchOutcome, FetchPlan, FetchProgress, FetchRequest, Fetcher, ManifestLine};

/// Shows the progress of requests on standard error.
#[derive(Default)]
pub(super) struct FetchDisplay {
    bar: Mutex<Option<ProgressBar>>,
    bytes: AtomicU64,
}

/// Describes the size of a plan in one line.
pub(super) fn size_of(plan: &FetchPlan) -> String {
    let counted =
        |count: u64, what: &str| if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") };
    let requests = counted(plan.items.len() as u64, "request");
    let minutes = counted(plan.time.as_secs().div_ceil(60), "minute");
    format!("{requests}, about {} and {minutes}", shown_bytes(plan.bytes))
}

/// Returns the question for the confirmation of a plan.
fn question(plan: &FetchPlan) -> String {
    format!("The plan has {}. Go on? [y/N] ", size_of(plan))
}

/// Asks on a terminal to confirm a plan that is large by bytes alone; a plan with many requests is confirmed when the run begins.
pub(super) fn ask_for_bytes(fetcher: &Fetcher, request: &FetchRequest) -> anyhow::Result<()> {
    /// Bytes above which a download takes several minutes and much disk space.
    const LARGE_DOWNLOAD: u64 = 500_000_000;
    if request.yes || !is_terminal() {
        return Ok(());
    }
    let plan = fetcher.plan(request)?;
    if plan.bytes > LARGE_DOWNLOAD
        && plan.items.len() <= fetcher.confirm_above()
        && !confirm(&question(&plan))?
    {
        bail!(
            "nothing was fetched; name sources with --source, or companies with --company, for a smaller plan"
        );
    }
    Ok(())
}

impl FetchDisplay {
    fn bar(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the bar, so that later output is not mixed with it.
    pub(super) fn end_bar(&self) {
        if let Some(bar) = self.bar().take() {
            bar.finish_and_clear();
        }
    }

    fn print(&self, text: &str) {
        match self.bar().as_ref() {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        }
    }
}

impl FetchProgress for FetchDisplay {
    fn agree(&self, plan: &FetchPlan) -> bool {
        is_terminal() && confirm(&question(plan)).unwrap_or(false)
    }

    fn begin(&self, plan: &FetchPlan) {
        if plan.items.is_empty() {
            return;
        }
        eprintln!("{}", size_of(plan));
        if !std::io::stderr().is_terminal() {
            return;
        }
        let bar = ProgressBar::new(plan.items.len() as u64);
        let style = ProgressStyle::with_template("{bar:32} {pos}/{len} {elapsed} {msg}");
        *self.bar() = Some(match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        });
    }

    fn wait(&self, group: &str, time: Duration) {
        /// Waits longer than the spacing of any host are reported.
        const LONG_WAIT: Duration = Duration::from_secs(90);
        if time > LONG_WAIT {
            self.print(&format!("{group} gets no requests for {} minutes", time.as_secs().div_ceil(60)));
        }
    }

    fn bytes(&self, source: &str, count: u64) {
        let bytes = self.bytes.fetch_add(count, Ordering::Relaxed) + count;
        if let Some(bar) = self.bar().as_ref() {
            bar.set_message(format!("{} {source}", shown_bytes(bytes)));
        }
    }

    fn end(&self, line: &ManifestLine) {
        let is_quiet =
            matches!(line.outcome, FetchOutcome::Unchanged | FetchOutcome::Ok) && self.bar().is_some();
        if !is_quiet {
            let ManifestLine { outcome, source, item, why, .. } = line;
            let tail = if why.is_empty() { shown_bytes(line.bytes) } else { why.clone() };
            self.print(&format!("  {:<10} {source} {item}: {tail}", outcome.label()));
        }
        if let Some(bar) = self.bar().as_ref() {
            bar.inc(1);
            // Pages add files that were not in the plan.
            if bar.length().is_some_and(|length| bar.position() > length) {
                bar.inc_length(1);
            }
        }
    }

    fn closed(&self, group: &str, why: &str) {
        self.print(&format!("{group} gets no more requests in this run: {why}"));
    }
}
