//! Finds the exchange's sessions that the files lack, and the base of each day's change.
//!
//! If the files of a session have previous closes, these show whether files of another session are missing: most stocks then have a
//! previous close that differs from the close of their last bar. If not, the exchange's calendar decides. A change over a missing session
//! is against the previous close in the file; without one, the day's change is unknown.

use std::borrow::Cow;
use std::collections::HashMap;

use chrono::NaiveDate;

use crate::domain::action::Action;
use crate::domain::bar::Bar;
use crate::domain::missing_sessions::MissingSessions;
use crate::domain::session::Session;
use crate::error::RawError;
use crate::steps::merge::MergedSymbol;
use crate::steps::sessions::SessionNumbers;
use parquote_catalogue::operation::{Market, TradingDays};

/// Two closes closer than this differ only by rounding in files.
const ROUNDING_ERROR: f64 = 0.005_001;

/// Counts of the stocks of a session with a bar in the session before, by their previous closes.
#[derive(Debug, Clone, Copy, Default)]
struct PreviousCloses {
    /// Stocks with a previous close, and no action between the two sessions.
    stated: u32,
    /// Of these, stocks whose previous close differs from the close of the bar before.
    differing: u32,
    /// Stocks without a previous close.
    unstated: u32,
}

/// The number of gaps up to each session, by number of the session.
#[derive(Debug, Default)]
pub(crate) struct Gaps(Vec<u32>);

/// Finds the sessions that the files lack, and numbers the gaps; `actions` are those of each symbol.
pub(crate) fn find_missing(
    merged: &[MergedSymbol],
    actions: &HashMap<&str, &[Action]>,
    sessions: &[Session],
    numbers: &SessionNumbers,
    market: Market,
) -> Result<(Vec<MissingSessions>, Gaps), RawError> {
    let of_symbol = |symbol: &str| actions.get(symbol).copied().unwrap_or_default();
    let stocks = merged.iter().filter(|symbol| !symbol.is_index);
    let stocks = stocks.map(|symbol| Ok((symbol.bars.get()?, of_symbol(&symbol.symbol))));
    let counted = count_previous_closes(sessions, numbers, stocks)?;
    Ok(find(market, sessions, &counted, &TradingDays::embedded()))
}

/// Counts the previous closes of each session; `stocks` are the bars of each stock with its actions.
fn count_previous_closes<'a>(
    sessions: &[Session],
    numbers: &SessionNumbers,
    stocks: impl Iterator<Item = Result<(Cow<'a, Vec<Bar>>, &'a [Action]), RawError>>,
) -> Result<Vec<PreviousCloses>, RawError> {
    let mut counted = vec![PreviousCloses::default(); sessions.len()];
    for stock in stocks {
        let (bars, actions) = stock?;
        for (before, bar) in bars.iter().zip(bars.iter().skip(1)) {
            let (Some(last), Some(number)) = (numbers.number_on(before.date), numbers.number_on(bar.date))
            else {
                continue;
            };
            let Some(count) = counted.get_mut(number as usize).filter(|_| number == last + 1) else {
                continue;
            };
            if bar.previous_close <= 0.0 {
                count.unstated += 1;
            } else if !is_between(actions, before.date, bar.date) {
                count.stated += 1;
                count.differing += u32::from(differs(bar.previous_close, before.close()));
            }
        }
    }
    Ok(counted)
}

/// Finds the missing sessions, and numbers the gaps.
fn find(
    market: Market,
    sessions: &[Session],
    counted: &[PreviousCloses],
    days: &TradingDays,
) -> (Vec<MissingSessions>, Gaps) {
    let mut missing: Vec<MissingSessions> = Vec::new();
    let mut gaps = vec![0];
    let pairs = sessions.iter().zip(sessions.iter().skip(1)).zip(counted.iter().skip(1));
    for ((before, session), count) in pairs {
        let between: Vec<NaiveDate> =
            before.date.iter_days().skip(1).take_while(|day| *day < session.date).collect();
        let days_with = |is_session: Option<bool>| {
            let days = between.iter().filter(|day| days.was_session(market, **day) == is_session);
            days.copied().collect::<Vec<_>>()
        };
        let known = days_with(Some(true));
        // A few stocks are not significant: previous closes decide only if at least half of the comparable stocks have one.
        let is_missing = if count.stated > 0 && count.stated >= count.unstated {
            !between.is_empty() && 2 * count.differing > count.stated
        } else {
            !known.is_empty()
        };
        if is_missing {
            let unknown = if known.is_empty() { days_with(None) } else { known };
            let days = if unknown.is_empty() { between } else { unknown };
            missing.push(MissingSessions {
                days,
                before: session.date,
                stocks: count.differing + count.unstated,
            });
        }
        gaps.push(missing.len() as u32);
    }
    (missing, Gaps(gaps))
}

