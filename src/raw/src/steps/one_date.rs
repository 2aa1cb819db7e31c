//! Selects one row of each action: of rows that name one kind of action of a stock within ten sessions (other wordings, lists, series, a
//! moved date), the row that prices confirm is used. Rows of several days are several actions if prices moved by the factor of each on its
//! day, and no ordinary day moves them that far.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::RangeInclusive;

use chrono::NaiveDate;

use crate::domain::bar::Bar;
use crate::domain::event_kind::EventKind;
use crate::domain::session::Session;
use crate::error::RawError;
use crate::steps::merge::MergedSymbol;

/// Maximum number of sessions between two rows of one action.
const MOST_SESSIONS_APART: usize = 10;
/// Factors near one: an ordinary session may have such a move.
pub(crate) const ORDINARY_FACTORS: RangeInclusive<f64> = 0.70..=1.45;
/// Maximum ratio between the open of a day and the price that an action implies.
pub(crate) const MOST_OPEN_RATIO: f64 = 1.05;
/// Maximum number of days between two rows of one action. Dates after the last session have only this limit.
const MOST_DAYS: i64 = 16;

/// A split or bonus in a row.
#[derive(Debug, Clone)]
pub(crate) struct NamedAction {
    pub(crate) symbol: String,
    pub(crate) date: NaiveDate,
    pub(crate) kind: EventKind,
    pub(crate) factor: f64,
}

/// Prices that confirm actions.
pub(crate) struct ConfirmingPrices<'a> {
    /// Bars of each symbol, merged from all files.
    merged: HashMap<&'a str, &'a MergedSymbol>,
    sessions: &'a [Session],
}

/// The rows in use, one for each action.
pub(crate) struct RowSelection {
    /// True for rows in use, by position of the row.
    pub(crate) is_used: Vec<bool>,
    /// Contradictory rows, in words.
    pub(crate) notes: Vec<String>,
}

impl<'a> ConfirmingPrices<'a> {
    pub(crate) fn new(merged: &'a [MergedSymbol], sessions: &'a [Session]) -> Self {
        let merged = merged.iter().map(|symbol| (symbol.symbol.as_str(), symbol)).collect();
        Self { merged, sessions }
    }

    /// Returns the bars of a symbol by date; `None` without bars.
    #[expect(clippy::owned_cow, reason = "bars that are read again are owned by a vector")]
    pub(crate) fn bars(&self, symbol: &str) -> Result<Option<Cow<'_, Vec<Bar>>>, RawError> {
        self.merged.get(symbol).map(|merged| merged.bars.get()).transpose()
    }

    /// Returns the sessions from which newer files restate the prices of a symbol.
    pub(crate) fn restated_from(&self, symbol: &str) -> Vec<NaiveDate> {
        let restated = self.merged.get(symbol).into_iter().flat_map(|merged| &merged.restated);
        restated.map(|(date, _)| *date).collect()
    }

    /// Returns true if two dates may be those of one action.
    pub(crate) fn are_near(&self, one: NaiveDate, other: NaiveDate) -> bool {
        let position = |date| self.sessions.partition_point(|session| session.date < date);
        position(one).abs_diff(position(other)) <= MOST_SESSIONS_APART
            && (one - other).num_days().abs() <= MOST_DAYS
    }

    /// Returns the distance of the open on the date of an action from the open that the action implies, as an absolute logarithm;
    /// `f64::MAX` without prices.
    fn price_distance(&self, action: &NamedAction) -> Result<f64, RawError> {
        let Some(bars) = self.bars(&action.symbol)? else { return Ok(f64::MAX) };
        let at = bars.partition_point(|bar| bar.date < action.date);
        let before = at.checked_sub(1).and_then(|before| bars.get(before)).map(Bar::close);
        let (Some(before), Some([open, ..])) = (before, bars.get(at).map(|bar| bar.prices)) else {
            return Ok(f64::MAX);
        };
        Ok((open / (before * action.factor)).ln().abs())
    }
}

pub(crate) fn select_rows_in_use(
    rows: &[NamedAction],
    prices: &ConfirmingPrices<'_>,
) -> Result<RowSelection, RawError> {
    let mut order: Vec<(usize, &NamedAction)> = rows.iter().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| (&a.symbol, a.kind, a.date).cmp(&(&b.symbol, b.kind, b.date)));
    let mut selection = RowSelection { is_used: vec![false; rows.len()], notes: Vec::new() };
    for group in order.chunk_by(|(_, a), (_, b)| {
        a.symbol == b.symbol && a.kind == b.kind && prices.are_near(a.date, b.date)
    }) {
        let mut ranked = Vec::with_capacity(group.len());
        for (at, action) in group {
            let price_distance = if group.len() > 1 { prices.price_distance(action)? } else { 0.0 };
            ranked.push((price_distance, *at, *action));
        }
        ranked.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
        let mut in_use: Vec<&NamedAction> = Vec::new();
        for (price_distance, at, action) in ranked {
            let is_confirmed =
                price_distance <= MOST_OPEN_RATIO.ln() && !ORDINARY_FACTORS.contains(&action.factor);
            let is_another = is_confirmed && in_use.iter().all(|used| used.date != action.date);
            if (in_use.is_empty() || is_another)
                && let Some(is_used) = selection.is_used.get_mut(at)
            {
                *is_used = true;
                in_use.push(action);
            }
        }
        let Some(used) = in_use.first() else { continue };
        let is_other = |(_, action): &&(usize, &NamedAction)| {
            let is_same = |used: &&NamedAction| {
                action.date == used.date && (action.factor / used.factor - 1.0).abs() <= 0.01
            };
            !in_use.iter().any(is_same)
        };
        let others: Vec<String> =
            group.iter().filter(is_other).map(|(_, it)| format!("{:.6} on {}", it.factor, it.date)).collect();
        if !others.is_empty() {
            let NamedAction { symbol, date, factor, .. } = used;
            let kind = used.kind.word();
            let note = format!("{symbol}: {kind} {factor:.6} on {date}, not {}", others.join(", "));
            selection.notes.push(note);
        }
    }
    Ok(selection)
}
