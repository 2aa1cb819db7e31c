//! Builds the columns of a symbol from its selected bars: splits and bonuses, shares, price segments.
//!
//! Prices stay unadjusted, with their factors in separate columns. No value of a bar depends on a bar or an action after it.

use chrono::NaiveDate;

use crate::domain::action::Action;
use crate::domain::bar::{Bar, SymbolBars};
use crate::domain::jump::Jump;
use crate::domain::share_count::CountedShares;
use crate::steps::jump_rule::{JumpRule, Move, PriceStep};
use crate::steps::missing_sessions::{self, Gaps};
use crate::steps::sessions::SessionNumbers;
use crate::steps::share_counts::KnownShares;

/// Sessions after which an absence ends a history: earlier averages and highs are meaningless after such a suspension.
const LONGEST_GAP: u32 = 60;
/// First bars of a listing, in which the price may still be forming. Files do not distinguish a listing from their own beginning.
const FIRST_BARS: usize = 5;

/// Facts on a symbol other than its bars.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownOfSymbol<'a> {
    /// Sorted by ex-date.
    pub(crate) actions: &'a [Action],
    /// Ex-dates of demergers and spin-offs without a factor.
    pub(crate) spin_offs: &'a [NaiveDate],
    /// Sorted by the day on which they became known.
    pub(crate) counts: &'a [CountedShares],
    pub(crate) sessions: &'a SessionNumbers,
    pub(crate) gaps: &'a Gaps,
    /// The market's last session.
    pub(crate) last: NaiveDate,
    /// The rule by which moves are judged.
    pub(crate) rule: JumpRule,
}

/// The far moves of a symbol, by verdict.
#[derive(Debug, Default)]
pub(crate) struct FarMoves {
    /// Each starts a price segment.
    pub(crate) jumps: Vec<Jump>,
    /// Far moves within their price segment.
    pub(crate) real: Vec<Jump>,
}

/// Builds the columns of a symbol and lists its far moves. Bars on dates that are no session must have been removed.
pub(crate) fn columns(symbol: String, bars: &[Bar], known: KnownOfSymbol<'_>) -> (SymbolBars, FarMoves) {
    let session: Vec<u32> = bars.iter().filter_map(|bar| known.sessions.number_on(bar.date)).collect();
    let (price_segment, moves) = number_price_segments(&symbol, bars, &session, known);
    let first = bars.first().map_or(NaiveDate::MAX, |bar| bar.date);
    let counted = known.counts.iter().flat_map(|count| [count.known_on, count.ends_on()]);
    let jumped = moves.jumps.iter().map(|jump| jump.date);
    let mut changes: Vec<NaiveDate> =
        known.actions.iter().map(|action| action.ex_date).chain(counted).chain(jumped).collect();
    changes.sort_unstable();
    let of_shares = KnownShares { counts: known.counts, actions: known.actions, jumps: &moves.jumps };
    let shares = values_on_dates(bars, &changes, |date| of_shares.on(date));
    let now = of_shares.on(known.last);
    let price = |of: fn([f64; 4]) -> f64| bars.iter().map(|bar| of(bar.prices)).collect::<Vec<f64>>();
    let cumulative_split_factor =
        values_on_dates(bars, &changes, |date| split_factor(known.actions, first, Some(date)));
    let split_factors = &cumulative_split_factor;
    let previous_close =
        missing_sessions::previous_closes(bars, &session, &price_segment, split_factors, known.gaps);
    let columns = SymbolBars {
        symbol,
        session,
        series: bars.iter().map(|bar| bar.series).collect(),
        open: price(|[open, ..]| open),
        high: price(|[_, high, ..]| high),
        low: price(|[_, _, low, _]| low),
        close: price(|[.., close]| close),
        volume: bars.iter().map(|bar| bar.volume).collect(),
        delivered: bars.iter().map(|bar| bar.delivered).collect(),
        cumulative_split_factor_now: split_factor(known.actions, first, None),
        cumulative_split_factor,
        shares: shares.iter().map(|shares| shares.count).collect(),
        shares_assumed: shares.iter().map(|shares| shares.is_assumed).collect(),
        shares_now: (now.count, now.is_assumed),
        price_segment,
        previous_close,
    };
    (columns, moves)
}