/// Returns the base of each bar's change, adjusted to the shares of the bar; NaN if it is unknown, as for the first bar of a price segment.
pub(crate) fn previous_closes(
    bars: &[Bar],
    session: &[u32],
    price_segment: &[u32],
    cumulative_split_factor: &[f64],
    gaps: &Gaps,
) -> Vec<f64> {
    let at = session.iter().zip(price_segment).zip(cumulative_split_factor);
    let rows: Vec<_> = bars.iter().zip(at).collect();
    let mut closes = Vec::with_capacity(bars.len());
    closes.extend(bars.first().map(|_| f64::NAN));
    for ((before, ((last, segment), shares)), (bar, ((number, segment_now), now))) in
        rows.iter().zip(rows.iter().skip(1))
    {
        let split = *shares / *now;
        let adjusted_close = before.close() * split;
        let is_over_a_gap = gaps.count_up_to(**last) != gaps.count_up_to(**number);
        // A stock without a bar in a session did not trade, or its row is missing: the next session's file decides.
        let may_be_stated = is_over_a_gap || **number != **last + 1;
        let stated =
            Some(bar).filter(|_| may_be_stated).and_then(|bar| stated_close(bar, before.close(), split));
        closes.push(match stated {
            _ if segment != segment_now => f64::NAN,
            Some(close) => close,
            None if is_over_a_gap => f64::NAN,
            None => adjusted_close,
        });
    }
    closes
}

/// Returns the previous close in the file of a bar, adjusted to the shares of the bar; `None` if it is missing or implausible for the open.
/// Files have it as traded, so a split of the day still has to be applied, but not a split of a missing session.
fn stated_close(bar: &Bar, close: f64, split: f64) -> Option<f64> {
    let [open, ..] = bar.prices;
    let distance = |close: f64| (open / close).ln().abs();
    let traded = Some(bar.previous_close).filter(|stated| *stated > 0.0)?;
    if !differs(traded, close) {
        return Some(close * split);
    }
    let [traded, adjusted] = [traded, traded * split];
    let nearest = if distance(adjusted) < distance(traded) { adjusted } else { traded };
    Some(nearest).filter(|close| distance(*close) < std::f64::consts::LN_2)
}

impl Gaps {
    fn count_up_to(&self, session: u32) -> u32 {
        self.0.get(session as usize).copied().unwrap_or_default()
    }
}

fn is_between(actions: &[Action], before: NaiveDate, date: NaiveDate) -> bool {
    actions.iter().any(|action| before < action.ex_date && action.ex_date <= date)
}

