//! Which numbers of shares are known of a stock, and which of them holds on a day.
//!
//! In the US the newest cover of a filing says it, else a list: its market cap over the price in the same row. In India a list
//! says the number itself. A list of a weekend has what was known at the close of Friday. A count that was known only later is
//! used where there is no other, and said to be assumed.

use std::collections::HashMap;

use chrono::{Datelike, Days, NaiveDate};

use crate::raw::ciks::Ciks;
use crate::raw::domain::action::{Action, ActionKind};
use crate::raw::domain::bar::Bar;
use crate::raw::domain::share_count::CountedShares;
use crate::raw::reference_data::{ListedCap, ReferenceData};
use crate::raw::statements::cover_counts::CoverCount;
use crate::raw::statements::settle::Statements;
use crate::raw::steps::merge::Merged;

/// Days that a list without prices may be newer than the bar whose close stands for them.
const NEAR: i64 = 7;
/// Days after the last session in which a count that became known still belongs to it, where the set is as of no earlier day: the list that
/// is fetched on a weekend, or before the bars of its day.
const STILL_NEW: i64 = 31;
/// How far the prices of two classes may lie apart where the shares of all classes at the price of one are the company.
const APART: f64 = 1.25;

/// The shares of a stock on a day; none is NaN.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shares {
    pub(crate) count: f64,
    /// Whether the count was known only later, or is too old.
    pub(crate) is_assumed: bool,
}

/// The shares on `date` by counts that are sorted by the day on which they were known, carried over the actions between.
///
/// A split 1:5 (0.2) makes five shares of one, so a count is divided by the factors that it passes going forward in time.
pub(crate) fn on(counts: &[CountedShares], actions: &[Action], date: NaiveDate) -> Shares {
    let Some((CountedShares { day, shares, .. }, is_assumed)) = holding(counts, date) else {
        return Shares { count: f64::NAN, is_assumed: false };
    };
    let between: f64 = actions
        .iter()
        .filter(|action| action.kind != ActionKind::Other)
        .filter(|action| action.ex_date > day.min(date) && action.ex_date <= day.max(date))
        .map(|action| action.factor)
        .product();
    Shares { count: if day <= date { shares / between } else { shares * between }, is_assumed }
}

/// The count that holds on a day, and whether it is assumed: the newest cover, else the newest list; where neither was known,
/// the earliest that became known later, else the newest cover that is too old.
fn holding(counts: &[CountedShares], date: NaiveDate) -> Option<(CountedShares, bool)> {
    let (known, later) = counts.split_at(counts.partition_point(|count| count.known_on <= date));
    let cover = known.iter().rfind(|count| count.is_of_cover && date < count.ends_on());
    let list = || known.last().filter(|count| !count.is_of_cover);
    let assumed = || later.first().or(known.last());
    cover.or_else(list).map(|count| (*count, false)).or_else(|| assumed().map(|count| (*count, true)))
}

/// All that says numbers of shares.
pub(crate) struct ShareCounts<'a> {
    /// By symbol: issue sizes.
    sizes: HashMap<String, Vec<(NaiveDate, f64)>>,
    reference: &'a ReferenceData,
    /// The date of lists that have none.
    assumed: NaiveDate,
    /// The last session, where the set is as of no earlier day.
    newest: Option<NaiveDate>,
    filers: HashMap<&'a str, u64>,
    /// By symbol of the filer.
    covers: HashMap<&'a str, Vec<CoverCount>>,
    closes: HashMap<String, f64>,
}

impl<'a> ShareCounts<'a> {
    pub(crate) fn new(
        sizes: HashMap<String, Vec<(NaiveDate, f64)>>,
        reference: &'a ReferenceData,
        statements: Option<&'a Statements>,
        merged: &[Merged],
        (assumed, newest): (NaiveDate, Option<NaiveDate>),
    ) -> Self {
        let mut covers: HashMap<&str, Vec<CoverCount>> = HashMap::new();
        for (statements, cover) in
            statements.iter().flat_map(|it| it.covers.iter().map(move |cover| (it, cover)))
        {
            if let Some(symbol) = statements.symbols.get(cover.company as usize) {
                covers.entry(symbol).or_default().push(*cover);
            }
        }
        let close = |symbol: &Merged| symbol.ends.map(|[_, last]| (symbol.symbol.clone(), last.close()));
        let closes =
            if covers.is_empty() { HashMap::new() } else { merged.iter().filter_map(close).collect() };
        Self { sizes, reference, assumed, newest, filers: reference.ciks.by_symbol(), covers, closes }
    }

