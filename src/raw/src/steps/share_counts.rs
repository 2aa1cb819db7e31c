//! Collects the share counts of a stock, and selects the one that holds on a day.
//!
//! In the US the newest cover of a filing has the count, else a list: its market cap over the price in the same row. In India a list has
//! the count itself. A list of a weekend has the state at the close of Friday. A count that became known later is used if there is no
//! other, and marked as assumed. No count crosses an unexplained jump, unless the jump counts as a split.

use std::collections::HashMap;

use chrono::{Datelike, Days, NaiveDate};

use crate::ciks::Ciks;
use crate::domain::action::{Action, ActionKind};
use crate::domain::bar::Bar;
use crate::domain::jump::Jump;
use crate::domain::share_count::CountedShares;
use crate::reference_data::{ListedCap, ReferenceData};
use crate::statements::cover_counts::CoverCount;
use crate::statements::settle::Statements;
use crate::steps::jump_rule::shares_made_in_weeks;
use crate::steps::merge::MergedSymbol;

/// Maximum number of days from the last bar to a list without prices for which the bar's close is used.
const MOST_DAYS_APART: i64 = 7;
/// Days after the last session within which a new count still belongs to that session, if the set has no earlier as-of date: a list may be
/// fetched on a weekend, or before the bars of its day.
const NEW_COUNT_DAYS: i64 = 31;
/// Maximum ratio of the prices of two classes at which the company's cap is the number of all shares times the price of one class.
const MOST_RATIO: f64 = 1.25;

/// The shares of a stock on a day; NaN if unknown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shares {
    pub(crate) count: f64,
    /// True if the count was published only after the day, or is too old.
    pub(crate) is_assumed: bool,
}

/// Maximum ratio of the counts on a cover and in a list: beyond it the cover has a placeholder, or thousands.
const MOST_APART: f64 = 10.0;

/// Share counts of a stock, and the facts that change them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownShares<'a> {
    /// Sorted by the day on which they became known.
    pub(crate) counts: &'a [CountedShares],
    pub(crate) actions: &'a [Action],
    /// Unexplained jumps, each of which starts a price segment.
    pub(crate) jumps: &'a [Jump],
}

impl KnownShares<'_> {
    /// Returns the shares on `date`, adjusted by actions and by jumps that count as splits.
    pub(crate) fn shares_on(self, date: NaiveDate) -> Shares {
        let adjusted = |count: &CountedShares| {
            let made = self.shares_became(count.day.min(date), count.day.max(date))?;
            let shares = if count.day <= date { count.shares * made } else { count.shares / made };
            Some(CountedShares { shares, ..*count })
        };
        let counts: Vec<CountedShares> = self.counts.iter().filter_map(adjusted).collect();
        let (count, is_assumed) = count_in_force(&counts, date).unwrap_or((f64::NAN, false));
        Shares { count, is_assumed }
    }

    /// Returns the shares that one share of the day `after` has become on the day `until`; `None` if that is unknown.
    ///
    /// A split 1:5 (0.2) makes five shares of one. A jump near 0.2 counts as such a split; the effect of other jumps and long absences is
    /// unknown, unless a split or bonus explains them.
    fn shares_became(self, after: NaiveDate, until: NaiveDate) -> Option<f64> {
        let is_within = |day: NaiveDate| day > after && day <= until;
        let actions = || self.actions.iter().filter(|action| action.kind != ActionKind::Other);
        let by_actions: f64 =
            actions().filter(|action| is_within(action.ex_date)).map(|action| action.factor).product();
        let mut made = 1.0 / by_actions;
        for jump in self.jumps.iter().filter(|jump| is_within(jump.date)) {
            let is_stated =
                |action: &Action| action.ex_date > jump.previous_date && action.ex_date <= jump.date;
            if !actions().any(is_stated) {
                made *= jump.shares_made?;
            }
        }
        Some(made)
    }
}

