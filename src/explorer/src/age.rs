//! How old the data of a market is, as every top bar says it: its last session, how many sessions of the exchange came after it,
//! and whether newer data is there that is not served.

use chrono::{DateTime, NaiveDate, Utc};
use maud::{Markup, Render, html};

use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;

/// The age of the data of a market.
#[derive(Debug, Clone, Copy)]
pub struct DataAge {
    /// The market.
    pub market: Market,
    /// Its last session.
    pub as_of: NaiveDate,
    /// Sessions of the exchange since then whose data should be out.
    pub sessions_behind: u64,
    /// The number of a newer set that is there and not served.
    pub unserved: Option<u64>,
}

impl DataAge {
    /// That of a market with data.
    pub fn of(snapshot: &Snapshot, market: Market, now: DateTime<Utc>) -> Option<Self> {
        let as_of = snapshot.as_of(market)?;
        let sessions_behind = snapshot.sessions_behind(market, now).unwrap_or_default();
        Some(Self { market, as_of, sessions_behind, unserved: snapshot.unserved(market) })
    }
}

impl Render for DataAge {
    fn render(&self) -> Markup {
        let sessions = self.sessions_behind;
        let plural = if sessions == 1 { "" } else { "s" };
        html! {
            span.age {
                "as of " time datetime=(self.as_of) { (self.as_of.format("%-d %b %Y")) }
                @if sessions > 0 { " " span.late { (sessions) " session" (plural) " behind" } }
                @if let Some(set) = self.unserved {
                    " " span.late title="It is being checked, or it was refused: the operator's /readyz says why." { "newer set " (set) " not served" }
                }
            }
        }
    }
}
