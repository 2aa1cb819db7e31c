//! The parts of the report on a market as a whole.

use crate::accounts::row_accounts::RowAccounts;
use crate::domain::action::ActionOrigin;
use crate::domain::bar::SymbolBars;
use crate::instrument_filter;
use crate::raw_market::RawMarket;
use crate::reference_data::ReferenceData;
use crate::report::{Report, SessionSpan};
use crate::steps::symbol_history::FollowedSymbols;
use crate::steps::{exceptions, without_prices};
use parquote_catalogue::digits::counted;

/// Reports the files whose rows have another day than their names.
pub(super) fn report_misdated(reference: &ReferenceData, accounts: &mut RowAccounts<'_>) {
    for (file, (written, named)) in &reference.misdated {
        let note = format!("{file} writes {written}; its name says {named}, which is used");
        accounts.report.exceptions.push(note);
    }
}

/// Adds the findings on a market to its report.
pub(super) fn add_findings(
    market: &mut RawMarket,
    reference: &ReferenceData,
    contradicted: &[String],
    has_prices: bool,
    followed: FollowedSymbols,
) {
    summarise(market);
    let findings = exceptions::sentences(market, reference, contradicted);
    market.report.exceptions.extend(findings);
    market.report.exceptions.extend((!has_prices).then(|| without_prices::NO_PRICES_NOTE.to_owned()));
    report_symbol_changes(&mut market.report, followed);
}

/// Reports the joined histories, and the symbol changes that were not followed.
fn report_symbol_changes(report: &mut Report, followed: FollowedSymbols) {
    report.joined = followed.joined;
    let pairs: Vec<String> =
        followed.refused.iter().take(8).map(|(old, new)| format!("{old} to {new}")).collect();
    if !pairs.is_empty() {
        report.exceptions.push(format!(
            "{} not followed, since two companies traded at that time: {}",
            counted(followed.refused.len(), "change of a symbol is", "changes of symbols are"),
            pairs.join(", ")
        ));
    }
}

/// Fills the report's figures on the whole market.
fn summarise(market: &mut RawMarket) {
    let report = &mut market.report;
    report.missing_sessions.clone_from(&market.missing);
    report.sessions = SessionSpan {
        count: market.sessions.len() as u64,
        first: market.sessions.first().map(|session| session.date),
        last: market.sessions.last().map(|session| session.date),
    };
    report.symbols = market.stocks.len() as u64;
    report.bars = market.stocks.iter().map(|stock| stock.bars as u64).sum();
    let (benchmarks, indices): (Vec<&SymbolBars>, Vec<&SymbolBars>) =
        market.indices.iter().partition(|index| index.symbol == instrument_filter::benchmark(market.market));
    report.benchmarks = benchmarks.iter().map(|index| index.symbol.clone()).collect();
    report.indices = indices.len() as u64;
    let inferred = market.actions.iter().filter(|action| action.origin == ActionOrigin::Inferred);
    report.inferred = inferred.cloned().collect();
    report.actions_inferred = report.inferred.len() as u64;
    report.actions_given = market.actions.len() as u64 - report.actions_inferred;
    report.jumps.clone_from(&market.jumps);
}
