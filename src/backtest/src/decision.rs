//! Picks by date, as callers supply them, and their resolution to sessions and stocks.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::BacktestError;
use super::history::MarketHistory;
use super::record::{LeftOutPick, LeftOutReason};
use super::rules::{BacktestRules, Weighting};
use super::weights::{TargetWeight, weigh};

/// The stocks picked on one day, by data that was known at its close.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Day of the decision. If it has no session, the session before it counts as the day; orders fill in the next session in both cases.
    pub date: NaiveDate,
    /// Picks, the best first.
    pub picks: Vec<Pick>,
}

/// A picked stock.
#[derive(Debug, Clone, PartialEq)]
pub struct Pick {
    /// Symbol of the stock.
    pub symbol: String,
    /// Weight: a share of 1 for [`Weighting::Given`], a number of any size, such as a market cap, for [`Weighting::Proportional`]; `None`
    /// if the stock has none, or the weighting uses none.
    pub weight: Option<f64>,
}

/// A decision with the indices of its session and stocks, and with weights.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DatedTargets {
    /// Index of the decision's session; orders fill after it.
    pub(super) day: usize,
    pub(super) targets: Vec<TargetWeight>,
    /// Number of picks.
    pub(super) picked: usize,
    /// Number of picked symbols without any bar up to the decision's session.
    pub(super) unknown: usize,
    /// Number of stocks without a weight above 0.
    pub(super) unweighted: usize,
    /// The picks without a bar or a weight.
    pub(super) left_out: Vec<LeftOutPick>,
}

impl Decision {
    /// Returns all picks of the decision as left out for one reason.
    pub fn left_out_picks(&self, reason: LeftOutReason) -> impl Iterator<Item = LeftOutPick> {
        self.picks.iter().map(move |pick| pick.to_left_out(self.date, reason))
    }
}

impl Pick {
    fn to_left_out(&self, decided: NaiveDate, reason: LeftOutReason) -> LeftOutPick {
        LeftOutPick { decided, symbol: self.symbol.clone(), reason }
    }
}

/// Returns the decisions with weights computed by the rules, as shares of 1, so that [`Weighting::Given`] can repeat them. Picks without a
/// bar or a weight are left out; equal weights leave their share in cash.
///
/// # Errors
/// [`BacktestError`], as for [`fn@super::run`].
pub fn with_weights(
    history: &MarketHistory,
    decisions: &[Decision],
    rules: &BacktestRules,
) -> Result<Vec<Decision>, BacktestError> {
    let pick = |target: &TargetWeight| Pick {
        symbol: history.symbol(target.stock).to_owned(),
        weight: Some(target.weight),
    };
    let weighted = resolve(history, decisions, rules)?.into_iter().map(|resolved| Decision {
        date: history.date(resolved.day),
        picks: resolved.targets.iter().map(pick).collect(),
    });
    Ok(weighted.collect())
}

/// Resolves decisions to sessions, ascending; those before the first session are left out.
pub(super) fn resolve(
    history: &MarketHistory,
    decisions: &[Decision],
    rules: &BacktestRules,
) -> Result<Vec<DatedTargets>, BacktestError> {
    let (Some(&first), Some(&last)) = (history.sessions().first(), history.sessions().last()) else {
        return Err(BacktestError::NoSession);
    };
    let mut resolved = Vec::with_capacity(decisions.len());
    for decision in decisions.iter().filter(|decision| decision.date <= last) {
        if let Some(day) = history.session_until(decision.date) {
            resolved.push(resolve_one(history, decision, day, rules)?);
        }
    }
    resolved.sort_by_key(|decision| decision.day);
    let days = resolved.iter().zip(resolved.iter().skip(1));
    if let Some((twice, _)) = days.into_iter().find(|(one, next)| one.day == next.day) {
        return Err(BacktestError::RepeatedDecision(history.date(twice.day)));
    }
    if resolved.is_empty() {
        return Err(BacktestError::NoDecision { first, last });
    }
    Ok(resolved)
}

/// Returns the picks of days before the first session or after the last.
pub(super) fn picks_without_session(
    history: &MarketHistory,
    decisions: &[Decision],
) -> impl Iterator<Item = LeftOutPick> {
    let last = history.sessions().last();
    let is_outside = move |decision: &&Decision| {
        last.is_none_or(|last| decision.date > *last) || history.session_until(decision.date).is_none()
    };
    decisions
        .iter()
        .filter(is_outside)
        .flat_map(|decision| decision.left_out_picks(LeftOutReason::OutsideDays))
}

fn resolve_one(
    history: &MarketHistory,
    decision: &Decision,
    day: usize,
    rules: &BacktestRules,
) -> Result<DatedTargets, BacktestError> {
    let date = decision.date;
    let mut seen = BTreeSet::new();
    if let Some(twice) = decision.picks.iter().find(|pick| !seen.insert(pick.symbol.as_str())) {
        return Err(BacktestError::RepeatedPick { symbol: twice.symbol.clone(), date });
    }
    check_weights(decision, rules.weighting)?;
    let known_stock =
        |pick: &Pick| history.stock(&pick.symbol).filter(|stock| history.bar_until(*stock, day).is_some());
    let (mut stocks, mut left_out) = (Vec::with_capacity(decision.picks.len()), Vec::new());
    for pick in &decision.picks {
        match known_stock(pick) {
            Some(stock) => stocks.push((stock, pick.weight)),
            None => left_out.push(pick.to_left_out(date, LeftOutReason::NoBar)),
        }
    }
    let picked = decision.picks.len();
    let targets = weigh(history, day, &stocks, picked, rules);
    let (unknown, unweighted) = (left_out.len(), stocks.len() - targets.len());
    if unweighted > 0 {
        let weighed: BTreeSet<usize> = targets.iter().map(|target| target.stock).collect();
        let is_unweighted = |pick: &&Pick| known_stock(pick).is_some_and(|stock| !weighed.contains(&stock));
        let without_weight = decision.picks.iter().filter(is_unweighted);
        left_out.extend(without_weight.map(|pick| pick.to_left_out(date, LeftOutReason::NoWeight)));
    }
    Ok(DatedTargets { day, targets, picked, unknown, unweighted, left_out })
}

fn check_weights(decision: &Decision, weighting: Weighting) -> Result<(), BacktestError> {
    let date = decision.date;
    if !matches!(weighting, Weighting::Given | Weighting::Proportional) {
        return Ok(());
    }
    let is_given = weighting == Weighting::Given;
    let is_wrong = |pick: &&Pick| match pick.weight {
        Some(weight) => !weight.is_finite() || weight < 0.0,
        None => is_given,
    };
    if let Some(wrong) = decision.picks.iter().find(is_wrong) {
        return Err(BacktestError::Weight { symbol: wrong.symbol.clone(), date });
    }
    let sum: f64 = decision.picks.iter().filter_map(|pick| pick.weight).sum();
    if is_given && sum > 1.0 + 1e-9 {
        return Err(BacktestError::WeightSum { date, sum });
    }
    Ok(())
}
