//! The age of a company's statements: a part says how old its newest period is if the next statement is overdue.

use chrono::NaiveDate;
use maud::{Markup, html};
use serde_json::Value as Json;

use crate::page_rows::PageRow;
use crate::part_view::PartView;

/// Days from the end of a period by which its statement should be filed, with a month to spare.
const FILED_AFTER: i64 = 108;
/// Days of a quarter, the assumed length of a single period.
const QUARTER_DAYS: i64 = 92;
/// Days of a year, the greatest length of a period.
const YEAR_DAYS: i64 = 366;

/// The newest period of a company whose next statement is overdue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OldPeriod {
    end: NaiveDate,
    days: i64,
}

impl OldPeriod {
    /// Returns the newest period of a company's rows if it is old at the market's last session.
    pub(super) fn newest(view: PartView<'_>) -> Option<Self> {
        view.request.symbol.as_ref()?;
        Self::from_rows(&view.rows.rows, view.snapshot.as_of(view.request.market)?)
    }

    fn from_rows(rows: &[PageRow], as_of: NaiveDate) -> Option<Self> {
        let end = |row: &PageRow| row.get("period_end").and_then(Json::as_str)?.parse::<NaiveDate>().ok();
        let mut ends: Vec<NaiveDate> = rows.iter().filter_map(end).collect();
        ends.sort_unstable();
        ends.dedup();
        let newest = ends.pop()?;
        let length = ends
            .pop()
            .map_or(QUARTER_DAYS, |before| (newest - before).num_days().clamp(QUARTER_DAYS, YEAR_DAYS));
        let days = (as_of - newest).num_days();
        (days > length + FILED_AFTER).then_some(Self { end: newest, days })
    }

    fn sentence(self) -> String {
        format!("To {}, {:.1} years old.", self.end.format("%b %Y"), self.days as f64 / 365.25)
    }
}

/// Says how old the statements of a part are, if they are old.
pub(crate) fn period_age(view: PartView<'_>) -> Markup {
    html! { @if let Some(old) = OldPeriod::newest(view) { p { span.late { (old.sentence()) } } } }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn statements_are_old_once_the_next_ones_should_be_there() {
        let of = |ends: &[&str], as_of: &str| {
            let rows: Vec<PageRow> =
                ends.iter().map(|end| json!({"period_end": end}).as_object().unwrap().clone()).collect();
            OldPeriod::from_rows(&rows, as_of.parse().unwrap()).map(OldPeriod::sentence)
        };
        let quarters = ["2022-12-31", "2022-12-31", "2022-09-30"];
        assert_eq!(of(&quarters, "2026-08-21").as_deref(), Some("To Dec 2022, 3.6 years old."));
        assert_eq!(of(&quarters, "2023-07-19"), None);
        assert_eq!(of(&quarters, "2023-07-20").as_deref(), Some("To Dec 2022, 0.6 years old."));
        let years = ["2026-03-31", "2025-03-31"];
        assert_eq!(of(&years, "2027-07-01"), None);
        assert_eq!(of(&years, "2027-08-01").as_deref(), Some("To Mar 2026, 1.3 years old."));
        assert_eq!(
            of(&["2009-09-30", "2008-09-30"], "2026-08-21").as_deref(),
            Some("To Sep 2009, 16.9 years old.")
        );
        assert_eq!(of(&[], "2026-08-21"), None);
    }
}
