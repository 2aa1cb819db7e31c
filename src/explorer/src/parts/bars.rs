//! Last bars of the stocks in a table's rows, as small pictures: a line in a row, or candles in a list of charts.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::page_rows::{PageRow, PartOutcome, text};
use crate::part_view::PartView;
use parquote_picture::small::{self, SmallBar};

/// Bars of each stock, oldest first.
#[derive(Default)]
pub(super) struct RowBars<'a>(BTreeMap<&'a str, Vec<&'a PageRow>>);

impl<'a> RowBars<'a> {
    /// Reads the bars from the answer of the part with this id; empty if there is no such part, or it was refused.
    pub(super) fn from_part(view: PartView<'a>, id: &str) -> Self {
        let parts = &view.request.page.parts;
        let has_id = |part: usize| !id.is_empty() && parts.get(part).is_some_and(|part| part.id == id);
        let mut bars = Self::default();
        for (call, outcome) in view.calls {
            let PartOutcome::Answered(rows) = outcome else { continue };
            for row in rows.rows.iter().filter(|_| has_id(call.part)) {
                if let Some(symbol) = row.get("symbol").and_then(Json::as_str) {
                    bars.0.entry(symbol).or_default().push(row);
                }
            }
        }
        bars
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of sessions of the longest line.
    pub(super) fn sessions(&self) -> usize {
        self.0.values().map(Vec::len).max().unwrap_or_default()
    }

    /// Draws the closes of a stock as a line, together with the RS line.
    pub(super) fn line(&self, row: &PageRow) -> Markup {
        let bars = self.bars(row);
        let closes: Vec<f64> = bars.iter().filter_map(|bar| number(bar, "close")).collect();
        let rs: Vec<Option<f64>> = bars.iter().map(|bar| number(bar, "rs_line")).collect();
        html! { @if closes.len() > 1 { (small::close_and_rs_lines(&closes, &rs)) } }
    }

    /// Draws the bars of a stock as candles.
    pub(super) fn candles(&self, row: &PageRow, words: &str) -> Markup {
        let bars = self.bars(row);
        let bar = |bar: &&PageRow| {
            let price = |name: &str| number(bar, name);
            Some(SmallBar {
                open: price("open")?,
                high: price("high")?,
                low: price("low")?,
                close: price("close")?,
                volume: price("volume"),
            })
        };
        let rs: Vec<Option<f64>> = bars.iter().map(|bar| number(bar, "rs_line")).collect();
        let bars: Vec<SmallBar> = bars.iter().filter_map(bar).collect();
        html! { @if bars.is_empty() { p.none { "No bars." } } @else { (small::candles(&bars, &rs, words)) } }
    }

    fn bars(&self, row: &PageRow) -> &[&'a PageRow] {
        let symbol = text(row, "symbol");
        self.0.get(symbol).map(Vec::as_slice).unwrap_or_default()
    }
}

fn number(bar: &PageRow, name: &str) -> Option<f64> {
    bar.get(name).and_then(Json::as_f64)
}