    /// The counts of a stock with these bars, by the day on which they were known.
    pub(crate) fn of(&self, symbol: &str, bars: &[Bar]) -> Vec<CountedShares> {
        let sizes = self.sizes.get(symbol).into_iter().flatten();
        let caps = self.reference.caps.get(symbol).into_iter().flatten();
        let mut counts: Vec<CountedShares> = sizes
            .map(|(day, shares)| CountedShares::of_list(*day, *shares))
            .chain(caps.filter_map(|cap| self.of_cap(cap, bars)))
            .chain(self.of_covers(symbol))
            .map(|count| self.known_by_now(count))
            .collect();
        counts.sort_by_key(|count| (count.known_on, count.day));
        counts
    }

    /// A count that became known soon after the last session of a set that is as of no earlier day: nobody who reads the set knew less.
    fn known_by_now(&self, count: CountedShares) -> CountedShares {
        let is_still_new = |last: &NaiveDate| (0..=STILL_NEW).contains(&(count.known_on - *last).num_days());
        match self.newest.filter(is_still_new) {
            Some(last) => CountedShares { known_on: last, ..count },
            None => count,
        }
    }

    /// A list's market cap over the list's own price; where it has none, over the close of its day.
    fn of_cap(&self, cap: &ListedCap, bars: &[Bar]) -> Option<CountedShares> {
        let date = cap.date.unwrap_or(self.assumed);
        let since_friday = date.weekday().num_days_from_monday().saturating_sub(4);
        let day = date.checked_sub_days(Days::new(u64::from(since_friday)))?;
        let close = || {
            let last = bars.iter().rfind(|bar| bar.date <= day)?;
            ((day - last.date).num_days() <= NEAR).then(|| last.close())
        };
        Some(CountedShares::of_list(day, cap.market_cap / cap.price.or_else(close)?))
    }

    /// The counts on the covers of the stock's company. They count no receipts, and the classes of shares that a cover adds up
    /// are worth the price of this one only where all trade near it.
    fn of_covers(&self, symbol: &str) -> impl Iterator<Item = CountedShares> {
        let listed = self.reference.listed.get(symbol).and_then(|listed| listed.name.as_deref());
        let cik = self.filers.get(symbol).filter(|_| !listed.is_some_and(is_of_receipts));
        let ciks: &Ciks = &self.reference.ciks;
        let covers = cik.and_then(|cik| self.covers.get(ciks.symbol(*cik)?)).into_iter().flatten();
        let is_alike = cik.is_none_or(|cik| {
            let close = self.closes.get(symbol).copied().unwrap_or(f64::NAN);
            let is_apart = |other: f64| close.max(other) > APART * close.min(other);
            ciks.symbol_where(*cik, |other| self.closes.get(other).is_some_and(|other| is_apart(*other)))
                .is_none()
        });
        covers.filter(move |cover| is_alike || !cover.has_classes).map(|cover| cover.count)
    }
}

/// Whether a name is that of receipts, one of which is several shares of a foreign company, or a part of one.
fn is_of_receipts(name: &str) -> bool {
    name.split(|c: char| !c.is_alphanumeric()).any(|word| {
        ["depositary", "depository", "adr", "ads", "adss"].iter().any(|of| word.eq_ignore_ascii_case(of))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn cover(known_on: &str, counted: &str, shares: f64) -> CountedShares {
        CountedShares { known_on: day(known_on), day: day(counted), shares, is_of_cover: true }
    }

    #[test]
    fn the_newest_cover_holds_then_the_newest_list_and_else_it_is_assumed() {
        let counts = [
            cover("2020-03-02", "2020-02-20", 10.0),
            cover("2020-05-04", "2020-04-20", 11.0),
            CountedShares::of_list(day("2020-06-01"), 99.0),
            CountedShares::of_list(day("2022-01-03"), 20.0),
            cover("2023-02-01", "2023-01-20", 30.0),
        ];
        let shares = |date: &str| {
            let shares = on(&counts, &[], day(date));
            (shares.count, shares.is_assumed)
        };
        assert_eq!(shares("2020-03-01"), (10.0, true), "known from the next day on");
        assert_eq!((shares("2020-03-02"), shares("2020-05-04")), ((10.0, false), (11.0, false)));
        assert_eq!(shares("2020-06-02"), (11.0, false), "a cover goes before a newer list");
        // 400 days after the 4th of May 2020 is the 8th of June 2021.
        assert_eq!((shares("2021-06-08"), shares("2021-06-09")), ((11.0, false), (99.0, false)));
        assert_eq!((shares("2022-01-03"), shares("2023-02-01")), ((20.0, false), (30.0, false)));
        assert_eq!(shares("2024-03-07"), (30.0, false));
        assert_eq!(shares("2024-03-08"), (30.0, true), "an old cover with nothing beside it");
        assert!(on(&[], &[], day("2020-01-01")).count.is_nan());
    }

    #[test]
    fn names_tell_receipts() {
        assert!(is_of_receipts("Alfa Ltd. American Depositary Shares, each representing two"));
        assert!(is_of_receipts("Beta plc (ADR)"));
        assert!(!is_of_receipts("Adsadra Corp. Common Stock"));
    }
}
