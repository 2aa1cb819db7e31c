//! Age of a market's data, as every top bar shows it: its last session, the number of later sessions of the exchange, and whether newer
//! data is there but not served.

use chrono::{DateTime, NaiveDate, Utc};
use maud::{Markup, Render, html};

use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;

/// Age of a market's data.
#[derive(Debug, Clone, Copy)]
pub struct DataAge {
    /// Market.
    pub market: Market,
    /// Last session.
    pub as_of: NaiveDate,
    /// Number of later sessions of the exchange whose data should be available.
    pub sessions_behind: u64,
    /// Number of a newer set that is there but not served.
    pub unserved: Option<u64>,
}

impl DataAge {
    /// Returns the age for a market with data; `None` without data.
    pub fn for_market(snapshot: &Snapshot, market: Market, now: DateTime<Utc>) -> Option<Self> {
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
