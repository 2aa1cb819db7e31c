//! The audiences of a snapshot, and the error for rows that the public does not see yet. Callers decide which clients are the public.

use chrono::{DateTime, NaiveDate, Utc};
use parquote_catalogue::error::{ClientError, ErrorKind};

use parquote_catalogue::operation::Market;
use parquote_set::{PublicLag, Set};

/// An audience of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Clients that see the served set of each market.
    Members,
    /// Clients that see a market with a lag only up to a session that is old enough.
    Public,
}

/// The error for rows that the public does not see yet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "rows of {market} are shown to this tier when their last session is {days} days old; {}. A key of another tier sees them now",
    since_text(*.from)
)]
pub struct WithheldSets {
    /// The market of the rows.
    pub market: Market,
    /// The lag in calendar days.
    pub days: u16,
    /// The day from which the rows are shown; `None` if no set with a session is available.
    pub from: Option<NaiveDate>,
}

impl From<WithheldSets> for ClientError {
    fn from(withheld: WithheldSets) -> Self {
        Self::new(ErrorKind::Forbidden, withheld.to_string())
    }
}

fn since_text(from: Option<NaiveDate>) -> String {
    from.map_or_else(
        || "no rows with a session are available yet".to_owned(),
        |day| format!("these can be seen from {day} on"),
    )
}

impl Audience {
    /// Returns true if the audience sees a set.
    pub(super) fn may_see(self, lag: PublicLag, set: &Set, now: DateTime<Utc>) -> bool {
        self == Self::Members || lag.is_public(set, now)
    }
}

impl WithheldSets {
    /// Builds the error for sets that the public does not see; the oldest of them will be shown first.
    pub(super) fn from_sets<'a>(
        lag: PublicLag,
        market: Market,
        sets: impl IntoIterator<Item = &'a Set>,
    ) -> Option<Self> {
        let oldest = sets.into_iter().filter_map(|set| set.as_of).min();
        let from = oldest.map(|session| lag.public_from(market, session));
        Some(Self { market, days: lag.days(market)?, from })
    }
}
