//! Spans of figures: quarters are derived from longer spans, and balances of days are assigned to quarters and years.
//!
//! A quarter's figure is the figure since the start of the year minus that of the earlier quarters, which is taken from the span up to the
//! previous quarter, or else from those quarters. A reported quarter has precedence. Averages (the diluted shares) are never derived.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{Datelike, NaiveDate};

use crate::statements::row::{Basis, PeriodSpan, StatementRow};
use parquote_catalogue::operation::line_item::LineItem;

/// Months since the year 0.
type Month = i32;

fn month(date: NaiveDate) -> Month {
    date.year() * 12 + date.month0() as i32
}

/// Converts balances of a day to balances of a year, if a year of the company ends on it, and of a quarter, if a quarter ends on it.
/// Removes balances of other days and returns their number. `flows` are the rows of quarters and years.
pub(crate) fn assign_days(balances: &mut Vec<StatementRow>, flows: &[StatementRow]) -> u64 {
    let mut quarters: HashSet<(u32, Basis, Month)> = HashSet::new();
    let mut years: HashSet<(u32, Basis, Month)> = HashSet::new();
    for row in flows {
        match row.span {
            PeriodSpan::Quarter => quarters.insert((row.company, row.basis, month(row.period_end))),
            PeriodSpan::Year => years.insert((row.company, row.basis, month(row.period_end))),
            PeriodSpan::Day | PeriodSpan::Half | PeriodSpan::NineMonths => false,
        };
    }
    let mut of_years = Vec::new();
    let mut dropped = 0;
    balances.retain_mut(|row| {
        if row.span != PeriodSpan::Day {
            return true;
        }
        let end = month(row.period_end);
        let is_year = years.contains(&(row.company, row.basis, end));
        let is_quarter = quarters.contains(&(row.company, row.basis, end));
        if is_year && is_quarter {
            of_years.push(StatementRow { span: PeriodSpan::Year, file_line: 0, ..*row });
        }
        row.span = if is_quarter { PeriodSpan::Quarter } else { PeriodSpan::Year };
        dropped += u64::from(!is_year && !is_quarter);
        is_year || is_quarter
    });
    balances.extend(of_years);
    dropped
}

/// Rows that no filing states.
#[derive(Debug, Default)]
pub(crate) struct DerivedRows {
    /// Quarters that are differences of longer spans.
    pub(crate) differences: Vec<StatementRow>,
    /// Lines computed from two others.
    pub(crate) composed: Vec<StatementRow>,
}

type SeriesKey = (u32, Basis, LineItem);

/// The versions of a span by the month of its end, oldest filing first.
type Versions = BTreeMap<(Month, PeriodSpan), Vec<StatementRow>>;

/// Derives rows that are not reported: quarters from longer spans, and lines from two others of one filing. `rows` are flows; `repeats`
/// are flows that a later filing repeats unchanged: each filing of a longer span derives its quarter again, from the earlier quarters as
/// they were known at that time.
pub(crate) fn derive_missing(rows: &[StatementRow], repeats: &[StatementRow]) -> DerivedRows {
    let mut series: HashMap<SeriesKey, Versions> = HashMap::new();
    let is_derivable = |line: LineItem| line.adds_up() || line.components().is_some();
    for row in rows.iter().chain(repeats).filter(|row| is_derivable(row.line)) {
        let of_series = series.entry((row.company, row.basis, row.line)).or_default();
        of_series.entry((month(row.period_end), row.span)).or_default().push(*row);
    }
    let mut derived = DerivedRows::default();
    for ((.., line), versions) in &mut series {
        for of_one in versions.values_mut() {
            of_one.sort_by_key(|row| (row.filed_at.is_none(), row.filed_at));
        }
        if line.adds_up() {
            complete(versions, &mut derived.differences);
        }
    }
    for line in LineItem::all() {
        compose(line, &series, &mut derived.composed);
    }
    derived
}

