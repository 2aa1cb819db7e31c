//! Level lines over candles: prices that a reader watches, drawn over the bars that have them, each named at its beginning.
//!
//! A level outside of the prices is left out, as it would make the bars smaller.

use maud::{Markup, html};

use super::candle_rows::{CandleRow, LEVELS};
use crate::data::RoleColumns;
use crate::label::place_labels;
use crate::scale::{Scale, Steps};
use crate::shape::{Anchor, Area, Ink, PathText, path, text};
use crate::sheet::Sheet;
use crate::text::FontWeight;
use crate::theme::Tint;

/// Highs and lows of a year, then those of a base.
const LINES: [(Tint, &str); LEVELS] =
    [(Tint::Muted, "1 4"), (Tint::Muted, "1 4"), (Tint::Accent, "9 4"), (Tint::Accent, "3 4")];

/// A level to draw.
struct LevelLine<'a> {
    label: &'a str,
    ink: (Tint, &'static str),
    left: f64,
    right: f64,
    y: f64,
}

pub(super) fn levels(
    sheet: &Sheet<'_>,
    rows: &[CandleRow],
    steps: &Steps,
    pane: Area,
    scale: &Scale,
    columns: &RoleColumns<'_>,
) -> Markup {
    let lines: Vec<LevelLine<'_>> = columns
        .with_role("level")
        .zip(LINES)
        .enumerate()
        .filter_map(|(nth, (column, ink))| {
            let has = |row: &CandleRow| row.levels.get(nth).copied().flatten();
            let first = rows.iter().position(|row| has(row).is_some())?;
            let last = rows.iter().rposition(|row| has(row).is_some())?;
            let price = rows.get(last).and_then(has)?;
            let is_among =
                rows.iter().any(|row| row.high >= price) && rows.iter().any(|row| row.low <= price);
            let (left, right) = (steps.position(first), steps.position(last));
            is_among.then(|| LevelLine { label: &column.label, ink, left, right, y: scale.position(price) })
        })
        .collect();
    let em = sheet.font_size();
    let wanted: Vec<f64> = lines.iter().map(|line| line.y - em * 0.8).collect();
    let (top, bottom) = wanted.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(top, bottom), y| {
        (top.min(*y - em * 4.0), bottom.max(*y + em * 4.0))
    });
    // The title of the pane is at its upper edge.
    let top = top.max(pane.top + em);
    let positions = place_labels(&wanted, em * 1.2, top, bottom.min(pane.bottom).max(top));
    html! {
        @for (line, position) in lines.iter().zip(positions) {
            @let mut drawn = PathText::new();
            (path(sheet.theme, Ink::line(line.ink.0, 1.2).dashed(line.ink.1), drawn.move_to(line.left, line.y).across_to(line.right)))
            @if let Some(y) = position {
                @let mut lettering = sheet.text_style(line.ink.0, Anchor::Start);
                @let width = sheet.width(line.label, FontWeight::Regular);
                @let x = line.left.min(pane.right - width).max(pane.left);
                ({ lettering.halo = Some(Tint::Surface); text(sheet.theme, lettering, (x, y), line.label) })
            }
        }
    }
}
