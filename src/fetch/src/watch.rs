//! The next task of a watching process: a market is refreshed when its tables are due, and files without an archive are fetched in
//! the evening.
//!
//! The caller does the work. Tasks that were missed while no process ran are due at once, one after the other.

use std::collections::BTreeMap;
use std::{fmt, fs};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::error::FetchError;
use super::folders::{Folders, write_record};
use super::schedule::CronSchedule;
use parquote_catalogue::operation::Market;

/// Schedule of rolling files, in the market's time zone: after the host replaces them, and again before the day ends.
const EVENING_SCHEDULE: &str = "0 20,23 * * 1-5";
/// Time after which a task is repeated if a file was not published yet.
const RETRY_AFTER: TimeDelta = TimeDelta::hours(1);

/// A task of a watching process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WatchTask {
    /// Fetches, derives and publishes a market.
    Refresh(Market),
    /// Fetches the files of a market that have no archive.
    Rolling(Market),
}

impl fmt::Display for WatchTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refresh(market) => write!(f, "refresh {market}"),
            Self::Rolling(market) => write!(f, "rolling {market}"),
        }
    }
}

/// The tasks with their schedules.
#[derive(Debug, Clone)]
pub struct Watch {
    tasks: Vec<(WatchTask, CronSchedule)>,
}

impl Watch {
    /// Creates the tasks of markets from the schedules of their tables.
    ///
    /// # Errors
    /// An invalid schedule.
    pub fn from_schedules<'a>(
        schedules: impl IntoIterator<Item = (Market, &'a str)>,
    ) -> Result<Self, String> {
        let mut texts: BTreeMap<WatchTask, Vec<&str>> = BTreeMap::new();
        for (market, text) in schedules {
            let market_texts = texts.entry(WatchTask::Refresh(market)).or_default();
            if !market_texts.contains(&text) {
                market_texts.push(text);
            }
            texts.entry(WatchTask::Rolling(market)).or_insert_with(|| vec![EVENING_SCHEDULE]);
        }
        let pairs =
            texts.into_iter().flat_map(|(task, texts)| texts.into_iter().map(move |text| (task, text)));
        let tasks = pairs.map(|(task, text)| Ok((task, CronSchedule::parse(text)?)));
        Ok(Self { tasks: tasks.collect::<Result<_, String>>()? })
    }

    /// Returns the task that has been due the longest; `None` if none is due.
    pub fn due(&self, now: DateTime<Utc>, record: &WatchRecord) -> Option<WatchTask> {
        let due = self.tasks.iter().filter_map(|(task, schedule)| {
            let task_record = record.0.get(&task.to_string());
            let again = task_record.and_then(|task_record| task_record.again_at).filter(|at| *at <= now);
            let scheduled = schedule.last_due(now, market_of(*task).time_zone());
            let missed = scheduled.filter(|at| task_record.is_none_or(|task_record| task_record.began < *at));
            Some((missed.into_iter().chain(again).min()?, *task))
        });
        due.min().map(|(_, task)| task)
    }

    /// Returns the next time at which a task is due, assuming that none is due at `now`.
    pub fn next(&self, now: DateTime<Utc>, record: &WatchRecord) -> Option<DateTime<Utc>> {
        let scheduled = self
            .tasks
            .iter()
            .filter_map(|(task, schedule)| schedule.next_due(now, market_of(*task).time_zone()));
        scheduled.chain(record.0.values().filter_map(|task_record| task_record.again_at)).min()
    }
}

const fn market_of(task: WatchTask) -> Market {
    match task {
        WatchTask::Refresh(market) | WatchTask::Rolling(market) => market,
    }
}

/// The last execution of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct TaskRecord {
    began: DateTime<Utc>,
    again_at: Option<DateTime<Utc>>,
}

/// The last execution of each task, stored across processes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchRecord(BTreeMap<String, TaskRecord>);

impl WatchRecord {
    /// Reads the record. A missing or unreadable record counts as empty, so that its tasks run once more.
    pub fn read(folders: &Folders) -> Self {
        let text = fs::read(folders.watch_record_path()).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Records an executed task. `is_open`: a file was not published yet, so that the task is repeated soon.
    pub fn insert(&mut self, task: WatchTask, began: DateTime<Utc>, is_open: bool) {
        let again_at = is_open.then_some(began + RETRY_AFTER);
        self.0.insert(task.to_string(), TaskRecord { began, again_at });
    }

    /// Writes the record.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn write(&self, folders: &Folders) -> Result<(), FetchError> {
        folders.create_folders()?;
        write_record(&folders.watch_record_path(), self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    /// Executes all due tasks in a time range, and returns their times.
    fn done(watch: &Watch, record: &mut WatchRecord, (from, to): (&str, &str), is_open: bool) -> Vec<String> {
        let (mut now, to) = (at(from), at(to));
        let mut done = Vec::new();
        while now <= to {
            while let Some(task) = watch.due(now, record) {
                done.push(format!("{} {task}", now.format("%d %H:%M")));
                record.insert(task, now, is_open);
            }
            now = watch.next(now, record).unwrap();
        }
        done
    }

    #[test]
    fn markets_are_refreshed_and_rolling_files_taken_at_their_times() {
        let watch =
            Watch::from_schedules([(Market::India, "30 12 * * 1-5"), (Market::India, "30 12 * * 1-5")])
                .unwrap();
        let mut record = WatchRecord::default();
        // The first start executes the tasks that were last due, the longest due first; 2026-07-08 is a Wednesday.
        let first = done(&watch, &mut record, ("2026-07-08T10:00:00Z", "2026-07-08T10:00:00Z"), false);
        assert_eq!(first, ["08 10:00 rolling india", "08 10:00 refresh india"]);
        let days = done(&watch, &mut record, ("2026-07-08T10:00:01Z", "2026-07-09T12:00:00Z"), false);
        assert_eq!(days, ["08 14:30 rolling india", "08 17:30 rolling india", "09 07:00 refresh india"]);
        // No process ran from Thursday noon to Monday: each missed task runs once.
        let missed = done(&watch, &mut record, ("2026-07-13T09:00:00Z", "2026-07-13T09:00:00Z"), false);
        assert_eq!(missed, ["13 09:00 rolling india", "13 09:00 refresh india"]);
    }

    #[test]
    fn what_is_not_out_yet_is_tried_each_hour_and_remembered() {
        let watch = Watch::from_schedules([(Market::Us, "0 18 * * 1-5")]).unwrap();
        let mut record = WatchRecord::default();
        record.insert(WatchTask::Rolling(Market::Us), at("2026-07-08T22:00:00Z"), false);
        let tries = done(&watch, &mut record, ("2026-07-08T22:00:00Z", "2026-07-08T23:30:00Z"), true);
        assert_eq!(tries, ["08 22:00 refresh us", "08 23:00 refresh us"]);
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::new(folder.path());
        assert_eq!(WatchRecord::read(&folders), WatchRecord::default());
        record.write(&folders).unwrap();
        assert_eq!(WatchRecord::read(&folders), record);
    }

    #[test]
    fn a_schedule_that_is_none_is_refused() {
        assert!(Watch::from_schedules([(Market::Us, "0 18 * *")]).unwrap_err().contains("4 fields"));
    }
}