/// Computes a line from two others, quarter by quarter and year by year, if a filing states both and none states the line itself.
fn compose(line: LineItem, series: &HashMap<SeriesKey, Versions>, made: &mut Vec<StatementRow>) {
    let Some((first, times, second)) = line.components() else { return };
    let (Some(first), Some(second)) = (LineItem::from_word(first), LineItem::from_word(second)) else {
        return;
    };
    for ((company, basis, _), firsts) in series.iter().filter(|((.., it), _)| *it == first) {
        let stated = series.get(&(*company, *basis, line));
        let Some(seconds) = series.get(&(*company, *basis, second)) else { continue };
        let of_periods =
            firsts.iter().filter(|((_, span), _)| matches!(span, PeriodSpan::Quarter | PeriodSpan::Year));
        for (period, of_first) in of_periods.filter(|(it, _)| stated.is_none_or(|all| !all.contains_key(it)))
        {
            let of_second = seconds.get(period).map(Vec::as_slice).unwrap_or_default();
            let mut last = None;
            for row in of_first {
                let is_of_filing =
                    |other: &&StatementRow| other.filed_at == row.filed_at && other.currency == row.currency;
                let Some(other) = of_second.iter().rev().find(is_of_filing) else { continue };
                let value = row.value + times * other.value;
                if last != Some(value) {
                    made.push(StatementRow { line, value, file_line: 0, ..*row });
                    last = Some(value);
                }
            }
        }
    }
}

/// Adds the missing quarters of one series.
fn complete(versions: &mut Versions, made: &mut Vec<StatementRow>) {
    // Spans are ordered by their end, so that a derived quarter serves the spans after it.
    let longer: Vec<(Month, PeriodSpan)> =
        versions.keys().copied().filter(|(_, span)| quarters(*span).is_some_and(|count| count > 1)).collect();
    for (end, span) in longer {
        if versions.contains_key(&(end, PeriodSpan::Quarter)) {
            continue;
        }
        let whole = versions.get(&(end, span)).cloned().unwrap_or_default();
        let mut quarters: Vec<StatementRow> = Vec::new();
        for whole in whole {
            let Some(before) = earlier_quarters(versions, end, span, &whole) else { continue };
            let value = whole.value - before;
            let changes_sign =
                whole.line.has_one_sign() && value < 0.0 && whole.value >= 0.0 && before >= 0.0;
            if !changes_sign {
                quarters.push(StatementRow { span: PeriodSpan::Quarter, value, file_line: 0, ..whole });
            }
        }
        if !quarters.is_empty() {
            let news = quarters.chunk_by(|a, b| a.value.total_cmp(&b.value).is_eq());
            made.extend(news.filter_map(|same| same.first()));
            versions.insert((end, PeriodSpan::Quarter), quarters);
        }
    }
}

/// Returns the sum of the quarters before the last one of a span, as it was known when the span was filed.
fn earlier_quarters(versions: &Versions, end: Month, span: PeriodSpan, whole: &StatementRow) -> Option<f64> {
    let known = |end: Month, span: PeriodSpan| -> Option<f64> {
        let of_span = versions.get(&(end, span))?;
        let in_time = of_span.iter().rev().find(|row| row.filed_at <= whole.filed_at);
        let row = in_time.or_else(|| of_span.first())?;
        (row.currency == whole.currency).then_some(row.value)
    };
    let count = quarters(span)?;
    let shorter = match span {
        PeriodSpan::Year => Some(PeriodSpan::NineMonths),
        PeriodSpan::NineMonths => Some(PeriodSpan::Half),
        PeriodSpan::Half | PeriodSpan::Quarter | PeriodSpan::Day => None,
    };
    shorter
        .and_then(|shorter| known(end - 3, shorter))
        .or_else(|| (1..count).map(|ago| known(end - 3 * ago, PeriodSpan::Quarter)).sum())
}

/// Returns the number of quarters in a span.
fn quarters(span: PeriodSpan) -> Option<Month> {
    match span {
        PeriodSpan::Quarter => Some(1),
        PeriodSpan::Half => Some(2),
        PeriodSpan::NineMonths => Some(3),
        PeriodSpan::Year => Some(4),
        PeriodSpan::Day => None,
    }
}
