//! Which dates are sessions.
//!
//! A date on which at least half as many common stocks traded as in the median of the 20 sessions before. The first date is
//! taken as it is: there is nothing to measure it by.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::Session;
use crate::derive::report::UnusedDate;

/// Sessions that a date is measured by.
const LOOK_BACK: usize = 20;

/// Parts dates, with the number of stocks that traded, into sessions and dates that are not used.
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
        // Medians before each: none, 100, 100, (100 + 110) / 2 = 105 of 100, 110 after 49 fell out, 100 of 100, 110, 53.
        let (sessions, unused) = find(&dates(&[100, 49, 110, 53, 50]));
        let days: Vec<u32> = sessions.iter().map(|session| session.stocks).collect();
        assert_eq!(days, [100, 110, 53, 50]);
        assert_eq!(unused.iter().map(|date| (date.stocks, date.usual)).collect::<Vec<_>>(), [(49, 100.0)]);
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
