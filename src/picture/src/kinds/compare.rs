//! Compare: several lines of prices, each as its change since its first date, with their names at their ends.
//!
//! A line has dashes as well as a colour, and its name is next to its end, so that no legend is needed.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use maud::{Markup, html};

use crate::axis::{AxisSide, NumberAxis, date_axis, date_span, long_date};
use crate::data::RoleColumns;
use crate::label::spread;
use crate::number::{NumberForm, change};
use crate::scale::{Scale, Span, Steps};
use crate::shape::{Anchor, Area, Ink, PathText, path, text};
use crate::sheet::{Drawing, Paper};
use crate::text::{FontWeight, cleaned};
use crate::theme::{LINES, Tint};

/// A line: its changes in percent by date.
#[derive(Debug)]
struct ComparedLine<'a> {
    name: &'a str,
    points: Vec<(NaiveDate, f64)>,
}

impl ComparedLine<'_> {
    fn end(&self) -> f64 {
        self.points.last().map_or(0.0, |(_, value)| *value)
    }

    fn first_date(&self) -> Option<NaiveDate> {
        self.points.first().map(|(date, _)| *date)
    }
}

/// Returns the lines in the order of their first rows, each from 0 %; lines without a base are left out.
fn lines<'a>(columns: &RoleColumns<'a>) -> Vec<ComparedLine<'a>> {
    let mut place_of: HashMap<&str, usize> = HashMap::new();
    let mut lines: Vec<ComparedLine<'a>> = Vec::new();
    for row in 0..columns.rows {
        let Some(name) = columns.text("of", row) else { continue };
        let (Some(date), Some(value)) = (columns.date("date", row), columns.number("value", row)) else {
            continue;
        };
        let at = *place_of.entry(name).or_insert(lines.len());
        if at == lines.len() {
            lines.push(ComparedLine { name, points: Vec::new() });
        }
        if let Some(line) = lines.get_mut(at) {
            line.points.push((date, value));
        }
    }
    for line in &mut lines {
        line.points.sort_by_key(|(date, _)| *date);
        line.points.dedup_by_key(|(date, _)| *date);
        let base = line.points.iter().position(|(_, value)| *value > 0.0).unwrap_or(line.points.len());
        line.points.drain(..base);
        let first = line.points.first().map_or(1.0, |(_, value)| *value);
        for (_, value) in &mut line.points {
            *value = (*value / first - 1.0) * 100.0;
        }
    }
    lines.retain(|line| !line.points.is_empty());
    lines
}

/// # Errors
/// The number of lines, if there are more than can be distinguished.
pub(crate) fn draw(sheet: &Paper<'_>, columns: &RoleColumns<'_>) -> Result<Drawing, usize> {
    let lines = lines(columns);
    if lines.len() > LINES.len() {
        return Err(lines.len());
    }
    let values = lines.iter().flat_map(|line| line.points.iter().map(|(_, value)| *value));
    let Some(span) = Span::covering(values.chain((!lines.is_empty()).then_some(0.0))) else {
        return Ok(sheet.nothing("there are no prices"));
    };
    let span = span.padded(0.05);
    let letters = sheet.letters();
    let dates = dates(&lines);
    let ends: Vec<(String, String)> = lines.iter().map(|line| end_words(sheet, line)).collect();
    let beside = ends.iter().map(|words| ends_width(sheet, words)).fold(0.0, f64::max);
    let area = sheet.area();
    // No legend: the lines are named at their ends.
    let top = sheet.legend_line().1;
    let axis = NumberAxis::new(sheet, span, area.bottom - top, NumberForm::Percent);
    let pane = Area {
        left: area.left + axis.width,
        top,
        right: area.right - beside - letters * 1.6,
        bottom: area.bottom - letters * 2.0,
    };
    let scale = Scale::new(span, pane.bottom, pane.top);
    let steps = Steps::new(pane.left, pane.right, dates.len());
    let place = CompareLayout { pane, scale, steps, dates: &dates };
    let mut zero = PathText::new();
    zero.move_to(pane.left, scale.at(0.0)).across_to(pane.right);
    let body = html! {
        (date_axis(sheet, pane, &steps, &dates))
        (axis.draw(sheet, pane, AxisSide::Left, &scale, None))
        (path(sheet.theme, Ink::line(Tint::Axis, 1.2), &zero))
        (place.drawn(sheet, &lines))
        (place.ends(sheet, &lines, &ends))
    };
    Ok(Drawing { body, note: note(&lines, &dates) })
}

