//! Which sessions of a market are complete: every core file of the session was fetched, or is given up because it is too late.
//!
//! It looks only at files. Only the sources that a caller fetches count: no session waits for a file of any other source.

use std::sync::Arc;

use chrono::{Days, NaiveDate};

use super::source::Source;
use super::view::FetchView;

/// So many days before the last one are looked at.
const LOOKBACK: u64 = 40;

/// How far the sessions of a market are complete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CoreFiles {
    /// The newest session up to which no file is missing; none without a core file, or without a core source.
    pub complete: Option<NaiveDate>,
    /// Core files that are missing for a session and may still be published: the session and the source, the newest first.
    pub awaited: Vec<(NaiveDate, String)>,
}

/// How far sessions are complete by the core files of some sources of one market.
pub(crate) fn core_files(view: &FetchView<'_>, sources: &[Arc<Source>]) -> CoreFiles {
    let core: Vec<&Arc<Source>> = sources.iter().filter(|source| source.core).collect();
    let Some(last) = core.iter().map(|source| source.last_ready(view.now)).max() else {
        return CoreFiles::default();
    };
    let first = last.checked_sub_days(Days::new(LOOKBACK)).unwrap_or(last);
    let mut found = CoreFiles::default();
    for day in first.iter_days().take_while(|day| *day <= last) {
        let (there, lacking): (Vec<&Arc<Source>>, Vec<&Arc<Source>>) = core
            .iter()
            .copied()
            .filter(|source| source.covers(day))
            .partition(|source| view.is_day_held(source, day));
        let awaited: Vec<_> = lacking.into_iter().filter(|source| is_awaited(view, source, day)).collect();
        if there.is_empty() {
            continue;
        }
        found.awaited.extend(awaited.iter().map(|source| (day, source.name.clone())));
        if found.awaited.is_empty() {
            found.complete = Some(day);
        }
    }
    found.awaited.reverse();
    found
}

/// Whether the file of a day may yet come by itself.
fn is_awaited(view: &FetchView<'_>, source: &Source, day: NaiveDate) -> bool {
    view.now - source.ready_at(day) < source.retry.delta()
}