fn differs(stated: f64, close: f64) -> bool {
    (stated - close).abs() > ROUNDING_ERROR
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::bar::Series;

    const DAYS: [&str; 4] = ["2024-11-13", "2024-11-14", "2024-11-19", "2024-11-21"];

    fn sessions() -> Vec<Session> {
        DAYS.map(|day| Session { date: day.parse().unwrap(), stocks: 2 }).into()
    }

    /// Builds bars of a stock: session, previous close, open and close.
    fn bars(rows: &[(usize, f64, f64, f64)]) -> Vec<Bar> {
        let bar = |&(at, previous_close, open, close): &(usize, f64, f64, f64)| Bar {
            date: DAYS[at].parse().unwrap(),
            file: 0,
            line: 0,
            series: Series::Eq,
            prices: [open, open.max(close), open.min(close), close],
            volume: 1,
            delivered: -1,
            previous_close,
        };
        rows.iter().map(bar).collect()
    }

    fn found(market: Market, stocks: &[Vec<Bar>]) -> (Vec<String>, Gaps) {
        let (sessions, none) = (sessions(), &[][..]);
        let numbers = SessionNumbers::new(&sessions);
        let stocks = stocks.iter().map(|bars| Ok((Cow::Borrowed(bars), none)));
        let counted = count_previous_closes(&sessions, &numbers, stocks).unwrap();
        let (missing, gaps) = find(market, &sessions, &counted, &TradingDays::embedded());
        (missing.iter().map(ToString::to_string).collect(), gaps)
    }

    /// 15 and 20 November 2024 were holidays in India, so that only the 18th is missing; in the US the 15th, 18th and 20th are.
    #[test]
    fn a_session_is_missing_by_the_closes_before_or_by_the_calendar() {
        let stated = [
            bars(&[
                (0, 0.0, 10.0, 10.0),
                (1, 10.0, 10.0, 11.0),
                (2, 12.0, 12.0, 12.0),
                (3, 12.0, 12.0, 12.0),
            ]),
            bars(&[
                (0, 0.0, 50.0, 50.0),
                (1, 50.0, 50.0, 50.0),
                (2, 51.0, 50.0, 52.0),
                (3, 52.0, 50.0, 52.0),
            ]),
        ];
        let (missing, gaps) = found(Market::India, &stated);
        assert_eq!(missing, ["2024-11-18, before 2024-11-19: 2 stocks"]);
        assert_eq!(gaps.0, [0, 0, 1, 1]);
        let unstated =
            stated.map(|stock| stock.iter().map(|bar| Bar { previous_close: 0.0, ..*bar }).collect());
        assert_eq!(found(Market::India, &unstated).0, missing, "by the calendar");
        assert_eq!(
            found(Market::Us, &unstated).0,
            [
                "2024-11-15, 2024-11-18, before 2024-11-19: 2 stocks",
                "2024-11-20, before 2024-11-21: 2 stocks"
            ]
        );
    }

    #[test]
    fn a_change_over_a_gap_is_against_the_close_that_is_said_or_unknown() {
        let closes = |rows: &[(usize, f64, f64, f64)], splits: &[f64], gaps: [u32; 4]| {
            let bars = bars(rows);
            let session: Vec<u32> = rows.iter().map(|row| row.0 as u32).collect();
            previous_closes(&bars, &session, &vec![0; bars.len()], splits, &Gaps(gaps.into()))
        };
        let of =
            |closes: Vec<f64>| closes.iter().skip(1).map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let (one, gap) = ([1.0; 3], [0, 0, 1, 1]);
        let rows = |stated, open| [(1, 0.0, 10.0, 10.0), (2, stated, open, open), (3, 7.0, open, open)];
        assert_eq!(
            of(closes(&rows(11.0, 12.0), &one, gap)),
            "11 12",
            "7 is no close over which a session is missing"
        );
        assert_eq!(of(closes(&rows(0.0, 12.0), &one, gap)), "NaN 12");
        assert_eq!(of(closes(&rows(11.0, 12.0), &one, [0; 4])), "10 12", "no session is missing");
        assert_eq!(of(closes(&rows(1.0, 12.0), &one, gap)), "NaN 12", "no close of the day before");
        assert_eq!(of(closes(&rows(11.0, 2.4), &[1.0, 5.0, 5.0], gap)), "2.2 2.4", "a split of the day");
        assert_eq!(
            of(closes(&rows(2.2, 2.4), &[1.0, 5.0, 5.0], gap)),
            "2.2 2.4",
            "a split of the missing day"
        );
        // A stock that lacks a row of a session, or did not trade in it.
        let hole = |stated| [(0, 0.0, 10.0, 10.0), (2, stated, 12.0, 12.0)];
        assert_eq!(of(closes(&hole(11.0), &one, [0; 4])), "11");
        assert_eq!(of(closes(&hole(10.0), &one, [0; 4])), "10");
        assert_eq!(of(closes(&hole(0.0), &one, [0; 4])), "10");
    }
}
