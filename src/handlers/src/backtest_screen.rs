//! Picks of a back-test by a screen. In each period, they are the first stocks of the screen in the last set of the period.
//!
//! A set is opened only with the tables of the screener, and closed before the next set. The stocks of a screen in a set are cached, so
//! that the same screen with other rules opens no set. A call after one that took too long continues where the earlier call ended.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use chrono::NaiveDate;

use super::backtest_call::{TestedDays, refusal};
use super::backtest_picks::period_ends;
use super::handler::HandlerCall;
use super::screen_words::ScreenWords;
use super::screener_call::ScreenerCall;
use parquote_backtest::{BacktestError, Decision, Pick};
use parquote_catalogue::error::ClientError;
use parquote_catalogue::operation::Market;

/// Maximum number of picks of a day.
const MOST_PICKS: usize = 100;

/// Maximum number of cached lists of stocks, each of at most [`MOST_PICKS`] symbols.
const MOST_LISTS: usize = 2_048;

/// Market, id of the set, and canonical text of the screen.
type ListKey = (Market, String, String);

/// A cache of the first stocks of screens in sets.
#[derive(Default)]
pub(super) struct ScreenedDays(Mutex<HashMap<ListKey, Arc<[String]>>>);

impl ScreenedDays {
    /// Returns the picks of a screen, a decision for each period with a set, and a warning if periods have no set.
    ///
    /// # Errors
    /// No period has ended, no period has a set, or a set cannot answer the screen. The message then has the day of the set.
    pub(super) async fn picks(
        &self,
        call: &HandlerCall<'_>,
        screen: &ScreenerCall,
        days: TestedDays,
    ) -> Result<(Vec<Decision>, Option<String>), ClientError> {
        let every = call.text("every").unwrap_or_default();
        let sessions = call.snapshot.market(call.market).map(|market| market.sessions()).unwrap_or_default();
        let sessions: Vec<NaiveDate> = sessions.into_iter().filter(|date| days.contains(*date)).collect();
        let ends = period_ends(&sessions, every);
        if ends.is_empty() {
            let (first, last) = (days.from, days.to);
            return Err(refusal(BacktestError::NoDecision { first, last }.to_string()));
        }
        let mut known = call.past.sets(call.market);
        known.retain(|day, _| days.contains(*day));
        let (chosen, missing) = sets_of_periods(&ends, &known);
        let missing = missing_sets(call.market, every, &missing, ends.len());
        if chosen.is_empty() {
            // A sentence that is not understood now would not be understood by past sets either.
            let now = screen.listed(&ScreenWords::default(), call, call.snapshot, 1).await?;
            if let Some(unread) = now.unread {
                return Err(refusal(unread));
            }
            let missing = missing.unwrap_or_default();
            return Err(refusal(format!(
                "`screen`, like `saved`, is answered on past days by the sets of these days: {missing}"
            )));
        }
        let warning = missing.map(|missing| {
            format!("{missing}. Nothing was picked in them, so that earlier positions stayed.")
        });
        let top = call.int("top").and_then(|top| usize::try_from(top).ok()).unwrap_or(MOST_PICKS);
        let mut decisions = Vec::with_capacity(chosen.len());
        for (date, set) in chosen {
            let listed = self.listed(call, screen, set).await;
            let symbols = listed.map_err(|error| {
                let message = format!(
                    "the `screen` on {date}: {}; if later days can be answered, give a `from` after this day",
                    error.message
                );
                ClientError { message, ..error }
            })?;
            let present = |symbol: &String| {
                call.snapshot.present_symbol(call.market, symbol).unwrap_or_else(|| symbol.clone())
            };
            let picks = symbols.iter().take(top).map(|symbol| Pick { symbol: present(symbol), weight: None });
            decisions.push(Decision { date, picks: picks.collect() });
        }
        Ok((decisions, warning))
    }

    /// Returns the symbols of the first stocks of a screen in a set.
    async fn listed(
        &self,
        call: &HandlerCall<'_>,
        screen: &ScreenerCall,
        set: &str,
    ) -> Result<Arc<[String]>, ClientError> {
        let key = (call.market, set.to_owned(), screen.canonical());
        if let Some(known) = self.lists().get(&key) {
            return Ok(Arc::clone(known));
        }
        let opened = call.past.open(call.market, set, screen.tables(call)?, call.spent).await?;
        let began = Instant::now();
        // The cache of the screener is for the newest sets, so an empty one is used.
        let listed = screen.listed(&ScreenWords::default(), call, &opened, MOST_PICKS).await;
        call.spent.add(began.elapsed());
        let listed = listed?;
        if let Some(unread) = listed.unread {
            return Err(refusal(unread));
        }
        let symbols: Arc<[String]> = listed.symbols.into();
        let mut lists = self.lists();
        if lists.len() >= MOST_LISTS {
            lists.clear();
        }
        lists.insert(key, Arc::clone(&symbols));
        Ok(symbols)
    }