/// Returns the number of shares on a day, in shares of that day, and true if it is assumed. The newest filing cover has priority, then the
/// newest list. If neither was known on the day, the earliest count that became known later is used, else a cover that is too old. A cover
/// that differs too much from a list is ignored.
fn count_in_force(counts: &[CountedShares], date: NaiveDate) -> Option<(f64, bool)> {
    let (known, later) = counts.split_at(counts.partition_point(|count| count.known_on <= date));
    let is_from_list = |count: &&CountedShares| !count.is_from_cover;
    let list = known.iter().rfind(is_from_list);
    let later_list = list.or_else(|| later.iter().find(is_from_list));
    let is_plausible = |count: &CountedShares, list: Option<&CountedShares>| {
        let is_near = |ratio: f64| (1.0 / MOST_APART..=MOST_APART).contains(&ratio);
        !count.is_from_cover || list.is_none_or(|list| is_near(count.shares / list.shares))
    };
    let mut known = known.iter().rev().filter(|count| is_plausible(count, list)).peekable();
    let newest = known.peek().copied();
    let cover = known.find(|count| count.is_from_cover && date < count.ends_on());
    let sure = cover.or(newest.filter(is_from_list));
    let assumed = || later.iter().find(|count| is_plausible(count, later_list)).or(newest);
    sure.map(|count| (count.shares, false)).or_else(|| assumed().map(|count| (count.shares, true)))
}

/// All sources of share counts.
pub(crate) struct ShareCounts<'a> {
    /// Issue sizes by symbol.
    sizes: HashMap<String, Vec<(NaiveDate, f64)>>,
    reference: &'a ReferenceData,
    /// The date of undated lists.
    assumed: NaiveDate,
    /// The last session, if the set has no earlier as-of date.
    newest: Option<NaiveDate>,
    filers: HashMap<&'a str, u64>,
    /// Counts on covers, by symbol of the filer.
    covers: HashMap<&'a str, Vec<CoverCount>>,
    closes: HashMap<String, f64>,
}

impl<'a> ShareCounts<'a> {
    pub(crate) fn new(
        sizes: HashMap<String, Vec<(NaiveDate, f64)>>,
        reference: &'a ReferenceData,
        statements: Option<&'a Statements>,
        merged: &[MergedSymbol],
        assumed: NaiveDate,
        newest: Option<NaiveDate>,
    ) -> Self {
        let mut covers: HashMap<&str, Vec<CoverCount>> = HashMap::new();
        for (statements, cover) in
            statements.iter().flat_map(|it| it.covers.iter().map(move |cover| (it, cover)))
        {
            if let Some(symbol) = statements.symbols.get(cover.company as usize) {
                covers.entry(symbol).or_default().push(*cover);
            }
        }
        let close =
            |symbol: &MergedSymbol| symbol.ends.map(|[_, last]| (symbol.symbol.clone(), last.close()));
        let closes =
            if covers.is_empty() { HashMap::new() } else { merged.iter().filter_map(close).collect() };
        Self { sizes, reference, assumed, newest, filers: reference.ciks.by_symbol(), covers, closes }
    }

    /// Returns the counts of a stock with these bars, sorted by the day on which they became known.
    pub(crate) fn for_symbol(&self, symbol: &str, bars: &[Bar]) -> Vec<CountedShares> {
        let sizes = self.sizes.get(symbol).into_iter().flatten();
        let caps = self.reference.caps.get(symbol).into_iter().flatten();
        let mut counts: Vec<CountedShares> = sizes
            .map(|(day, shares)| CountedShares::from_list(*day, *shares))
            .chain(self.counts_on_covers(symbol))
            .map(|count| self.date_back_known(count))
            .chain(caps.filter_map(|cap| self.count_from_cap(cap, bars)))
            .collect();
        counts.sort_by_key(|count| (count.known_on, count.day));
        counts
    }

    /// Dates a count that became known soon after the last session back to it, if the set has no earlier as-of date.
    fn date_back_known(&self, count: CountedShares) -> CountedShares {
        let is_still_new =
            |last: &NaiveDate| (0..=NEW_COUNT_DAYS).contains(&(count.known_on - *last).num_days());
        match self.newest.filter(is_still_new) {
            Some(last) => CountedShares { known_on: last, ..count },
            None => count,
        }
    }

