//! Joins the histories of companies whose symbol changed, unless companies that traded at the same time would get one symbol.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use chrono::NaiveDate;

use crate::domain::bar::Bar;
use crate::error::RawError;
use crate::gathered_bars::GatheredBars;
use crate::report::JoinedSymbol;
use crate::spool::Spool;
use crate::symbols::{SymbolChange, SymbolChanges};

/// Result of following the symbol changes.
#[derive(Debug, Default)]
pub(crate) struct FollowedSymbols {
    pub(crate) symbols: SymbolChanges,
    pub(crate) joined: Vec<JoinedSymbol>,
    /// Old and new symbol of changes that are not followed.
    pub(crate) refused: Vec<(String, String)>,
}

/// Joins the histories of companies under their current symbols; `last` is the date of the newest bar.
pub(crate) fn join(
    gathered: &mut Vec<GatheredBars>,
    changes: &[SymbolChange],
    last: Option<NaiveDate>,
    spool: &Arc<Spool>,
) -> Result<FollowedSymbols, RawError> {
    if changes.is_empty() {
        return Ok(FollowedSymbols::default());
    }
    let mut followed = FollowedSymbols {
        symbols: last.map(|last| SymbolChanges::new(changes, last)).unwrap_or_default(),
        ..FollowedSymbols::default()
    };
    while let Some(old) = contested_symbols(gathered, &followed.symbols)? {
        for symbol in old {
            let changes = followed.symbols.changes.remove(&symbol).unwrap_or_default();
            followed.refused.extend(changes.into_iter().map(|change| (change.old, change.new)));
        }
    }
    let mut by_symbol: BTreeMap<String, GatheredBars> =
        std::mem::take(gathered).into_iter().map(|symbol| (symbol.symbol.clone(), symbol)).collect();
    let old: BTreeSet<String> =
        followed.symbols.old_symbols().filter(|old| by_symbol.contains_key(*old)).cloned().collect();
    let mut moved = BTreeMap::new();
    for symbol in old {
        if let Some(gathered) = by_symbol.get_mut(&symbol).filter(|gathered| !gathered.is_index) {
            take_moved(gathered, &followed.symbols, &mut moved, spool)?;
        }
    }
    for ((old, new), bars) in moved {
        let dates = bars.iter().map(|bar: &Bar| bar.date);
        followed.joined.push(JoinedSymbol {
            old,
            new: new.clone(),
            last: dates.max().unwrap_or_default(),
            bars: bars.len() as u64,
        });
        let empty = || GatheredBars { symbol: new.clone(), is_index: false, bars: Vec::new() };
        by_symbol.entry(new.clone()).or_insert_with(empty).bars.push(spool.store(bars)?);
    }
    gathered.extend(by_symbol.into_values().filter(|symbol| !symbol.bars.is_empty()));
    Ok(followed)
}

type MovedBars = BTreeMap<(String, String), Vec<Bar>>;

/// Moves the bars that belong to another current symbol to `moved`.
fn take_moved(
    gathered: &mut GatheredBars,
    symbols: &SymbolChanges,
    moved: &mut MovedBars,
    spool: &Arc<Spool>,
) -> Result<(), RawError> {
    let mut bars = gathered.take_bars()?;
    let symbol = &gathered.symbol;
    bars.retain(|bar| match symbols.current(symbol, bar.date).filter(|now| now != symbol) {
        None => true,
        Some(now) => {
            moved.entry((symbol.clone(), now.to_owned())).or_default().push(*bar);
            false
        }
    });
    if !bars.is_empty() {
        gathered.bars.push(spool.store(bars)?);
    }
    Ok(())
}

/// Returns old symbols whose bars would overlap those of another company under one symbol; `None` if there are none.
fn contested_symbols(
    gathered: &[GatheredBars],
    symbols: &SymbolChanges,
) -> Result<Option<BTreeSet<String>>, RawError> {
    /// By current symbol, then by old symbol: first and last date.
    type Spans<'a> = HashMap<&'a str, BTreeMap<&'a str, (NaiveDate, NaiveDate)>>;
    let mut spans: Spans<'_> = HashMap::new();
    let new: BTreeSet<&str> = symbols.changes.values().flatten().map(|change| change.new.as_str()).collect();
    let is_concerned = |symbol: &str| symbols.changes.contains_key(symbol) || new.contains(symbol);
    for symbol in gathered.iter().filter(|symbol| !symbol.is_index && is_concerned(&symbol.symbol)) {
        let has_changes = symbols.changes.contains_key(&symbol.symbol);
        let now = |bar: &Bar| symbols.current(&symbol.symbol, bar.date).filter(|_| has_changes);
        for stretch in &symbol.bars {
            // Bars are a few runs sorted by date, so that neighbours mostly have the same current symbol.
            for run in stretch.get()?.chunk_by(|a, b| !has_changes || now(a) == now(b)) {
                let dates = || run.iter().map(|bar| bar.date);
                let (Some(first), Some(last)) = (dates().min(), dates().max()) else { continue };
                let spans_of_symbol =
                    spans.entry(run.first().and_then(now).unwrap_or(&symbol.symbol)).or_default();
                let span = spans_of_symbol.entry(&symbol.symbol).or_insert((first, last));
                *span = (span.0.min(first), span.1.max(last));
            }
        }
    }
    let mut old = BTreeSet::new();
    for (now, of_symbols) in &spans {
        let mut in_order: Vec<_> = of_symbols.iter().map(|(symbol, span)| (*span, *symbol)).collect();
        in_order.sort();
        let overlap =
            in_order.windows(2).any(|pair| matches!(pair, [((_, end), _), ((start, _), _)] if start <= end));
        if overlap {
            let others = in_order.iter().map(|(_, symbol)| *symbol).filter(|symbol| symbol != now);
            old.extend(others.map(str::to_owned));
        }
    }
    Ok((!old.is_empty()).then_some(old))
}
