//! `parquote refresh --watch`: runs a task whenever the tables of a market are due, one after the other.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::anyhow;
use chrono::{DateTime, Utc};

use super::failure::message;
use super::market_updater::MarketUpdater;
use super::output::say;
use crate::fetch::{FetchRequest, Kind, Watch, WatchRecord, WatchTask};
use crate::operation::Market;

/// Interval of clock checks, so that no task is late after a sleep of the machine or a clock change.
const CLOCK_CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// Runs until the process is ended. A failed task is retried after an hour.
pub(super) async fn run(updater: &MarketUpdater<'_>) -> anyhow::Result<ExitCode> {
    let watch = watch(updater)?;
    let folders = updater.fetching().folders();
    let mut printed_next = None;
    loop {
        let (now, mut record) = (Utc::now(), WatchRecord::read(&folders));
        if let Some(task) = watch.due(now, &record) {
            say!("{} {task}", format_time(now));
            let code = Box::pin(run_task(updater, task)).await.unwrap_or_else(|error| {
                tracing::error!(error = message(&error), %task, "a task of the watch failed");
                1
            });
            record.insert(task, now, code != 0);
            record.write(&folders)?;
            continue;
        }
        let next = watch.next(now, &record);
        if next != printed_next {
            say!("next at {}", next.map_or_else(|| "no time".to_owned(), format_time));
            printed_next = next;
        }
        tokio::time::sleep(CLOCK_CHECK_INTERVAL).await;
    }
}

/// Collects the schedules of the tables of all updated markets.
fn watch(updater: &MarketUpdater<'_>) -> anyhow::Result<Watch> {
    let mut schedules = Vec::new();
    for market in updater.markets() {
        let tables = updater.catalogue.tables_in(market);
        schedules.extend(tables.filter_map(|table| Some((market, table.schedule_in(market)?))));
    }
    Watch::from_schedules(schedules).map_err(|words| anyhow!("a table's schedule: {words}"))
}

async fn run_task(updater: &MarketUpdater<'_>, task: WatchTask) -> anyhow::Result<u8> {
    match task {
        WatchTask::Refresh(market) => updater.refresh(market).await,
        WatchTask::Rolling(market) => match rolling(updater, market) {
            request if request.sources.is_empty() => Ok(0),
            request => updater.fetch(&request).await,
        },
    }
}

/// Returns the request for a market's sources whose files show only the present state and have no archive.
fn rolling(updater: &MarketUpdater<'_>, market: Market) -> FetchRequest {
    let sources = updater.fetcher.catalogue().sources().iter();
    let rolling =
        sources.filter(|source| source.market == market && source.kind == Kind::Rolling && source.by_default);
    let sources = rolling.map(|source| source.name.clone()).collect();
    FetchRequest { market: Some(market), sources, ..FetchRequest::default() }
}

fn format_time(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}