    fn lists(&self) -> MutexGuard<'_, HashMap<ListKey, Arc<[String]>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the last of the `known` sets in each period with its day, and the ends of the periods without a set. A period begins after the
/// end of the period before it.
fn sets_of_periods<'a>(
    ends: &[NaiveDate],
    known: &'a BTreeMap<NaiveDate, String>,
) -> (Vec<(NaiveDate, &'a str)>, Vec<NaiveDate>) {
    let (mut chosen, mut missing) = (Vec::new(), Vec::new());
    let mut before: Option<NaiveDate> = None;
    for end in ends.iter().copied() {
        match known.range(..=end).next_back() {
            Some((day, set)) if before < Some(*day) => chosen.push((*day, set.as_str())),
            _ => missing.push(end),
        }
        before = Some(end);
    }
    (chosen, missing)
}

/// Describes the periods without a set, with the command that makes these sets; `None` if there are no such periods.
fn missing_sets(market: Market, every: &str, missing: &[NaiveDate], periods: usize) -> Option<String> {
    /// Maximum number of days that the command names.
    const MOST_NAMED: usize = 60;
    let (first, last, count) = (missing.first()?, missing.last()?, missing.len());
    let days: Vec<String> = missing.iter().take(MOST_NAMED).map(ToString::to_string).collect();
    let (period, days) = match every {
        "weekly" => ("weeks", format!("--past {}", days.join(","))),
        "quarterly" => ("quarters", format!("--past {}", days.join(","))),
        _ => ("months", format!("--past-months {first}")),
    };
    let is_all = count <= MOST_NAMED || period == "months";
    let made = if is_all { "them".to_owned() } else { format!("the first {MOST_NAMED} of them") };
    Some(format!(
        "{count} of {periods} {period} have no past set ({first} to {last}), and \
         `parquote derive {days} --market {market} --raw DIR --data DIR` makes {made}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates<const COUNT: usize>(texts: [&str; COUNT]) -> Vec<NaiveDate> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn a_period_has_its_last_set_and_no_set_counts_for_two_periods() {
        let ends = dates(["2026-01-30", "2026-02-27", "2026-03-31", "2026-04-30"]);
        let days = dates(["2026-01-09", "2026-01-29", "2026-03-31", "2026-05-04"]);
        let known = days.iter().map(|day| (*day, day.to_string())).collect();
        let (chosen, missing) = sets_of_periods(&ends, &known);
        assert_eq!(chosen, [(days[1], "2026-01-29"), (days[2], "2026-03-31")]);
        assert_eq!(missing, dates(["2026-02-27", "2026-04-30"]));
        assert_eq!(sets_of_periods(&ends, &BTreeMap::new()), (Vec::new(), ends));
    }

    #[test]
    fn the_command_that_makes_missing_sets_is_named() {
        let missing = dates(["2026-02-27", "2026-04-30"]);
        let text = |every| missing_sets(Market::Us, every, &missing, 5).unwrap();
        for (every, periods, days) in [
            ("monthly", "months", "--past-months 2026-02-27"),
            ("quarterly", "quarters", "--past 2026-02-27,2026-04-30"),
        ] {
            let expected = format!("2 of 5 {periods} have no past set (2026-02-27 to 2026-04-30)");
            assert!(text(every).starts_with(&expected), "{}", text(every));
            assert!(
                text(every).contains(&format!("`parquote derive {days} --market us ")),
                "{}",
                text(every)
            );
        }
        assert!(text("quarterly").ends_with("makes them"));
        let weeks: Vec<NaiveDate> = missing[0].iter_weeks().take(61).collect();
        let many = |every| missing_sets(Market::Us, every, &weeks, 70).unwrap();
        assert!(many("weekly").ends_with("makes the first 60 of them"));
        assert!(
            !many("weekly").contains(&format!("{},", weeks[60])) && many("monthly").ends_with("makes them")
        );
        assert_eq!(missing_sets(Market::India, "weekly", &[], 5), None);
    }
}