/// Returns all dates of all lines, sorted.
fn dates(lines: &[ComparedLine<'_>]) -> Vec<NaiveDate> {
    let all: BTreeSet<NaiveDate> =
        lines.iter().flat_map(|line| line.points.iter().map(|(date, _)| *date)).collect();
    all.into_iter().collect()
}

fn note(lines: &[ComparedLine<'_>], dates: &[NaiveDate]) -> String {
    let starts = || lines.iter().filter_map(ComparedLine::first_date);
    let since = match (starts().min(), starts().max()) {
        (Some(first), Some(last)) if first == last => format!("change since {}", long_date(first)),
        _ => "change of each since its first date".to_owned(),
    };
    format!("{} · {since}", date_span(dates))
}

/// Returns name and change, for the end of a line.
fn end_words(sheet: &Paper<'_>, line: &ComparedLine<'_>) -> (String, String) {
    (
        sheet.fitted(&cleaned(line.name), sheet.letters() * 12.0, FontWeight::Bold),
        change(line.end(), sheet.currency),
    )
}

fn ends_width(sheet: &Paper<'_>, (name, moved): &(String, String)) -> f64 {
    sheet.width(name, FontWeight::Bold) + sheet.letters() * 0.5 + sheet.width(moved, FontWeight::Regular)
}

struct CompareLayout<'a> {
    pane: Area,
    scale: Scale,
    steps: Steps,
    dates: &'a [NaiveDate],
}

impl CompareLayout<'_> {
    fn x(&self, date: NaiveDate) -> f64 {
        self.steps.at(self.dates.partition_point(|other| *other < date))
    }

    fn drawn(&self, sheet: &Paper<'_>, lines: &[ComparedLine<'_>]) -> Markup {
        html! {
            @for (line, (tint, dashes)) in lines.iter().zip(LINES) {
                @let points: Vec<_> =
                    line.points.iter().map(|(date, value)| Some((self.x(*date), self.scale.at(*value)))).collect();
                (path(sheet.theme, Ink::line(tint, sheet.letters() * 0.15).dashed(dashes),
                    PathText::new().thin_line(&points, 1.5)))
            }
        }
    }

    /// Draws the names as near to the line ends as possible; a thin line leads to a name that had to move.
    fn ends(&self, sheet: &Paper<'_>, lines: &[ComparedLine<'_>], ends: &[(String, String)]) -> Markup {
        let letters = sheet.letters();
        let wanted: Vec<f64> = lines.iter().map(|line| self.scale.at(line.end())).collect();
        let places = spread(&wanted, letters * 1.35, self.pane.top, self.pane.bottom);
        let left = self.pane.right + letters * 1.4;
        let of_line =
            |line: &ComparedLine<'_>| line.points.last().map_or(self.pane.right, |(date, _)| self.x(*date));
        html! {
            @for (((line, (tint, _)), (name, moved)), (y, wanted)) in
                lines.iter().zip(LINES).zip(ends).zip(places.into_iter().zip(wanted)) {
                @if let Some(y) = y {
                    @let mut leader = PathText::new();
                    (path(sheet.theme, Ink::line(tint, 0.7),
                        leader.move_to(of_line(line) + 2.0, wanted).line_to(left - letters * 0.3, y)))
                    (text(sheet.theme, sheet.lettering(tint, Anchor::Start).bold(), (left, y), name))
                    @let moved_at = left + sheet.width(name, FontWeight::Bold) + letters * 0.5;
                    (text(sheet.theme, sheet.lettering(Tint::Text, Anchor::Start), (moved_at, y), moved))
                }
            }
        }
    }
}
