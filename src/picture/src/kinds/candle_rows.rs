//! Price bars from rows: sorted, one per date, and grouped into weeks, months or quarters if there is no room for each.
//!
//! A row without a date or one of its four prices is skipped. Of two rows with the same date the later one counts.

use chrono::{Datelike, NaiveDate};

use crate::axis::long_date;
use crate::data::RoleColumns;

/// Maximum number of average lines.
pub(super) const AVERAGES: usize = 4;
/// Maximum number of level lines.
pub(super) const LEVELS: usize = 4;

/// Texts of the events on a bar, each with its date, as a bar may cover several sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Events {
    pub split: Option<String>,
    pub dividend: Option<String>,
    pub results: Option<String>,
}

impl Events {
    fn read(columns: &RoleColumns<'_>, row: usize, date: NaiveDate) -> Self {
        let words = |role: &str| {
            columns.is_set(role, row).then(|| event_text(date, columns.text(role, row).unwrap_or_default()))
        };
        Self { split: words("split"), dividend: words("dividend"), results: words("results") }
    }

    /// Appends the events of a later bar of the same group.
    fn add(&mut self, later: &Self) {
        for (text, later) in [
            (&mut self.split, &later.split),
            (&mut self.dividend, &later.dividend),
            (&mut self.results, &later.results),
        ] {
            match (text.as_mut(), later) {
                (Some(words), Some(more)) => {
                    words.push_str("; ");
                    words.push_str(more);
                }
                (None, Some(_)) => text.clone_from(later),
                _ => {}
            }
        }
    }
}

/// Returns the text of an event: its date, and its words if there are any.
fn event_text(date: NaiveDate, words: &str) -> String {
    let day = long_date(date);
    if words.is_empty() { day } else { format!("{day}: {words}") }
}

/// A price bar, possibly of several sessions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CandleRow {
    /// Last session.
    pub date: NaiveDate,
    pub open: f64,
    pub high: f64,
    pub low: f64,
    pub close: f64,
    pub volume: Option<f64>,
    pub rs: Option<f64>,
    pub has_rs_high: bool,
    pub averages: [Option<f64>; AVERAGES],
    pub levels: [Option<f64>; LEVELS],
    pub events: Events,
    pub rating: Option<f64>,
}

impl CandleRow {
    fn read(columns: &RoleColumns<'_>, row: usize) -> Option<Self> {
        fn numbers<const COUNT: usize>(
            columns: &RoleColumns<'_>,
            role: &str,
            row: usize,
        ) -> [Option<f64>; COUNT] {
            let mut numbers = [None; COUNT];
            for (number, column) in numbers.iter_mut().zip(columns.with_role(role)) {
                *number = column.column.number(row);
            }
            numbers
        }
        let date = columns.date("date", row)?;
        Some(Self {
            date,
            open: columns.number("open", row)?,
            high: columns.number("high", row)?,
            low: columns.number("low", row)?,
            close: columns.number("close", row)?,
            volume: columns.number("volume", row),
            rs: columns.number("rs", row),
            has_rs_high: columns.is_set("rs_high", row),
            averages: numbers(columns, "average", row),
            levels: numbers(columns, "level", row),
            events: Events::read(columns, row, date),
            rating: columns.number("rating", row),
        })
    }

    /// Merges a later bar of the same group into this one.
    fn add(&mut self, later: &Self) {
        self.date = later.date;
        self.high = self.high.max(later.high);
        self.low = self.low.min(later.low);
        self.close = later.close;
        self.volume = match (self.volume, later.volume) {
            (Some(volume), Some(more)) => Some(volume + more),
            (volume, more) => volume.or(more),
        };
        self.rs = later.rs.or(self.rs);
        self.has_rs_high |= later.has_rs_high;
        self.averages = later.averages;
        self.levels = later.levels;
        self.rating = later.rating;
        self.events.add(&later.events);
    }