    /// Computes shares as a list's market cap over the list's own price, or without one over the close of its day. If a split is between
    /// the last bar and the list, the shares are those of the bar and marked as assumed.
    fn count_from_cap(&self, cap: &ListedCap, bars: &[Bar]) -> Option<CountedShares> {
        let date = cap.date.unwrap_or(self.assumed);
        let since_friday = date.weekday().num_days_from_monday().saturating_sub(4);
        let day = date.checked_sub_days(Days::new(u64::from(since_friday)))?;
        let close = || {
            let last = bars.iter().rfind(|bar| bar.date <= day)?;
            ((day - last.date).num_days() <= MOST_DAYS_APART).then(|| last.close())
        };
        let price = cap.price.or_else(close)?;
        let is_soon = |last: &&Bar| (1..=NEW_COUNT_DAYS).contains(&(day - last.date).num_days());
        let made = bars.last().filter(is_soon).and_then(|last| shares_made_in_weeks(last.close(), price));
        let count = CountedShares::from_list(day, cap.market_cap / (price * made.unwrap_or(1.0)));
        Some(if made.is_some() { count } else { self.date_back_known(count) })
    }

    /// Returns the counts on the covers of the stock's company. There are none for receipts, which covers do not count, and none if another
    /// class of the company trades at a different price, since a cover may count all classes together.
    fn counts_on_covers(&self, symbol: &str) -> impl Iterator<Item = CountedShares> {
        let listed = self.reference.listings.get(symbol).and_then(|listed| listed.name.as_deref());
        let cik = self.filers.get(symbol).filter(|_| !listed.is_some_and(names_receipts));
        let ciks: &Ciks = &self.reference.ciks;
        let covers = cik.and_then(|cik| self.covers.get(ciks.symbol(*cik)?)).into_iter().flatten();
        let is_alike = cik.is_none_or(|cik| {
            let close = self.closes.get(symbol).copied().unwrap_or(f64::NAN);
            let is_apart = |other: f64| close.max(other) > MOST_RATIO * close.min(other);
            ciks.symbol_where(*cik, |other| self.closes.get(other).is_some_and(|other| is_apart(*other)))
                .is_none()
        });
        covers.filter(move |cover| is_alike || !cover.has_classes).map(|cover| cover.count)
    }
}

