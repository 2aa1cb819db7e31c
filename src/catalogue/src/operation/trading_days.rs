//! The calendars of the exchanges: sessions on weekends, and holidays of some years.
//!
//! Files are fetched for every weekday and for these weekend days. A weekday without a file in the archives was a holiday.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Datelike as _, NaiveDate, Weekday};
use serde::{Deserialize, Deserializer};

use super::market::Market;
use super::sessions_behind::is_session;
use super::toml_text::{read_toml, toml_date};

/// The built-in calendars.
const EMBEDDED: &str = include_str!("../../../../sources/calendar.toml");

/// Trading days of both markets.
#[derive(Debug, Clone, Default)]
pub struct TradingDays {
    weekend_sessions: BTreeMap<Market, BTreeSet<NaiveDate>>,
    /// Weekdays on which a market was closed, as far as they are known.
    closed: BTreeMap<Market, ClosedDays>,
}

/// Closed weekdays other than the holidays that follow from a rule.
#[derive(Debug, Clone)]
struct ClosedDays {
    days: BTreeSet<NaiveDate>,
    /// First and last year in which all closed weekdays are known.
    years: [i32; 2],
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredDays {
    #[serde(deserialize_with = "deserialize_dates")]
    weekend_sessions: Vec<NaiveDate>,
    #[serde(default, deserialize_with = "deserialize_dates")]
    closed: Vec<NaiveDate>,
    #[serde(default)]
    closed_years: [i32; 2],
}

impl TradingDays {
    /// Parses `calendar.toml`.
    ///
    /// # Errors
    /// The fault, with its line or key.
    pub fn parse(text: &str) -> Result<Self, String> {
        let markets: BTreeMap<Market, DeclaredDays> =
            read_toml(text).map_err(|(line, message)| format!("line {line}: {message}"))?;
        let mut trading_days = Self::default();
        for (market, DeclaredDays { weekend_sessions, closed, closed_years }) in markets {
            trading_days.weekend_sessions.insert(market, weekend_sessions.into_iter().collect());
            let closed = ClosedDays { days: closed.into_iter().collect(), years: closed_years };
            trading_days.closed.insert(market, closed);
        }
        Ok(trading_days)
    }

    /// Returns the built-in calendars.
    pub fn embedded() -> Self {
        Self::parse(EMBEDDED).unwrap_or_default()
    }

    /// Returns true if a day was a session; `None` for a weekday outside the years whose holidays are known.
    pub fn was_session(&self, market: Market, date: NaiveDate) -> Option<bool> {
        if matches!(date.weekday(), Weekday::Sat | Weekday::Sun) || !is_session(market, date) {
            return Some(self.weekend_sessions.get(&market).is_some_and(|days| days.contains(&date)));
        }
        let closed = self.closed.get(&market)?;
        let [first, last] = closed.years;
        let is_open = || (first..=last).contains(&date.year()).then_some(true);
        if closed.days.contains(&date) { Some(false) } else { is_open() }
    }

    /// Returns true for a weekday and for a weekend day with a session.
    pub fn may_trade(&self, market: Market, date: NaiveDate) -> bool {
        !matches!(date.weekday(), Weekday::Sat | Weekday::Sun)
            || self.weekend_sessions.get(&market).is_some_and(|days| days.contains(&date))
    }
}

/// Deserializes a list of dates.
fn deserialize_dates<'de, D: Deserializer<'de>>(list: D) -> Result<Vec<NaiveDate>, D::Error> {
    let dates = Vec::<toml::value::Datetime>::deserialize(list)?;
    let dates: Option<Vec<_>> = dates.into_iter().map(toml_date).collect();
    dates.ok_or_else(|| serde::de::Error::custom("they must be dates such as 2019-10-01"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenings_of_diwali_on_weekends_are_asked_for() {
        let days = TradingDays::parse(EMBEDDED).unwrap();
        let trades = |y, m, d| days.may_trade(Market::India, NaiveDate::from_ymd_opt(y, m, d).unwrap());
        assert!(trades(2026, 11, 8) && trades(2023, 11, 12) && trades(2026, 11, 9));
        assert!(!trades(2026, 11, 7) && !trades(2026, 11, 15));
    }

    #[test]
    fn a_day_was_a_session_was_none_or_is_not_known() {
        let days = TradingDays::embedded();
        let was = |market, date: &str| days.was_session(market, date.parse().unwrap());
        for (date, is) in [
            ("2024-11-18", Some(true)),
            // Guru Nanak Jayanti, a Sunday, a drill on a Saturday, Christmas, and the evening of Diwali in 2024.
            ("2024-11-15", Some(false)),
            ("2024-11-17", Some(false)),
            ("2024-01-20", Some(true)),
            ("2024-12-25", Some(false)),
            ("2024-11-01", Some(true)),
            // Before and after the years whose holidays are known.
            ("2019-03-04", None),
            ("2031-03-04", None),
        ] {
            assert_eq!(was(Market::India, date), is, "{date}");
        }
        for (date, is) in
            [("2025-01-09", false), ("2025-01-13", true), ("2026-07-03", false), ("2012-10-30", false)]
        {
            assert_eq!(was(Market::Us, date), Some(is), "{date}");
        }
        let bare = TradingDays::parse("[us]\nweekend_sessions = []\n").unwrap();
        assert_eq!(bare.was_session(Market::Us, "2025-01-13".parse().unwrap()), None);
    }
}
