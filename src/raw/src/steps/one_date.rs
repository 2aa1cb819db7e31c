//! Merges rows of one action: of rows that name one kind of action of a stock within ten sessions (other wordings, lists, series, a moved
//! date), the one that prices confirm is used.

use std::borrow::Cow;
use std::collections::HashMap;

use chrono::NaiveDate;

use crate::domain::bar::Bar;
use crate::domain::event_kind::EventKind;
use crate::domain::session::Session;
use crate::error::RawError;
use crate::steps::merge::MergedSymbol;

/// Maximum number of sessions between two rows of one action.
const MOST_SESSIONS_APART: usize = 10;
/// Maximum number of days between them, a bound for dates without sessions yet.
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

/// Selection of rows.
pub(crate) struct DailySelection {
    /// True for rows in use, by position of the row.
    pub(crate) stands: Vec<bool>,
    /// Contradictory rows, in words.
    pub(crate) notes: Vec<String>,
}

impl<'a> ConfirmingPrices<'a> {
    pub(crate) fn new(merged: &'a [MergedSymbol], sessions: &'a [Session]) -> Self {
        let merged = merged.iter().map(|symbol| (symbol.symbol.as_str(), symbol)).collect();
        Self { merged, sessions }
    }

    /// Returns the bars of a symbol by date; `None` for one without bars.
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

    /// Returns how far the prices of a date are from those that an action implies, as a logarithm; `f64::MAX` without prices.
    fn misfit(&self, action: &NamedAction) -> Result<f64, RawError> {
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
) -> Result<DailySelection, RawError> {
    let mut order: Vec<(usize, &NamedAction)> = rows.iter().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| (&a.symbol, a.kind, a.date).cmp(&(&b.symbol, b.kind, b.date)));
    let mut each = DailySelection { stands: vec![false; rows.len()], notes: Vec::new() };
    for group in order.chunk_by(|(_, a), (_, b)| {
        a.symbol == b.symbol && a.kind == b.kind && prices.are_near(a.date, b.date)
    }) {
        let mut best: Option<(f64, usize, &NamedAction)> = None;
        for (at, action) in group {
            let misfit = if group.len() > 1 { prices.misfit(action)? } else { 0.0 };
            if best.is_none_or(|(least, ..)| misfit < least) {
                best = Some((misfit, *at, action));
            }
        }
        let Some((_, at, stands)) = best else { continue };
        if let Some(stands) = each.stands.get_mut(at) {
            *stands = true;
        }
        let is_other = |(_, action): &&(usize, &NamedAction)| {
            action.date != stands.date || (action.factor / stands.factor - 1.0).abs() > 0.01
        };
        let others: Vec<String> =
            group.iter().filter(is_other).map(|(_, it)| format!("{:.6} on {}", it.factor, it.date)).collect();
        if !others.is_empty() {
            let NamedAction { symbol, date, factor, .. } = stands;
            let kind = stands.kind.word();
            each.notes.push(format!("{symbol}: {kind} {factor:.6} on {date}, not {}", others.join(", ")));
        }
    }
    Ok(each)
}
