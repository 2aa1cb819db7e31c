//! Prints tables of the fetcher: the state of each source, the requests of a plan, the result of a run.

use std::collections::BTreeMap;

use super::fetch_coverage::FetchCoverage;
use super::fetch_progress::size_of;
use super::fetching::{remedies, shown_bytes};
use super::output::say;
use super::table::draw;
use crate::digits::counted;
use crate::fetch::{FetchOutcome, FetchPlan, FetchReport, ManualDownload, SourceStatus};

/// Prints the state of each source.
pub(super) fn print_sources(listed: &[SourceStatus]) {
    let rows: Vec<[String; 7]> = listed.iter().map(row).collect();
    let heads = ["source", "market", "newest", "missing", "last outcome", "address seen", "what"];
    say!("{}", draw(heads, &rows).trim_end());
    let unmet_needs: Vec<_> = listed
        .iter()
        .filter_map(|status| Some((std::sync::Arc::clone(&status.source), status.need.clone()?)))
        .collect();
    for remedy in remedies(&unmet_needs) {
        say!("{remedy}");
    }
}

fn row(status: &SourceStatus) -> [String; 7] {
    let source = &status.source;
    let last = last_request(status);
    let mark = if source.core { " (core)" } else { "" };
    [
        source.name.clone(),
        source.market.word().to_owned(),
        status.newest.map_or_else(|| "-".to_owned(), |day| day.to_string()),
        missing_days(status),
        if last.is_empty() { "-".to_owned() } else { last },
        source.seen.to_string(),
        format!("{}{mark}", source.what),
    ]
}

/// Returns outcome and time of a source's last request; empty if there was none.
pub(super) fn last_request(status: &SourceStatus) -> String {
    let zone = status.source.market.time_zone();
    status.last.map_or_else(String::new, |(outcome, at)| {
        format!("{outcome} {}", at.with_timezone(&zone).format("%Y-%m-%d %H:%M"))
    })
}

/// Returns the number of missing days and the newest of them.
fn missing_days(status: &SourceStatus) -> String {
    match status.missing.as_slice() {
        [] => "0".to_owned(),
        [day] => format!("1: {day}"),
        [first, ..] => format!("{}: {first} ...", status.missing.len()),
    }
}

/// Prints the requests of a plan.
pub(super) fn print_plan(plan: &FetchPlan, coverage: &FetchCoverage<'_>) {
    let mut sources: BTreeMap<&str, (usize, u64, &str)> = BTreeMap::new();
    for item in &plan.items {
        let (count, bytes, _) = sources.entry(&item.source.name).or_insert((0, 0, &item.source.what));
        *count += 1;
        *bytes += item.bytes;
    }
    let row = |(name, (count, bytes, what)): (&&str, &(usize, u64, &str))| {
        [(*name).to_owned(), count.to_string(), shown_bytes(*bytes), (*what).to_owned()]
    };
    let rows: Vec<[String; 4]> = sources.iter().map(row).collect();
    if !rows.is_empty() {
        say!("{}", draw(["source", "requests", "bytes", "what"], &rows).trim_end());
    }
    print_steps(plan, coverage);
    say!("{}", size_of(plan));
    for remedy in remedies(&plan.unmet_needs) {
        say!("{remedy}");
    }
}

/// Prints the steps of a plan in order, with the operations that can answer after each.
fn print_steps(plan: &FetchPlan, coverage: &FetchCoverage<'_>) {
    let numbered = plan.parts.iter().zip(coverage.operations_after_steps(plan)).zip(1..);
    let rows: Vec<[String; 5]> = numbered
        .map(|((part, answered), number)| {
            let minutes = part.time_to_end.as_secs().div_ceil(60);
            let (step, bytes) = (format!("{number} {}", part.step.words()), shown_bytes(part.bytes));
            [step, part.requests.to_string(), bytes, format!("{minutes} min"), answered]
        })
        .collect();
    if !rows.is_empty() {
        let heads = ["step", "requests", "bytes", "done after", "can answer then"];
        say!("\n{}", draw(heads, &rows).trim_end());
    }
}

/// Prints the result of a run.
pub(super) fn print_report(report: &FetchReport) {
    let counts = FetchOutcome::ALL.into_iter().map(|outcome| (outcome, report.count(outcome)));
    let outcomes: Vec<String> =
        counts.filter(|(_, count)| *count > 0).map(|(outcome, count)| format!("{count} {outcome}")).collect();
    match (outcomes.is_empty(), report.sources) {
        (false, _) => say!("{}", outcomes.join(", ")),
        // The needs of sources are printed below.
        (true, 0) if !report.unmet_needs.is_empty() => {}
        (true, _) => say!("nothing had to be requested"),
    }
    for closed in &report.closed {
        let left = counted(closed.left, "request was", "requests were");
        say!("{}: {}; {left} not made", closed.group, closed.why);
    }
    let mut by_hand: BTreeMap<&str, &ManualDownload> = BTreeMap::new();
    for ended in &report.finished {
        if let Some(help) = &ended.by_hand {
            by_hand.insert(&ended.line.source, help);
        }
    }
    for (source, help) in by_hand {
        say!(
            "{source}: the host refuses a program; get the files at {} and drop them into {}",
            help.page,
            help.folder.display()
        );
    }
    for remedy in remedies(&report.unmet_needs) {
        say!("{remedy}");
    }
}
