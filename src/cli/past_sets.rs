//! `parquote derive --past`: derives a market as of earlier days, for calls that name such a day.

use std::collections::BTreeSet;

use anyhow::{Context as _, ensure};
use chrono::{Datelike as _, NaiveDate};
use clap::Args;

use super::output::say;
use super::times::date;
use crate::operation::Market;
use crate::set::Root;

/// The earlier days to derive.
#[derive(Debug, Clone, Args)]
pub(super) struct PastArgs {
    /// Derive past sets in place of the newest set: one for each of these days, with all that was known at the end of the last session up
    /// to that day, from the present raw files. A call with `snapshot=DATE` is answered from them. Days whose past set is there are left
    /// out, unless --full is set.
    #[arg(long, value_name = "DATE,...", value_delimiter = ',', value_parser = date, conflicts_with_all = ["as_of", "figures_only"])]
    past: Vec<NaiveDate>,
    /// Like --past, for the last session of each complete month, from the month of this date on.
    #[arg(long, value_name = "DATE", value_parser = date, conflicts_with_all = ["as_of", "figures_only"])]
    past_months: Option<NaiveDate>,
}

impl PastArgs {
    pub(super) const fn is_empty(&self) -> bool {
        self.past.is_empty() && self.past_months.is_none()
    }

    /// Returns the requested sessions that have no past set yet, oldest first. `sessions` has all sessions of the market, `there` those
    /// with a past set.
    ///
    /// # Errors
    /// A day before the first session or after the last one, or `--past-months` without a month that has ended.
    pub(super) fn missing_days(
        &self,
        market: Market,
        sessions: &[NaiveDate],
        there: &BTreeSet<NaiveDate>,
    ) -> anyhow::Result<BTreeSet<NaiveDate>> {
        let days = self.sessions(sessions).with_context(|| format!("{market}: --past"))?;
        for day in days.intersection(there) {
            say!("{market}: the past set of {day} is there already");
        }
        Ok(days.difference(there).copied().collect())
    }

    /// Returns the sessions of the requested days, from all sessions of the market, oldest first.
    fn sessions(&self, all: &[NaiveDate]) -> anyhow::Result<BTreeSet<NaiveDate>> {
        let (first, last) = all.first().zip(all.last()).context("the published set has no session")?;
        let range = format!("there are sessions from {first} to {last}");
        let mut chosen = BTreeSet::new();
        for day in &self.past {
            ensure!(day <= last, "{day} is after the last session; {range}");
            let session = all.iter().rev().find(|session| *session <= day);
            chosen.insert(*session.with_context(|| format!("{day} is before the first session; {range}"))?);
        }
        let month = |day: &NaiveDate| (day.year(), day.month());
        if let Some(since) = &self.past_months {
            let is_last = |pair: &&[NaiveDate]| matches!(pair, [one, next] if month(one) != month(next));
            let ends = all.windows(2).filter(is_last).filter_map(|pair| pair.first());
            let before = chosen.len();
            chosen.extend(ends.filter(|end| month(end) >= month(since)));
            ensure!(
                chosen.len() > before || !self.past.is_empty(),
                "no month since {since} has ended; {range}"
            );
        }
        Ok(chosen)
    }
}

/// Returns the days of a market's past sets that passed admission; the others are derived again.
///
/// # Errors
/// A folder or store that cannot be read.
pub(super) async fn days_there(root: &Root, market: Market) -> anyhow::Result<BTreeSet<NaiveDate>> {
    let sets = root.read_all(market).await?;
    let admitted = sets.iter().filter(|set| root.is_admitted(set) == Some(true));
    Ok(admitted.filter_map(|set| set.as_of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn days_are_those_of_sessions() {
        let all = ["2025-11-27", "2025-12-30", "2025-12-31", "2026-01-30", "2026-02-02"].map(day);
        let chosen = |past: &[&str], months: Option<&str>| {
            let args =
                PastArgs { past: past.iter().map(|text| day(text)).collect(), past_months: months.map(day) };
            args.sessions(&all).map(|days| days.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        // A day without a session is that of the session before it; each once.
        assert_eq!(chosen(&["2026-01-01", "2025-12-31"], None).unwrap(), ["2025-12-31"]);
        // The newest month has not ended.
        assert_eq!(chosen(&[], Some("2025-12-30")).unwrap(), ["2025-12-31", "2026-01-30"]);
        assert_eq!(chosen(&["2026-02-02"], Some("2026-01-01")).unwrap(), ["2026-01-30", "2026-02-02"]);
        // A year with a wrong digit, a day after the data, and a month that has not ended derive nothing.
        let refused = |past: &[&str], months| chosen(past, months).unwrap_err().to_string();
        let range = "from 2025-11-27 to 2026-02-02";
        for (error, day) in [
            (refused(&["2025-11-26"], None), "2025-11-26 is before"),
            (refused(&["2026-01-30", "2062-01-30"], None), "2062-01-30 is after"),
            (refused(&[], Some("2026-02-01")), "2026-02-01"),
        ] {
            assert!(error.contains(day) && error.contains(range), "{error}");
        }
    }

    #[test]
    fn days_that_are_there_are_left_out() {
        let all = ["2025-12-30", "2025-12-31", "2026-01-30", "2026-02-02"].map(day);
        let args = PastArgs { past: all.to_vec(), past_months: None };
        let there = BTreeSet::from([day("2025-12-31"), day("2024-01-01")]);
        let missing = args.missing_days(Market::India, &all, &there).unwrap();
        assert_eq!(missing, BTreeSet::from([day("2025-12-30"), day("2026-01-30"), day("2026-02-02")]));
    }
}
