//! Who sees a snapshot, and what the public is told whose lag no kept set has yet. Which callers are the public, others know.

use chrono::{DateTime, NaiveDate, Utc};
use parquote_catalogue::error::{ClientError, ErrorKind};

use parquote_catalogue::operation::Market;
use parquote_set::{PublicLag, Set};

/// Who sees a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Those who see each market as it is served now.
    Members,
    /// Those who see a market with a lag only up to a session that is old enough.
    Public,
}

/// That the public does not see rows yet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "rows of {market} are shown to this tier when their last session is {days} days old; {}. A key of another tier sees them now",
    since(*.from)
)]
pub struct Withheld {
    /// The market.
    pub market: Market,
    /// The lag in calendar days.
    pub days: u16,
    /// The day from which they are shown; none where no set with a session is kept.
    pub from: Option<NaiveDate>,
}

impl From<Withheld> for ClientError {
    fn from(withheld: Withheld) -> Self {
        Self::new(ErrorKind::Forbidden, withheld.to_string())
    }
}

fn since(from: Option<NaiveDate>) -> String {
    from.map_or_else(
        || "no rows with a session are kept yet".to_owned(),
        |day| format!("these can be seen from {day} on"),
    )
}

impl Audience {
    /// Whether it sees a set.
    pub(super) fn sees(self, lag: PublicLag, set: &Set, now: DateTime<Utc>) -> bool {
        self == Self::Members || lag.shows(set, now)
    }
}

impl Withheld {
    /// Of these sets the public sees none; it will see the oldest first.
    pub(super) fn of<'a>(
        lag: PublicLag,
        market: Market,
        sets: impl IntoIterator<Item = &'a Set>,
    ) -> Option<Self> {
        let oldest = sets.into_iter().filter_map(|set| set.as_of).min();
        let from = oldest.map(|session| lag.shown_from(market, session));
        Some(Self { market, days: lag.days(market)?, from })
    }
}
