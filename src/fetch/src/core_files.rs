//! Which sessions of a market are complete: every core file of the session was fetched, or is given up because it is too late.
//!
//! It looks only at files. Only the sources that a caller fetches count: no session waits for a file of any other source.

use std::sync::Arc;

use chrono::{Days, NaiveDate};

use super::known_files::KnownFiles;
use super::source::Source;

/// Days before the last one that are checked.
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
pub(crate) fn core_files(known: &KnownFiles<'_>, sources: &[Arc<Source>]) -> CoreFiles {
    let core: Vec<&Arc<Source>> = sources.iter().filter(|source| source.core).collect();
    let Some(last) = core.iter().map(|source| source.last_ready(known.now)).max() else {
        return CoreFiles::default();
    };
    let first = last.checked_sub_days(Days::new(LOOKBACK)).unwrap_or(last);
    let mut found = CoreFiles::default();
    for day in first.iter_days().take_while(|day| *day <= last) {
        let (there, lacking): (Vec<&Arc<Source>>, Vec<&Arc<Source>>) = core
            .iter()
            .copied()
            .filter(|source| source.covers(day))
            .partition(|source| known.is_day_held(source, day));
        let awaited: Vec<_> = lacking.into_iter().filter(|source| is_awaited(known, source, day)).collect();
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
fn is_awaited(known: &KnownFiles<'_>, source: &Source, day: NaiveDate) -> bool {
    known.now - source.ready_at(day) < source.retry.delta()
}
