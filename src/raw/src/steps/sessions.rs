//! Finds the dates that are sessions.
//!
//! A session is a date on which at least half as many common stocks traded as in the median of the 20 sessions before. The first date is
//! always a session, as it has no predecessors.

use std::borrow::Cow;
use std::collections::BTreeMap;

use chrono::{Datelike, NaiveDate};

use crate::domain::bar::Bar;
use crate::domain::session::Session;
use crate::error::RawError;
use crate::report::UnusedDate;

/// Number of earlier sessions with which a date is compared.
const LOOK_BACK: usize = 20;

/// One value for each calendar day from the earliest to the latest of some dates.
#[derive(Debug)]
struct DayTable<T> {
    /// The number of the first day.
    first: i32,
    days: Vec<T>,
}

/// Numbers of sessions by date.
#[derive(Debug)]
pub(crate) struct SessionNumbers {
    numbers: DayTable<Option<u32>>,
}

impl<T: Copy + Default> DayTable<T> {
    fn from_dates(dates: impl Iterator<Item = NaiveDate> + Clone) -> Self {
        let first = dates.clone().min().unwrap_or_default().num_days_from_ce();
        let last = dates.max().unwrap_or_default().num_days_from_ce();
        Self { first, days: vec![T::default(); (last - first) as usize + 1] }
    }

    fn get(&self, date: NaiveDate) -> Option<&T> {
        self.days.get(usize::try_from(date.num_days_from_ce() - self.first).ok()?)
    }

    fn get_mut(&mut self, date: NaiveDate) -> Option<&mut T> {
        self.days.get_mut(usize::try_from(date.num_days_from_ce() - self.first).ok()?)
    }
}

impl SessionNumbers {
    /// Numbers sessions by their positions.
    pub(crate) fn new(sessions: &[Session]) -> Self {
        let mut numbers = DayTable::from_dates(sessions.iter().map(|session| session.date));
        for (number, session) in (0..).zip(sessions) {
            numbers.get_mut(session.date).into_iter().for_each(|at| *at = Some(number));
        }
        Self { numbers }
    }

    /// Returns the number of the session on a date; `None` if the date is no session.
    pub(crate) fn number_on(&self, date: NaiveDate) -> Option<u32> {
        self.numbers.get(date).copied().flatten()
    }
}

/// Counts the stocks with a bar by date. `ends` are dates of first and last bars; a stock has one bar a day.
pub(crate) fn count<'a>(
    ends: impl Iterator<Item = NaiveDate> + Clone,
    stocks: impl Iterator<Item = Result<Cow<'a, Vec<Bar>>, RawError>>,
) -> Result<BTreeMap<NaiveDate, u32>, RawError> {
    let mut days: DayTable<(Option<NaiveDate>, u32)> = DayTable::from_dates(ends);
    for bars in stocks {
        for bar in bars?.iter() {
            if let Some((date, stocks)) = days.get_mut(bar.date) {
                *date = Some(bar.date);
                *stocks += 1;
            }
        }
    }
    Ok(days.days.into_iter().filter_map(|(date, stocks)| Some((date?, stocks))).collect())
}

/// Divides dates, with the number of stocks that traded, into sessions and unused dates.
pub(crate) fn find(stocks_by_date: &BTreeMap<NaiveDate, u32>) -> (Vec<Session>, Vec<UnusedDate>) {
    let mut sessions: Vec<Session> = Vec::with_capacity(stocks_by_date.len());
    let mut unused = Vec::new();
    for (&date, &stocks) in stocks_by_date {
        let before = sessions.get(sessions.len().saturating_sub(LOOK_BACK)..).unwrap_or_default();
        let usual = median(before);
        if usual.is_none_or(|usual| f64::from(stocks) >= 0.5 * usual) {
            sessions.push(Session { date, stocks });
        } else {
            unused.push(UnusedDate { date, stocks, usual: usual.unwrap_or_default() });
        }
    }
    (sessions, unused)
}

fn median(sessions: &[Session]) -> Option<f64> {
    let mut counts: Vec<u32> = sessions.iter().map(|session| session.stocks).collect();
    counts.sort_unstable();
    let upper = f64::from(*counts.get(counts.len() / 2)?);
    let lower = f64::from(*counts.get((counts.len() - 1) / 2)?);
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(counts: &[u32]) -> BTreeMap<NaiveDate, u32> {
        (1..).zip(counts).map(|(day, count)| (NaiveDate::from_yo_opt(2025, day).unwrap(), *count)).collect()
    }

    #[test]
    fn half_of_the_median_is_enough() {
        // The second date has 49 stocks, under half of the median 100, and does not count in later medians: 100, then 105, then 100.
        let (sessions, unused) = find(&dates(&[100, 49, 110, 53, 50]));
        let days: Vec<u32> = sessions.iter().map(|session| session.stocks).collect();
        assert_eq!(days, [100, 110, 53, 50]);
        assert_eq!(unused.iter().map(|date| (date.stocks, date.usual)).collect::<Vec<_>>(), [(49, 100.0)]);
    }

    #[test]
    fn stocks_are_counted_by_date_and_sessions_found_by_it() {
        let day = |day| NaiveDate::from_yo_opt(2025, day).unwrap();
        let bars = |days: &[u32]| -> Vec<Bar> {
            let bar = |date| Bar {
                date,
                file: 0,
                line: 0,
                series: crate::Series::Eq,
                prices: [1.0; 4],
                volume: 1,
                delivered: 1,
                previous_close: 0.0,
            };
            days.iter().map(|n| bar(day(*n))).collect()
        };
        let stocks = [bars(&[2, 5]), bars(&[]), bars(&[5, 9])];
        let ends = [2, 9].map(day).into_iter();
        let counted = count(ends, stocks.iter().map(|bars| Ok(Cow::Borrowed(bars)))).unwrap();
        assert_eq!(counted, BTreeMap::from([(day(2), 1), (day(5), 2), (day(9), 1)]));
        assert!(count(std::iter::empty(), std::iter::empty()).unwrap().is_empty());
        let sessions: Vec<Session> = [2, 9].map(|n| Session { date: day(n), stocks: 1 }).into();
        let numbers = SessionNumbers::new(&sessions);
        assert_eq!([1, 2, 5, 9, 10].map(|n| numbers.number_on(day(n))), [None, Some(0), None, Some(1), None]);
        assert_eq!(SessionNumbers::new(&[]).number_on(day(1)), None);
    }

    #[test]
    fn only_twenty_sessions_count() {
        let mut counts = vec![1000; 5];
        counts.extend([600; 20]);
        counts.push(301);
        counts.push(299);
        assert_eq!(find(&dates(&counts)).1.len(), 1);
    }
}
