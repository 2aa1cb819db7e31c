//! Reduces bars to one per symbol and day: finds, compares and counts duplicates.
//!
//! The better series wins, then the better format, then the newer file. Every loser is accounted for: refused as another series of the day,
//! identical to the winner, restated by a split, or different.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::NaiveDate;

use crate::domain::bar::Bar;
use crate::error::RawError;
use crate::files::source::RawSource;
use crate::gathered_bars::GatheredBars;
use crate::records::raw_format::Layout;
use crate::spool::{Spool, SpooledValue};
use crate::steps::overlap;

/// Maximum number of differing rows of a symbol that are reported.
const MOST_EXAMPLES: usize = 3;

/// Precedence of bars by the format of their file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileFormat {
    /// Position in the list of formats; the lower one wins.
    position: usize,
    /// True if a newer file of it may restate prices for a split.
    restates: bool,
}

impl FileFormat {
    pub(crate) fn from_source(source: &RawSource) -> Self {
        let restates = matches!(&source.layout, Layout::Prices(columns) if columns.restates);
        Self { position: source.kind.position, restates }
    }
}

/// A symbol with one bar a day, ascending.
#[derive(Debug)]
pub(crate) struct MergedSymbol {
    pub(crate) symbol: String,
    pub(crate) is_index: bool,
    pub(crate) bars: SpooledValue<Vec<Bar>>,
    /// The first and the last bar; `None` without bars.
    pub(crate) ends: Option<[Bar; 2]>,
    /// Restatements by newer files: the first date on the new scale, and its factor.
    pub(crate) restated: Vec<(NaiveDate, f64)>,
    pub(crate) losers: Losers,
}

/// Bars that did not win, by cause.
#[derive(Debug, Default)]
pub(crate) struct Losers {
    /// Bars of an inferior series; they are refused.
    pub(crate) other_series: Vec<Bar>,
    /// Files (by rank) of bars identical to the winner.
    pub(crate) identical: Vec<u32>,
    /// Files (by rank) of bars that differ from the winner by a split.
    pub(crate) restated: Vec<u32>,
    /// Files (by rank) of bars that differ otherwise.
    pub(crate) differing: Vec<u32>,
    /// The first differing pairs: winner, loser.
    pub(crate) examples: Vec<(Bar, Bar)>,
}

/// Selects the bars of a symbol. `formats` has the format of each file, by its rank.
pub(crate) fn merge(
    mut gathered: GatheredBars,
    formats: &[FileFormat],
    spool: &Arc<Spool>,
) -> Result<MergedSymbol, RawError> {
    let mut bars = gathered.take_bars()?;
    let GatheredBars { symbol, is_index, .. } = gathered;
    let format = |bar: &Bar| formats.get(bar.file as usize).copied();
    let overlaps = bars.first().and_then(format).is_some_and(|format| format.restates);
    let scales = if overlaps { overlap::scales(&bars) } else { BTreeMap::new() };
    // The bars are a few runs sorted by date, which a stable sort exploits; a day has one or a few.
    bars.sort_by_key(|bar| bar.date);
    for day in bars.chunk_by_mut(|a, b| a.date == b.date) {
        day.sort_by_key(|bar| (bar.series, format(bar), Reverse(bar.file), Reverse(bar.line)));
    }
    let mut losers = Losers::default();
    let mut winner: Option<Bar> = None;
    bars.retain(|bar| match winner {
        Some(won) if won.date == bar.date => {
            let scale = |bar: &Bar| scales.get(&bar.file).copied().unwrap_or(1.0);
            if won.series != bar.series {
                losers.other_series.push(*bar);
            } else if won.agrees(bar) {
                losers.identical.push(bar.file);
            } else if (scale(&won) / scale(bar) - 1.0).abs() > 1e-9 {
                losers.restated.push(bar.file);
            } else {
                losers.differing.push(bar.file);
                if losers.examples.len() < MOST_EXAMPLES {
                    losers.examples.push((won, *bar));
                }
            }
            false
        }
        _ => {
            winner = Some(*bar);
            true
        }
    });
    bars.shrink_to_fit();
    let restated = overlap::steps(&bars, &scales);
    Ok(MergedSymbol { symbol, is_index, ends: ends(&bars), bars: spool.store(bars)?, restated, losers })
}

/// Returns the first and the last bar.
pub(crate) fn ends(bars: &[Bar]) -> Option<[Bar; 2]> {
    Some([*bars.first()?, *bars.last()?])
}
