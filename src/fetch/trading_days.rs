//! The days whose files are requested: weekdays, and weekend days that are known to have been sessions.
//!
//! There is no list of holidays: the archives decide them, and the manifest remembers them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Datelike as _, NaiveDate, Weekday};
use serde::Deserialize;

use super::declared_source::{self, Step};
use super::source::{Source, quarter_end};
use crate::operation::Market;

/// Hints on the days of both markets.
#[derive(Debug, Clone, Default)]
pub(crate) struct TradingDays {
    weekend_sessions: BTreeMap<Market, BTreeSet<NaiveDate>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredDays {
    #[serde(deserialize_with = "declared_source::days")]
    weekend_sessions: Vec<NaiveDate>,
}

impl TradingDays {
    /// Reads `calendar.toml`.
    ///
    /// # Errors
    /// What is wrong with it, in words with its line or key.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let markets: BTreeMap<Market, DeclaredDays> = declared_source::read(text)?;
        let days =
            markets.into_iter().map(|(market, file)| (market, file.weekend_sessions.into_iter().collect()));
        Ok(Self { weekend_sessions: days.collect() })
    }

    /// Whether a day may have been a session.
    pub(crate) fn may_trade(&self, market: Market, date: NaiveDate) -> bool {
        !matches!(date.weekday(), Weekday::Sat | Weekday::Sun)
            || self.weekend_sessions.get(&market).is_some_and(|days| days.contains(&date))
    }

    /// The days of a source from one day to another, the newest first. One day alone is asked for whatever weekday it is.
    pub(crate) fn days(&self, source: &Source, from: NaiveDate, to: NaiveDate) -> Vec<NaiveDate> {
        let from = from.max(source.since);
        let until = source.until.map_or(to, |until| until.min(to));
        if from > until {
            return Vec::new();
        }
        let all = from.iter_days().take_while(|day| *day <= until);
        let mut days: Vec<NaiveDate> = match source.step {
            Step::Session => all.filter(|day| from == to || self.may_trade(source.market, *day)).collect(),
            Step::Quarter => all.filter(|day| quarter_end(*day) == *day).collect(),
        };
        days.reverse();
        days
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenings_of_diwali_on_weekends_are_asked_for() {
        let days = TradingDays::parse(include_str!("../../sources/calendar.toml")).unwrap();
        let trades = |y, m, d| days.may_trade(Market::India, NaiveDate::from_ymd_opt(y, m, d).unwrap());
        assert!(trades(2026, 11, 8) && trades(2023, 11, 12) && trades(2026, 11, 9));
        assert!(!trades(2026, 11, 7) && !trades(2026, 11, 15));
    }
}
