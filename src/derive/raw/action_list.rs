//! The corporate actions that are in force: those of files, each once, and those inferred from restated prices.
//!
//! Of two files that disagree on a factor the newer stands. An action after the last session is not in force: prices are
//! still as they were before it.

use std::cmp::Reverse;

use chrono::NaiveDate;

use super::files::Source;
use super::ledger::Ledger;
use super::merge::Merged;
use super::overlap;
use super::reason::Reason;
use super::references::WrittenAction;
use super::{Action, ActionKind, Origin, RawError};

/// The actions by symbol and ex-date.
pub(crate) fn in_force(
    written: Vec<WrittenAction>,
    merged: &[Merged],
    last_session: NaiveDate,
    sources: &[Source],
    ledger: &mut Ledger<'_>,
) -> Result<Vec<Action>, RawError> {
    let mut actions = Vec::with_capacity(written.len());
    for written in each_once(written, sources, ledger) {
        if written.ex_date > last_session {
            if let Some(source) = sources.get(written.file as usize) {
                let text =
                    format!("{},{},{},{}", written.symbol, written.ex_date, written.words, written.factor);
                ledger.take_back(source, written.line, Reason::AfterLastSession, &text)?;
            }
            continue;
        }
        actions.push(Action {
            kind: kind_of(&written.words),
            symbol: written.symbol,
            ex_date: written.ex_date,
            action: written.words,
            factor: written.factor,
            origin: Origin::Given,
        });
    }
    for symbol in merged {
        actions.extend(symbol.restated.iter().map(|&(ex_date, factor)| Action {
            symbol: symbol.symbol.clone(),
            ex_date,
            action: "inferred: a newer file restates the prices before it".to_owned(),
            // A spin-off is restated too, and makes no shares.
            kind: overlap::split_near(factor).map_or(ActionKind::Other, |_| ActionKind::Split),
            factor,
            origin: Origin::Inferred,
        }));
    }
    actions.sort_by(|a, b| (&a.symbol, a.ex_date, a.origin).cmp(&(&b.symbol, b.ex_date, b.origin)));
    Ok(actions)
}

/// Leaves out what files repeat.
fn each_once(
    mut written: Vec<WrittenAction>,
    sources: &[Source],
    ledger: &mut Ledger<'_>,
) -> Vec<WrittenAction> {
    written.sort_by(|a, b| {
        let key = |action: &WrittenAction| (action.ex_date, kind_of(&action.words), Reverse(action.file));
        (&a.symbol, key(a), Reverse(a.line)).cmp(&(&b.symbol, key(b), Reverse(b.line)))
    });
    let mut kept: Vec<WrittenAction> = Vec::with_capacity(written.len());
    for action in written {
        let same = kept.last().filter(|kept| {
            let (kind, of_kept) = (kind_of(&action.words), kind_of(&kept.words));
            kept.symbol == action.symbol
                && kept.ex_date == action.ex_date
                && kind == of_kept
                && (kind != ActionKind::Other || kept.words == action.words)
        });
        match (same, sources.get(action.file as usize)) {
            (Some(same), Some(source)) => {
                let tally = ledger.tally(source);
                tally.kept -= 1;
                if (same.factor - action.factor).abs() < 1e-9 {
                    tally.identical += 1;
                } else {
                    tally.differing += 1;
                }
            }
            _ => kept.push(action),
        }
    }
    kept
}

fn kind_of(words: &str) -> ActionKind {
    let words = words.to_lowercase();
    if words.contains("split") {
        ActionKind::Split
    } else if words.contains("bonus") {
        ActionKind::Bonus
    } else {
        ActionKind::Other
    }
}
