//! Completeness of a market's sessions: a session is complete if every core file was fetched, or is too late to be awaited.
//!
//! Only the sources that a caller fetches count: no session waits for a file of another source.

use std::sync::Arc;

use chrono::{Days, NaiveDate};

use super::known_files::KnownFiles;
use super::source::Source;

/// Number of days that are checked before the last published one.
const LOOKBACK_DAYS: u64 = 40;

/// Completeness of a market's sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CoreFiles {
    /// The newest session up to which no file is missing; `None` without a core file or a core source.
    pub complete: Option<NaiveDate>,
    /// Core files that are missing and may still be published, as session and source, newest first.
    pub awaited: Vec<(NaiveDate, String)>,
}

/// Determines the complete sessions of a market, by the core files of these sources.
pub(crate) fn core_files(known: &KnownFiles<'_>, sources: &[Arc<Source>]) -> CoreFiles {
    let core: Vec<&Arc<Source>> = sources.iter().filter(|source| source.core).collect();
    let Some(last) = core.iter().map(|source| source.last_ready(known.now)).max() else {
        return CoreFiles::default();
    };
    let first = last.checked_sub_days(Days::new(LOOKBACK_DAYS)).unwrap_or(last);
    let mut result = CoreFiles::default();
    for day in first.iter_days().take_while(|day| *day <= last) {
        let (fetched, missing): (Vec<&Arc<Source>>, Vec<&Arc<Source>>) = core
            .iter()
            .copied()
            .filter(|source| source.includes_day(day))
            .partition(|source| known.is_day_on_disk(source, day));
        let may_appear = |source: &&Arc<Source>| known.now - source.ready_at(day) < source.retry.delta();
        let awaited: Vec<_> = missing.into_iter().filter(may_appear).collect();
        if fetched.is_empty() {
            continue;
        }
        result.awaited.extend(awaited.iter().map(|source| (day, source.name.clone())));
        if result.awaited.is_empty() {
            result.complete = Some(day);
        }
    }
    result.awaited.reverse();
    result
}
