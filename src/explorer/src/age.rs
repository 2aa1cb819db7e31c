//! Age of a market's data, as every top bar shows it: its last session, the number of later sessions of the exchange, and whether newer
//! data exists but is not served.

use chrono::{DateTime, NaiveDate, Utc};
use maud::{Markup, Render, html};

use super::moment::date;
use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;

/// Age of a market's data.
#[derive(Debug, Clone, Copy)]
pub struct DataAge {
    /// Market of the data.
    pub market: Market,
    /// Last session.
    pub as_of: NaiveDate,
    /// Number of later sessions of the exchange whose data should be available.
    pub sessions_behind: u64,
    /// Number of a newer set that exists but is not served.
    pub newer_set: Option<u64>,
}

/// Tables whose rows are older than the prices, with their names for readers and the format of their newest date.
const DATED: [(&str, &str, &str); 3] = [
    ("statements", "statements", "%b %Y"),
    ("shareholding", "shareholding", "%b %Y"),
    ("insider_trades", "insider trades", "%-d %b %Y"),
];

/// Describes in one line how recent the data of a market is: `NSE, 30 Oct 2026; statements to Sep 2026`.
pub(super) fn freshness(snapshot: &Snapshot, market: Market) -> Option<String> {
    let (as_of, tables) = (snapshot.as_of(market)?, snapshot.market(market)?);
    let exchanges = match market {
        Market::India => "NSE",
        Market::Us => "US exchanges",
    };
    let dated = DATED.iter().filter_map(|(table, name, format)| {
        Some(format!("; {name} to {}", tables.newest_row(table)?.format(format)))
    });
    Some(format!("{exchanges}, {}{}", date(as_of), dated.collect::<String>()))
}

impl DataAge {
    /// Returns the age for a market with data; `None` without data.
    pub fn for_market(snapshot: &Snapshot, market: Market, now: DateTime<Utc>) -> Option<Self> {
        let as_of = snapshot.as_of(market)?;
        let sessions_behind = snapshot.sessions_behind(market, now).unwrap_or_default();
        Some(Self { market, as_of, sessions_behind, newer_set: snapshot.newer_set(market) })
    }
}

impl Render for DataAge {
    fn render(&self) -> Markup {
        let sessions = self.sessions_behind;
        let plural = if sessions == 1 { "" } else { "s" };
        html! {
            span.age {
                "as of " time datetime=(self.as_of) { (date(self.as_of)) }
                @if sessions > 0 { " " span.late { (sessions) " session" (plural) " behind" } }
                @if let Some(set) = self.newer_set {
                    " " span.late title="It is being checked, or it was refused: the operator's /readyz says why." { "newer set " (set) " not served" }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquote_catalogue::operation::Catalogue;

    #[test]
    fn tables_of_the_line_are_declared_with_a_date() {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        for (name, ..) in DATED {
            let tables =
                Market::ALL.into_iter().filter_map(|market| Some((market, catalogue.table(market, name)?)));
            let dated: Vec<bool> =
                tables.map(|(market, table)| table.dates(market).next().is_some()).collect();
            assert!(dated.contains(&true), "{name}");
        }
    }
}