    pub(super) fn is_up(&self) -> bool {
        self.close >= self.open
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BarPeriod {
    Day,
    Week,
    Month,
    Quarter,
}

impl BarPeriod {
    /// Returns the words for the note; empty for days, which need none.
    pub(super) const fn period_words(self) -> &'static str {
        match self {
            Self::Day => "",
            Self::Week => "weekly bars",
            Self::Month => "monthly bars",
            Self::Quarter => "quarterly bars",
        }
    }

    fn key(self, date: NaiveDate) -> i32 {
        match self {
            Self::Day => date.num_days_from_ce(),
            Self::Week => (date.num_days_from_ce() - 1).div_euclid(7),
            Self::Month => date.year() * 12 + date.month0() as i32,
            Self::Quarter => date.year() * 4 + (date.month0() / 3) as i32,
        }
    }
}

/// Returns the bars, grouped by the shortest period that gives at most `most` bars; quarters may give more.
pub(super) fn candle_rows(columns: &RoleColumns<'_>, most: usize) -> (Vec<CandleRow>, BarPeriod) {
    let mut rows: Vec<CandleRow> =
        (0..columns.rows).filter_map(|row| CandleRow::read(columns, row)).collect();
    rows.sort_by_key(|row| row.date);
    let mut daily: Vec<CandleRow> = Vec::with_capacity(rows.len());
    for row in rows {
        match daily.last_mut() {
            Some(last) if last.date == row.date => *last = row,
            _ => daily.push(row),
        }
    }
    let grouped = [BarPeriod::Day, BarPeriod::Week, BarPeriod::Month].into_iter().find_map(|bar| {
        let rows = group_by_period(&daily, bar);
        (rows.len() <= most).then_some((rows, bar))
    });
    grouped.unwrap_or_else(|| (group_by_period(&daily, BarPeriod::Quarter), BarPeriod::Quarter))
}

fn group_by_period(daily: &[CandleRow], bar: BarPeriod) -> Vec<CandleRow> {
    let groups = daily.chunk_by(|a, b| bar.key(a.date) == bar.key(b.date));
    groups
        .filter_map(|group| {
            let (first, later) = group.split_first()?;
            Some(later.iter().fold(first.clone(), |mut whole, row| {
                whole.add(row);
                whole
            }))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(date: &str, prices: [f64; 4], volume: Option<f64>) -> CandleRow {
        let [open, high, low, close] = prices;
        CandleRow {
            date: date.parse().expect("a date"),
            open,
            high,
            low,
            close,
            volume,
            rs: Some(close),
            has_rs_high: false,
            averages: [None; AVERAGES],
            levels: [None; LEVELS],
            events: Events::default(),
            rating: None,
        }
    }

    #[test]
    fn a_week_is_one_bar() {
        let mut friday = row("2026-11-06", [12.0, 15.0, 11.0, 14.0], None);
        friday.events.split = Some(event_text(friday.date, "2:1"));
        let mut monday = row("2026-11-02", [10.0, 11.0, 9.0, 10.5], Some(100.0));
        monday.events.split = Some(event_text(monday.date, "1:5"));
        let days = [
            monday,
            row("2026-11-03", [10.5, 13.0, 8.0, 12.0], Some(50.0)),
            friday,
            row("2026-11-09", [14.0, 14.5, 13.0, 13.5], Some(7.0)),
        ];
        let weeks = group_by_period(&days, BarPeriod::Week);
        let mut first = row("2026-11-06", [10.0, 15.0, 8.0, 14.0], Some(150.0));
        first.events.split = Some("2 Nov 2026: 1:5; 6 Nov 2026: 2:1".to_owned());
        assert_eq!(weeks, [first, days[3].clone()]);
        assert_eq!(group_by_period(&days, BarPeriod::Day).len(), 4);
        assert_eq!(group_by_period(&days, BarPeriod::Month).len(), 1);
    }
}
