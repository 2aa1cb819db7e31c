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
/// First bars of a symbol, which have no jumps: the price of a new listing may still be forming, and files do not show what was listed
/// before they begin.
const FIRST_BARS: usize = 5;

/// Facts on a symbol other than its bars.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SymbolFacts<'a> {
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
    /// The rule that classifies moves.
    pub(crate) rule: JumpRule,
}

/// Moves of a symbol that the rule finds too large, and moves over long absences.
#[derive(Debug, Default)]
pub(crate) struct LargeMoves {
    /// Unexplained moves, each of which starts a price segment.
    pub(crate) jumps: Vec<Jump>,
    /// Moves that are treated as real and continue their price segment.
    pub(crate) real: Vec<Jump>,
}

/// Builds the columns of a symbol and lists its large moves. Bars on dates that are no session must have been removed.
pub(crate) fn columns(symbol: String, bars: &[Bar], facts: SymbolFacts<'_>) -> (SymbolBars, LargeMoves) {
    let session: Vec<u32> = bars.iter().filter_map(|bar| facts.sessions.number_on(bar.date)).collect();
    let (price_segment, moves) = number_price_segments(&symbol, bars, &session, facts);
    let first = bars.first().map_or(NaiveDate::MAX, |bar| bar.date);
    let counted = facts.counts.iter().flat_map(|count| [count.known_on, count.ends_on()]);
    let jumped = moves.jumps.iter().map(|jump| jump.date);
    let mut changes: Vec<NaiveDate> =
        facts.actions.iter().map(|action| action.ex_date).chain(counted).chain(jumped).collect();
    changes.sort_unstable();
    let known_shares = KnownShares { counts: facts.counts, actions: facts.actions, jumps: &moves.jumps };
    let shares = values_on_dates(bars, &changes, |date| known_shares.shares_on(date));
    let now = known_shares.shares_on(facts.last);
    let price = |select: fn([f64; 4]) -> f64| bars.iter().map(|bar| select(bar.prices)).collect::<Vec<f64>>();
    let cumulative_split_factor =
        values_on_dates(bars, &changes, |date| split_factor(facts.actions, first, Some(date)));
    let split_factors = &cumulative_split_factor;
    let previous_close =
        missing_sessions::previous_closes(bars, &session, &price_segment, split_factors, facts.gaps);
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
        cumulative_split_factor_now: split_factor(facts.actions, first, None),
        cumulative_split_factor,
        shares: shares.iter().map(|shares| shares.count).collect(),
        shares_assumed: shares.iter().map(|shares| shares.is_assumed).collect(),
        shares_now: (now.count, now.is_assumed),
        price_segment,
        previous_close,
    };
    (columns, moves)
}

/// Returns the result of `value` for the date of each bar. The result changes only on the dates in `changes`, which are sorted, so it is
/// computed once for the bars between two of them.
fn values_on_dates<T: Copy>(bars: &[Bar], changes: &[NaiveDate], value: impl Fn(NaiveDate) -> T) -> Vec<T> {
    let mut column = Vec::with_capacity(bars.len());
    let mut rest = bars;
    while let Some(first) = rest.first() {
        let next = changes.get(changes.partition_point(|change| *change <= first.date));
        let run = next.map_or(rest.len(), |next| rest.partition_point(|bar| bar.date < *next));
        column.resize(column.len() + run, value(first.date));
        rest = rest.get(run..).unwrap_or_default();
    }
    column
}

/// Returns the shares that one share of the first bar has become by `date`, or by all actions: a split 1:5 (0.2) makes five of one.
fn split_factor(actions: &[Action], first: NaiveDate, date: Option<NaiveDate>) -> f64 {
    let count = actions.partition_point(|action| date.is_none_or(|date| action.ex_date <= date));
    let passed = actions.iter().take(count).filter(|action| action.ex_date > first);
    passed.fold(1.0, |shares, action| shares / action.factor)
}

/// Numbers the price segments of a symbol and lists its large moves.
fn number_price_segments(
    symbol: &str,
    bars: &[Bar],
    session: &[u32],
    facts: SymbolFacts<'_>,
) -> (Vec<u32>, LargeMoves) {
    let mut price_segment = Vec::with_capacity(bars.len());
    let mut moves = LargeMoves::default();
    price_segment.extend(bars.first().map(|_| 0));
    let pairs = bars.iter().zip(bars.iter().skip(1)).zip(session.iter().zip(session.iter().skip(1)));
    for (position, ((before, bar), (session_before, session))) in (1..).zip(pairs) {
        let apart = session - session_before;
        let is_spin_off = facts.spin_offs.iter().any(|date| before.date < *date && *date <= bar.date);
        let jump = || jump(symbol, [before, bar], apart, facts.rule, is_spin_off);
        let class =
            if position < FIRST_BARS { Move::Ordinary } else { classify(before, bar, apart, facts.rule) };
        if apart > LONGEST_GAP && !continues_history(facts.actions, bar.date) {
            moves.jumps.push(jump());
        } else if is_spin_off || class != Move::Ordinary {
            let is_jump = is_spin_off || class == Move::Unexplained;
            match explain_move(facts.actions, before.date, bar.date) {
                MoveExplanation::Unexplained if is_jump => moves.jumps.push(jump()),
                MoveExplanation::Unexplained | MoveExplanation::RealMove if class != Move::Ordinary => {
                    moves.real.push(jump());
                }
                _ => {}
            }
        }
        price_segment.push(moves.jumps.len() as u32);
    }
    (price_segment, moves)
}

fn classify(before: &Bar, bar: &Bar, sessions_apart: u32, rule: JumpRule) -> Move {
    let [open, _, _, close] = bar.prices;
    // A move over a long absence is no jump.
    if sessions_apart > LONGEST_GAP {
        return Move::Ordinary;
    }
    rule.classify(PriceStep { before: before.close(), open, close, date: bar.date, sessions_apart })
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

/// Returns true if a row with the factor 1 on the day of a symbol's return continues its history. A split or a bonus explains the
/// change of its price, not the missing years.
fn continues_history(actions: &[Action], date: NaiveDate) -> bool {
    actions.iter().any(|action| action.ex_date == date && (action.factor - 1.0).abs() <= f64::EPSILON)
}

/// Explanation of a move by the actions of a symbol.
enum MoveExplanation {
    Unexplained,
    /// A row with the factor 1 marks the move as real.
    RealMove,
    /// An action moves prices between the two bars.
    Action,
}

/// Explains the move between two bars on these dates by actions.
fn explain_move(actions: &[Action], before: NaiveDate, date: NaiveDate) -> MoveExplanation {
    let mut between =
        actions.iter().filter(|action| action.ex_date > before && action.ex_date <= date).peekable();
    if between.peek().is_none() {
        MoveExplanation::Unexplained
    } else if between.all(|action| (action.factor - 1.0).abs() <= f64::EPSILON) {
        MoveExplanation::RealMove
    } else {
        MoveExplanation::Action
    }
}
