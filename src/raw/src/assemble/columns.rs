//! The columns of each symbol: its bars without bad ticks, adjusted by actions, with share counts.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::NaiveDate;

use super::CompanyRows;
use super::histories::file_and_line;
use crate::domain::action::Action;
use crate::domain::bad_tick::BadTick;
use crate::domain::bar::{StockSpan, SymbolBars};
use crate::error::RawError;
use crate::files::source::RawSource;
use crate::in_order::map_in_order;
use crate::spool::{Spool, SpooledValue};
use crate::steps::adjust::{self, LargeMoves, SymbolFacts};
use crate::steps::jump_rule::JumpRule;
use crate::steps::merge::MergedSymbol;
use crate::steps::missing_sessions::Gaps;
use crate::steps::sessions::SessionNumbers;
use crate::steps::share_counts::ShareCounts;
use crate::steps::{bad_ticks, exceptions};
use parquote_catalogue::operation::Market;

/// Columns of all symbols.
#[derive(Default)]
pub(super) struct BuiltColumns {
    pub(super) stocks: Vec<StockSpan>,
    pub(super) bars: Vec<SpooledValue<SymbolBars>>,
    pub(super) indices: Vec<SymbolBars>,
    pub(super) moves: LargeMoves,
    /// Actions of stocks that contradict the prices, in words.
    pub(super) contradicted: Vec<String>,
    pub(super) bad_ticks: Vec<BadTick>,
}

/// The sessions of a market: their numbers, the gaps between them, and the last.
#[derive(Clone, Copy)]
pub(super) struct MarketSessions<'a> {
    pub(super) numbers: &'a SessionNumbers,
    pub(super) gaps: &'a Gaps,
    pub(super) last: NaiveDate,
}

/// Builds the columns of all symbols, on all cores.
pub(super) fn build(
    merged: Vec<MergedSymbol>,
    rows: &CompanyRows,
    counts: &ShareCounts<'_>,
    calendar: MarketSessions<'_>,
    spool: &Arc<Spool>,
    sources: &[RawSource],
    market: Market,
) -> Result<BuiltColumns, RawError> {
    let MarketSessions { numbers: sessions, gaps, last } = calendar;
    let (by_symbol, spin_offs) = (actions_by_symbol(&rows.actions), &rows.spin_offs);
    let columns = map_in_order(merged, |MergedSymbol { symbol, is_index, bars, .. }| {
        let (mut bars, rule) = (bars.into_value()?, JumpRule::for_market(market));
        let correct_misprints =
            |bars| bad_ticks::correct_misprints(&symbol, bars, rule, |bar| file_and_line(bar, sources));
        let ticks = if is_index { Vec::new() } else { correct_misprints(&mut bars) };
        let counts = if is_index { Vec::new() } else { counts.for_symbol(&symbol, &bars) };
        let actions = by_symbol.get(symbol.as_str()).copied().unwrap_or_default();
        let contradicted =
            actions.iter().filter(|action| exceptions::is_contradicted(action, actions, &bars));
        let contradicted = contradicted.map(|action| format!("{} on {}", action.symbol, action.ex_date));
        let contradicted: Vec<String> = contradicted.filter(|_| !is_index).collect();
        let spin_offs = spin_offs.get(&symbol).map_or(&[][..], Vec::as_slice);
        let facts = SymbolFacts { actions, spin_offs, counts: &counts, sessions, gaps, last, rule };
        let (columns, moves) = adjust::columns(symbol, &bars, facts);
        drop(bars);
        Ok((is_index, StockSpan::from_bars(&columns), spool.store(columns)?, moves, (contradicted, ticks)))
    });
    let mut built = BuiltColumns::default();
    for columns in columns {
        let (is_index, span, bars, moves, (contradicted, ticks)) = columns?;
        built.moves.jumps.extend(moves.jumps);
        built.moves.real.extend(moves.real);
        built.contradicted.extend(contradicted);
        built.bad_ticks.extend(ticks);
        match span {
            Some(span) if !is_index => {
                built.stocks.push(span);
                built.bars.push(bars);
            }
            _ => built.indices.push(bars.into_value()?),
        }
    }
    Ok(built)
}

/// Returns the slice of each symbol; `actions` are sorted by symbol.
pub(super) fn actions_by_symbol(actions: &[Action]) -> HashMap<&str, &[Action]> {
    actions
        .chunk_by(|a, b| a.symbol == b.symbol)
        .filter_map(|run| run.first().map(|first| (first.symbol.as_str(), run)))
        .collect()
}