/// Returns true if a name is that of receipts, each of several shares of a foreign company, or of a part of one.
fn names_receipts(name: &str) -> bool {
    name.split(|c: char| !c.is_alphanumeric()).any(|word| {
        ["depositary", "depository", "adr", "ads", "adss"].iter().any(|mark| word.eq_ignore_ascii_case(mark))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn cover(known_on: &str, counted: &str, shares: f64) -> CountedShares {
        CountedShares { known_on: day(known_on), day: day(counted), shares, is_from_cover: true }
    }

    #[test]
    fn the_newest_cover_holds_then_the_newest_list_and_else_it_is_assumed() {
        let counts = [
            cover("2020-03-02", "2020-02-20", 10.0),
            cover("2020-05-04", "2020-04-20", 11.0),
            CountedShares::from_list(day("2020-06-01"), 99.0),
            CountedShares::from_list(day("2022-01-03"), 20.0),
            cover("2023-02-01", "2023-01-20", 30.0),
        ];
        let shares = |date: &str| {
            let shares = KnownShares { counts: &counts, actions: &[], jumps: &[] }.shares_on(day(date));
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
        let none = KnownShares { counts: &[], actions: &[], jumps: &[] };
        assert!(none.shares_on(day("2020-01-01")).count.is_nan());
    }

    fn jump(date: &str, ratio: f64, shares_made: Option<f64>) -> Jump {
        let date = day(date);
        Jump {
            symbol: "AROHI".to_owned(),
            date,
            previous_date: date.pred_opt().unwrap(),
            open: ratio,
            previous_close: 1.0,
            ratio,
            sessions_apart: 1,
            is_spin_off: false,
            shares_made,
        }
    }

    #[test]
    fn no_count_crosses_a_jump_but_one_that_is_taken_for_a_split() {
        let counts = [cover("2020-03-02", "2020-02-20", 300.0)];
        let shares = |jumps: &[Jump], date: &str| {
            let shares = KnownShares { counts: &counts, actions: &[], jumps }.shares_on(day(date));
            (!shares.count.is_nan()).then_some((shares.count.round(), shares.is_assumed))
        };
        // Ten shares became one; one became five; one became two, while the price also rose by 2 %.
        for (ratio, made, after) in [(10.0, 0.1, 30.0), (0.2, 5.0, 1500.0), (0.51, 2.0, 600.0)] {
            let jumps = [jump("2020-04-01", ratio, Some(made))];
            assert_eq!(shares(&jumps, "2020-03-31"), Some((300.0, false)), "{ratio}");
            assert_eq!(shares(&jumps, "2020-04-01"), Some((after, false)), "{ratio}");
        }
        // A jump between the day of the count and the day of its filing; then two jumps after the filing.
        assert_eq!(shares(&[jump("2020-02-25", 0.5, Some(2.0))], "2020-02-20"), Some((300.0, true)));
        assert_eq!(shares(&[jump("2020-02-25", 0.5, Some(2.0))], "2020-03-02"), Some((600.0, false)));
        assert_eq!(
            shares(&[jump("2020-04-01", 0.5, Some(2.0)), jump("2020-05-01", 4.0, Some(0.25))], "2020-05-02"),
            Some((150.0, false))
        );
        // A count that became known later is converted back over a split, and over nothing else.
        assert_eq!(shares(&[jump("2020-01-10", 10.0, Some(0.1))], "2020-01-09"), Some((3000.0, true)));
        assert_eq!(shares(&[jump("2020-01-10", 0.62, None)], "2020-01-09"), None);
        assert_eq!(shares(&[jump("2020-04-01", 0.62, None)], "2020-04-01"), None);
        assert_eq!(shares(&[jump("2020-04-01", 0.62, None)], "2020-03-31"), Some((300.0, false)));
    }

    #[test]
    fn a_list_beyond_the_jump_holds_where_the_cover_cannot() {
        let counts =
            [cover("2020-03-02", "2020-02-20", 300.0), CountedShares::from_list(day("2020-04-10"), 310.0)];
        let jumps = [jump("2020-04-01", 0.62, None)];
        let shares = |date: &str| {
            let shares = KnownShares { counts: &counts, actions: &[], jumps: &jumps }.shares_on(day(date));
            (shares.count, shares.is_assumed)
        };
        assert_eq!((shares("2020-04-09"), shares("2020-04-10")), ((310.0, true), (310.0, false)));
    }

    #[test]
    fn a_cover_far_from_a_list_is_not_believed() {
        let list = |shares| CountedShares::from_list(day("2020-02-03"), shares);
        let on = |list: CountedShares, cover: CountedShares, date: &str| {
            let mut counts = [list, cover];
            counts.sort_by_key(|count| count.known_on);
            let shares = KnownShares { counts: &counts, actions: &[], jumps: &[] }.shares_on(day(date));
            (shares.count, shares.is_assumed)
        };
        let placeholder = cover("2020-03-02", "2020-02-20", 1000.0);
        assert_eq!(on(list(5e7), placeholder, "2020-03-05"), (5e7, false));
        assert_eq!(on(list(99.0), placeholder, "2020-03-05"), (99.0, false));
        assert_eq!(on(list(101.0), placeholder, "2020-03-05"), (1000.0, false), "within ten times");
        assert_eq!(
            on(list(5e7), cover("2020-01-02", "2020-01-02", 1000.0), "2020-01-05"),
            (1000.0, false),
            "no list is known"
        );
        assert_eq!(on(list(5e7), cover("2020-01-02", "2020-01-02", 1000.0), "2020-02-03"), (5e7, false));
    }

    #[test]
    fn names_tell_receipts() {
        assert!(names_receipts("Alfa Ltd. American Depositary Shares, each representing two"));
        assert!(names_receipts("Beta plc (ADR)"));
        assert!(!names_receipts("Adsadra Corp. Common Stock"));
    }
}
