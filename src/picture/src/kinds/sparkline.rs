//! One small line for a table cell: shape only; the number is next to it.
//!
//! It has no text, so that screen readers skip it.

use maud::html;

use crate::data::RoleColumns;
use crate::scale::{Scale, Span};
use crate::shape::{Ink, PathText, path};
use crate::theme::{Theme, Tint};

const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 28.0;
/// Margin, so that the line is not cut at the edges.
const MARGIN: f64 = 2.0;

pub(crate) fn svg(theme: Theme, columns: &RoleColumns<'_>) -> String {
    let mut rows: Vec<usize> = (0..columns.rows).collect();
    if columns.first_column("date").is_some() {
        rows.sort_by_key(|row| columns.date("date", *row));
    }
    let values: Vec<Option<f64>> = rows.into_iter().map(|row| columns.number("value", row)).collect();
    let mut line = PathText::new();
    if let Some(span) = Span::from_numbers(values.iter().flatten().copied()) {
        let scale = Scale::new(span, HEIGHT - MARGIN, MARGIN);
        let step = (WIDTH - 2.0 * MARGIN) / (values.len().max(2) - 1) as f64;
        let points: Vec<Option<(f64, f64)>> = values
            .iter()
            .enumerate()
            .map(|(at, value)| Some((MARGIN + at as f64 * step, scale.position((*value)?))))
            .collect();
        line.thin_line(&points, 2.0);
    }
    html! {
        svg xmlns="http://www.w3.org/2000/svg" class="sparkline" aria-hidden="true" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } {
            (path(theme, Ink::line(Tint::Line1, 1.5), &line))
        }
    }
    .into_string()
}
