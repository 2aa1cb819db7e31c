//! The age that the last session of a set must have before the public sees the set, and the sets that this requires. Callers decide which
//! readers are the public.

use std::str::FromStr;

use chrono::{DateTime, Days, NaiveDate, Utc};

use super::manifest::Set;
use parquote_catalogue::operation::Market;

/// Calendar days, for each market, from the last session of a set to the day on which the public sees the set; `None` without a lag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PublicLag {
    india: Option<u16>,
    us: Option<u16>,
}

impl PublicLag {
    /// Creates the lags of these markets; of two for one market, the last one counts.
    pub fn from_markets(markets: impl IntoIterator<Item = MarketLag>) -> Self {
        markets.into_iter().fold(Self::default(), |lag, MarketLag { market, days }| match market {
            Market::India => Self { india: Some(days), ..lag },
            Market::Us => Self { us: Some(days), ..lag },
        })
    }

    /// Returns the lag of a market in calendar days; `None` without a lag.
    pub const fn days(self, market: Market) -> Option<u16> {
        match market {
            Market::India => self.india,
            Market::Us => self.us,
        }
    }

    /// Returns the date, in the exchange's time zone, from which the public sees data up to a session.
    pub fn public_from(self, market: Market, session: NaiveDate) -> NaiveDate {
        let days = self.days(market).unwrap_or_default();
        session.checked_add_days(Days::new(days.into())).unwrap_or(NaiveDate::MAX)
    }

    /// Returns true if the public may see a set. A set without a session never counts as old enough.
    pub fn is_public(self, set: &Set, now: DateTime<Utc>) -> bool {
        let today = now.with_timezone(&set.market.time_zone()).date_naive();
        self.days(set.market).is_none()
            || set.as_of.is_some_and(|session| self.public_from(set.market, session) <= today)
    }

    /// Returns the numbers of the sets that the public needs, newest first: the one that it sees, one to roll back to, and those that it
    /// will see, which are the newest sets of later sessions. `sets` are newest first.
    pub(super) fn sets_needed(self, sets: &[Set], now: DateTime<Utc>) -> Vec<u64> {
        /// The content that the public sees, and the one to roll back to.
        const PUBLIC_CONTENTS: usize = 2;
        let (mut sessions, mut contents, mut needed) = (Vec::new(), Vec::new(), Vec::new());
        for set in sets.iter().filter(|set| self.days(set.market).is_some()) {
            if self.is_public(set, now) {
                if contents.len() < PUBLIC_CONTENTS && !contents.contains(&&set.id) {
                    contents.push(&set.id);
                    needed.push(set.number);
                }
            } else if set.as_of.is_some() && !sessions.contains(&set.as_of) {
                sessions.push(set.as_of);
                needed.push(set.number);
            }
        }
        needed
    }
}

/// The lag of one market, as written in settings: `india=30d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarketLag {
    /// The market.
    pub market: Market,
    /// Calendar days.
    pub days: u16,
}

impl FromStr for MarketLag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("`{text}` is not a lag of a market; write for example india=30d");
        let (market, days) = text.split_once('=').ok_or_else(wrong)?;
        let days = days.strip_suffix('d').and_then(|days| days.parse().ok()).filter(|days| *days > 0);
        Ok(Self { market: market.parse()?, days: days.ok_or_else(wrong)? })
    }
}

impl std::fmt::Display for MarketLag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}d", self.market, self.days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lag_is_whole_days_of_a_market() {
        let read = |text: &str| text.parse::<MarketLag>();
        assert_eq!(read("india=30d"), Ok(MarketLag { market: Market::India, days: 30 }));
        assert_eq!(read("us=1d").unwrap().to_string(), "us=1d");
        for (wrong, expected) in [
            ("india", "`india` is not a lag of a market; write for example india=30d"),
            ("india=30", "india=30d"),
            ("india=0d", "india=30d"),
            ("india=-3d", "india=30d"),
            ("mars=3d", "the markets are india and us"),
        ] {
            let message = read(wrong).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