/// Returns the value of `of` on the date of each bar. It changes only on the dates in `changes`, which are sorted, so it is computed once
/// for the bars between two of them.
fn values_on_dates<T: Copy>(bars: &[Bar], changes: &[NaiveDate], of: impl Fn(NaiveDate) -> T) -> Vec<T> {
    let mut column = Vec::with_capacity(bars.len());
    let mut rest = bars;
    while let Some(first) = rest.first() {
        let next = changes.get(changes.partition_point(|change| *change <= first.date));
        let run = next.map_or(rest.len(), |next| rest.partition_point(|bar| bar.date < *next));
        column.resize(column.len() + run, of(first.date));
        rest = rest.get(run..).unwrap_or_default();
    }
    column
}

/// Returns the shares that one share of the first bar has become by `date`, or by all actions: a split 1:5 (0.2) makes five of one.
fn split_factor(actions: &[Action], first: NaiveDate, date: Option<NaiveDate>) -> f64 {
    let by = actions.partition_point(|action| date.is_none_or(|date| action.ex_date <= date));
    let passed = actions.iter().take(by).filter(|action| action.ex_date > first);
    passed.fold(1.0, |shares, action| shares / action.factor)
}

/// Numbers the price segments of a symbol and lists its far moves.
fn number_price_segments(
    symbol: &str,
    bars: &[Bar],
    session: &[u32],
    known: KnownOfSymbol<'_>,
) -> (Vec<u32>, FarMoves) {
    let mut price_segment = Vec::with_capacity(bars.len());
    let mut moves = FarMoves::default();
    price_segment.extend(bars.first().map(|_| 0));
    let pairs = bars.iter().zip(bars.iter().skip(1)).zip(session.iter().zip(session.iter().skip(1)));
    for (position, ((before, bar), (session_before, session))) in (1..).zip(pairs) {
        let apart = session - session_before;
        let is_spin_off = known.spin_offs.iter().any(|date| before.date < *date && *date <= bar.date);
        let jump = || jump(symbol, [before, bar], apart, known.rule, is_spin_off);
        let judged =
            if position < FIRST_BARS { Move::Ordinary } else { judge(before, bar, apart, known.rule) };
        if apart > LONGEST_GAP && !goes_on(known.actions, bar.date) {
            moves.jumps.push(jump());
        } else if is_spin_off || judged != Move::Ordinary {
            let is_jump = is_spin_off || judged == Move::Unexplained;
            match explain_move(known.actions, before.date, bar.date) {
                MoveExplanation::Not if is_jump => moves.jumps.push(jump()),
                MoveExplanation::Not | MoveExplanation::AsReal if judged != Move::Ordinary => {
                    moves.real.push(jump());
                }
                _ => {}
            }
        }
        price_segment.push(moves.jumps.len() as u32);
    }
    (price_segment, moves)
}

fn judge(before: &Bar, bar: &Bar, sessions_apart: u32, rule: JumpRule) -> Move {
    let [open, _, _, close] = bar.prices;
    // A move over a long absence is no jump.
    if sessions_apart > LONGEST_GAP {
        return Move::Ordinary;
    }
    rule.judge(PriceStep { before: before.close(), open, close, date: bar.date, sessions_apart })
}

fn jump(symbol: &str, [before, bar]: [&Bar; 2], apart: u32, rule: JumpRule, is_spin_off: bool) -> Jump {
    let ([open, ..], previous_close) = (bar.prices, before.close());
    let ratio = open / previous_close;
    let by_split = if apart > LONGEST_GAP { None } else { rule.shares_made(ratio) };
    Jump {
        symbol: symbol.to_owned(),
        date: bar.date,
        previous_date: before.date,
        open,
        previous_close,
        ratio,
        sessions_apart: apart,
        is_spin_off,
        shares_made: if is_spin_off { Some(1.0) } else { by_split },
    }
}

/// Returns true if a row with the factor 1 on the day on which a symbol returns continues its history. A split or a bonus explains the
/// change of its price, not the missing years.
fn goes_on(actions: &[Action], date: NaiveDate) -> bool {
    actions.iter().any(|action| action.ex_date == date && (action.factor - 1.0).abs() <= f64::EPSILON)
}

/// Explanation of a move by the actions of a symbol.
enum MoveExplanation {
    Not,
    /// A row with the factor 1 marks the move as real.
    AsReal,
    AsAction,
}

/// Explains the move between two bars on these dates by actions.
fn explain_move(actions: &[Action], before: NaiveDate, date: NaiveDate) -> MoveExplanation {
    let mut between =
        actions.iter().filter(|action| action.ex_date > before && action.ex_date <= date).peekable();
    if between.peek().is_none() {
        MoveExplanation::Not
    } else if between.all(|action| (action.factor - 1.0).abs() <= f64::EPSILON) {
        MoveExplanation::AsReal
    } else {
        MoveExplanation::AsAction
    }
}
