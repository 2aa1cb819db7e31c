//! The state of each source: its newest session, the missing days, and the outcome of its last request.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};

use super::declared_source::{Kind, Step};
use super::fetch_request::Need;
use super::outcome::FetchOutcome;
use super::plan::FetchPlanner;
use super::source::Source;

/// The state of one source.
#[derive(Debug, Clone)]
pub struct SourceStatus {
    /// The source.
    pub source: Arc<Source>,
    /// The newest session, period or day of capture on disk.
    pub newest: Option<NaiveDate>,
    /// Sessions without a file, between the oldest fetched day and the last day whose file is published, newest first.
    pub missing: Vec<NaiveDate>,
    /// Outcome and time of the last request; `None` before the first one.
    pub last: Option<(FetchOutcome, DateTime<Utc>)>,
    /// The reason why the source gets no requests; `None` if it gets some.
    pub need: Option<Need>,
}

/// Determines the state of a source.
pub(crate) fn status(planner: &FetchPlanner<'_>, source: &Arc<Source>, need: Option<Need>) -> SourceStatus {
    let known = &planner.known_files;
    let last = known.manifest.lines_of_source(&source.name).next_back().map(|line| (line.outcome, line.at));
    let is_daily = matches!(source.kind, Kind::Dated | Kind::Listed)
        && source.step == Step::Session
        && source.each.is_empty();
    let (newest, missing) = if is_daily {
        let to = source
            .until
            .map_or(source.last_ready(known.now), |until| until.min(source.last_ready(known.now)));
        (planner.newest_on_disk(source, to), sessions_without_file(planner, source, to))
    } else {
        (newest_day(planner, source), Vec::new())
    };
    SourceStatus { source: Arc::clone(source), newest, missing, last, need }
}

/// Returns the newest day of a good file in the manifest, by the date inside the file, otherwise by the time of the request.
fn newest_day(planner: &FetchPlanner<'_>, source: &Source) -> Option<NaiveDate> {
    let lines = planner
        .known_files
        .manifest
        .lines_of_source(&source.name)
        .filter(|line| line.outcome.is_good() && line.blake3.is_some());
    let zone = source.market.time_zone();
    lines.map(|line| line.dated.unwrap_or_else(|| line.at.with_timezone(&zone).date_naive())).max()
}

/// Returns the sessions without a file, from the oldest fetched day to the last published one.
fn sessions_without_file(planner: &FetchPlanner<'_>, source: &Arc<Source>, to: NaiveDate) -> Vec<NaiveDate> {
    let known = &planner.known_files;
    let lines = known.manifest.lines_of_source(&source.name).filter(|line| line.outcome == FetchOutcome::Ok);
    let Some(from) = lines.filter_map(|line| line.item.parse::<NaiveDate>().ok()).min() else {
        return Vec::new();
    };
    if source.kind == Kind::Listed {
        return planner.listed_but_missing(source, from, to);
    }
    let mut days = source.days(&known.catalogue.calendar, from, to);
    days.retain(|day| {
        let last = known.manifest.newest_answered(&source.name, &day.to_string());
        let is_holiday = last.is_some_and(|line| line.outcome == FetchOutcome::Holiday);
        !known.is_day_on_disk(source, *day) && (!is_holiday || known.is_session(source.market, *day))
    });
    days
}
