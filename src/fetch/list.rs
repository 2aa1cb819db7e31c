//! The state of each source: its newest session, the days that are missing, and how its last request ended.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};

use super::declared::{Kind, Step};
use super::outcome::FetchOutcome;
use super::plan::FetchPlanner;
use super::source::Source;
use super::wanted::Need;

/// What there is of one source.
#[derive(Debug, Clone)]
pub struct SourceStatus {
    /// The source.
    pub source: Arc<Source>,
    /// The newest session (or period, or capture) that is held.
    pub newest: Option<NaiveDate>,
    /// Sessions that are lacking between the oldest and the newest day that were fetched, and up to the last one that is out.
    pub missing: Vec<NaiveDate>,
    /// How it last ended, and when.
    pub last: Option<(FetchOutcome, DateTime<Utc>)>,
    /// Why it is not asked, if it is not.
    pub need: Option<Need>,
}

/// What there is of a source.
pub(crate) fn listed(planner: &FetchPlanner<'_>, source: &Arc<Source>, need: Option<Need>) -> SourceStatus {
    let view = &planner.view;
    let last = view.manifest.of_source(&source.name).next_back().map(|line| (line.outcome, line.at));
    let is_daily = matches!(source.kind, Kind::Dated | Kind::Listed)
        && source.step == Step::Session
        && source.each.is_empty();
    let (newest, missing) = if is_daily {
        let to =
            source.until.map_or(source.last_ready(view.now), |until| until.min(source.last_ready(view.now)));
        (planner.newest_held(source, to), missing(planner, source, to))
    } else {
        (newest(planner, source), Vec::new())
    };
    SourceStatus { source: Arc::clone(source), newest, missing, last, need }
}

/// The newest day that lines of a source tell of.
fn newest(planner: &FetchPlanner<'_>, source: &Source) -> Option<NaiveDate> {
    let lines = planner
        .view
        .manifest
        .of_source(&source.name)
        .filter(|line| line.outcome.is_good() && line.blake3.is_some());
    let zone = source.market.time_zone();
    lines.map(|line| line.dated.unwrap_or_else(|| line.at.with_timezone(&zone).date_naive())).max()
}

/// Days from the oldest that was asked for with success to the last one that is out, whose file is not there, but for days that
/// were no session.
fn missing(planner: &FetchPlanner<'_>, source: &Arc<Source>, to: NaiveDate) -> Vec<NaiveDate> {
    let view = &planner.view;
    let lines = view.manifest.of_source(&source.name).filter(|line| line.outcome == FetchOutcome::Ok);
    let Some(from) = lines.filter_map(|line| line.item.parse::<NaiveDate>().ok()).min() else {
        return Vec::new();
    };
    if source.kind == Kind::Listed {
        return planner.listed_and_lacking(source, from, to);
    }
    let mut days = view.catalogue.calendar.days(source, from, to);
    days.retain(|day| {
        let last = view.manifest.answered(&source.name, &day.to_string());
        let is_holiday = last.is_some_and(|line| line.outcome == FetchOutcome::Holiday);
        !view.is_day_held(source, *day) && (!is_holiday || view.is_session(source.market, *day))
    });
    days
}
