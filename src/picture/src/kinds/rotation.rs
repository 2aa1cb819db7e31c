//! Sector rotation: each sector's position by strength and momentum, with its path so far.
//!
//! Quadrants are tinted and named; a sector has the colour of its head's quadrant, and its name is next to the head. Both axes are centred
//! on 100. If all tails would hide each other, those farthest from the centre are complete and the others short; on a page, the rest of a
//! short tail is shown while its sector is hovered.

use std::collections::HashMap;

use chrono::NaiveDate;
use maud::{Markup, html};

use crate::axis::NumberAxis;
use crate::data::RoleColumns;
use crate::label::{PlacedLabel, place_beside};
use crate::number::{NumberForm, format_grouped};
use crate::scale::{Scale, Span};
use crate::shape::{Anchor, Area, Ink, Lettering, PathText, circle, path, rect, text, texts};
use crate::sheet::{Drawing, Sheet};
use crate::text::{FontWeight, clean_text};
use crate::theme::Tint;

const CENTRE: f64 = 100.0;
/// Maximum number of tail points drawn together, unless [`SHORT_TAIL`] points per sector are more.
const MOST_POINTS: usize = 120;
/// Points of a short tail, including the head.
const SHORT_TAIL: usize = 4;
/// Points of the longest tail: half a year of weeks.
const LONGEST_TAIL: usize = 27;

/// Strength and momentum, or a position on the sheet.
type Point = (f64, f64);

/// A sector's path, head last.
#[derive(Debug)]
struct Sector<'a> {
    name: &'a str,
    trail: Vec<Point>,
    /// Number of points of the path before its tail.
    hidden_count: usize,
}

impl Sector<'_> {
    fn newest_point(&self) -> Point {
        self.trail.last().copied().unwrap_or((CENTRE, CENTRE))
    }

    /// Returns the points that are always drawn, head last.
    fn tail(&self) -> &[Point] {
        self.trail.get(self.hidden_count..).unwrap_or_default()
    }

    /// Returns the points before the tail, up to and including its first point.
    fn points_before_tail(&self) -> &[Point] {
        self.trail.get(..=self.hidden_count).filter(|_| self.hidden_count > 0).unwrap_or_default()
    }

    /// Returns the head's distance from the centre.
    fn distance(&self) -> f64 {
        let (x, y) = self.newest_point();
        (x - CENTRE).hypot(y - CENTRE)
    }

    fn tint(&self) -> Tint {
        let (x, y) = self.newest_point();
        match (x > CENTRE, y > CENTRE) {
            (true, true) => Tint::Leading,
            (true, false) => Tint::Weakening,
            (false, false) => Tint::Lagging,
            (false, true) => Tint::Improving,
        }
    }
}

/// A sector's name and points, each point with its age.
type SectorTrail<'a> = (&'a str, Vec<(f64, Point)>);

/// Returns the sectors in the order of their first rows; rows without one of their numbers are left out.
fn sectors<'a>(columns: &RoleColumns<'a>) -> Vec<Sector<'a>> {
    let mut index_by_name: HashMap<&str, usize> = HashMap::new();
    let mut trails: Vec<SectorTrail<'a>> = Vec::new();
    for row in 0..columns.rows {
        let Some(name) = columns.text("of", row) else { continue };
        let (Some(x), Some(y)) = (columns.number("x", row), columns.number("y", row)) else { continue };
        let days = |date: NaiveDate| -f64::from(chrono::Datelike::num_days_from_ce(&date));
        let ago = columns.number("tail", row).or_else(|| columns.date("tail", row).map(days)).unwrap_or(0.0);
        let at = *index_by_name.entry(name).or_insert(trails.len());
        if at == trails.len() {
            trails.push((name, Vec::new()));
        }
        if let Some((_, trail)) = trails.get_mut(at) {
            trail.push((ago, (x, y)));
        }
    }
    let in_order = |(name, mut trail): SectorTrail<'a>| {
        trail.sort_by(|a, b| b.0.total_cmp(&a.0));
        let passed = trail.len().saturating_sub(LONGEST_TAIL);
        Sector {
            name,
            trail: trail.into_iter().skip(passed).map(|(_, point)| point).collect(),
            hidden_count: 0,
        }
    };
    let mut sectors: Vec<Sector<'a>> = trails.into_iter().map(in_order).collect();
    shorten_tails(&mut sectors);
    sectors
}

/// Hides the beginnings of tails until few enough points are left, starting with sectors near the centre.
fn shorten_tails(sectors: &mut [Sector<'_>]) {
    let mut drawn: usize = sectors.iter().map(|sector| sector.trail.len()).sum();
    let mut nearest: Vec<&mut Sector<'_>> = sectors.iter_mut().collect();
    nearest.sort_by(|a, b| a.distance().total_cmp(&b.distance()));
    for sector in nearest {
        if drawn <= MOST_POINTS {
            break;
        }
        sector.hidden_count = sector.trail.len().saturating_sub(SHORT_TAIL);
        drawn -= sector.hidden_count;
    }
}

/// Returns the note on the lengths of tails.
fn tail_words(sectors: &[Sector<'_>], has_hover: bool) -> String {
    let longest = sectors.iter().map(|sector| sector.tail().len()).max().unwrap_or(0);
    let whole = sectors.iter().filter(|sector| sector.hidden_count == 0).count();
    match (longest, whole < sectors.len()) {
        (0 | 1, _) => String::new(),
        (_, false) => format!("tails of {} steps, the newest at the head", longest - 1),
        (_, true) => {
            let beginning = match whole {
                0 => format!("tails of {} steps, the newest at the head", SHORT_TAIL - 1),
                _ => format!(
                    "tails of {} steps for the {whole} farthest from the centre, of {} for the others",
                    longest - 1,
                    SHORT_TAIL - 1
                ),
            };
            let more = if has_hover { "; point at a sector for all of its own" } else { "" };
            format!("{beginning}{more}")
        }
    }
}

pub(crate) fn draw(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Drawing {
    let sectors = sectors(columns);
    let has_links = sheet.has_links();
    let points =
        || sectors.iter().flat_map(|sector| if has_links { sector.trail.as_slice() } else { sector.tail() });
    let half = |number: fn(&Point) -> f64| {
        points().map(|point| (number(point) - CENTRE).abs()).fold(0.0, f64::max).max(0.05) * 1.1
    };
    if points().next().is_none() {
        return sheet.empty_drawing("no sector has a place yet");
    }
    let centred = |half: f64| Span { low: CENTRE - half, high: CENTRE + half };
    let plot = Plot::new(sheet, centred(half(|point| point.0)), centred(half(|point| point.1)));
    let labels = labels(sheet, &plot, &sectors);
    let body = html! {
        (plot.draw_quadrants(sheet))
        (plot.axes(sheet, columns))
        @for (sector, label) in sectors.iter().zip(&labels) { (draw_sector(sheet, columns, &plot, sector, label.as_ref())) }
    };
    Drawing { body, note: tail_words(&sectors, has_links) }
}

#[derive(Debug)]
struct Plot {
    area: Area,
    x: Scale,
    y: Scale,
    across: NumberAxis,
    up: NumberAxis,
}

impl Plot {
    fn new(sheet: &Sheet<'_>, across: Span, up: Span) -> Self {
        let em = sheet.font_size();
        let whole = sheet.area();
        // No legend: the quadrants are named in place.
        let (_, legend, _) = sheet.legend_line();
        let bottom = whole.bottom - em * 3.2;
        let area = Area { top: legend - em * 0.2, bottom, left: whole.left, right: whole.right };
        let up_axis = NumberAxis::new(sheet, up, area.height(), NumberForm::Plain);
        let area = Area { left: area.left + up_axis.width + em * 1.6, ..area };
        Self {
            x: Scale::new(across, area.left, area.right),
            y: Scale::new(up, area.bottom, area.top),
            across: NumberAxis::new(sheet, across, area.width() * 0.5, NumberForm::Plain),
            up: up_axis,
            area,
        }
    }

    fn position(&self, point: Point) -> Point {
        (self.x.position(point.0), self.y.position(point.1))
    }

    /// Draws the four quadrants with their names.
    fn draw_quadrants(&self, sheet: &Sheet<'_>) -> Markup {
        let (x, y) = self.position((CENTRE, CENTRE));
        let Area { left, top, right, bottom } = self.area;
        let quadrants = [
            (Area { left: x, top, right, bottom: y }, Tint::LeadingField, Tint::Leading, "Leading"),
            (Area { left: x, top: y, right, bottom }, Tint::WeakeningField, Tint::Weakening, "Weakening"),
            (Area { left, top: y, right: x, bottom }, Tint::LaggingField, Tint::Lagging, "Lagging"),
            (Area { left, top, right: x, bottom: y }, Tint::ImprovingField, Tint::Improving, "Improving"),
        ];
        html! {
            @for (area, field, ink, name) in quadrants {
                @let (at, anchor) = self.name_position(sheet, area);
                (rect(sheet.theme, Ink::filled(field), area, 0.0))
                (text(sheet.theme, Lettering { size: sheet.font_size() * 1.15, ..sheet.text_style(ink, anchor) }.bold(), at, name))
            }
        }
    }

    /// Returns the name's position, in the outer corner of its quadrant.
    fn name_position(&self, sheet: &Sheet<'_>, quadrant: Area) -> (Point, Anchor) {
        let by = sheet.font_size();
        let y = if quadrant.top > self.area.top { quadrant.bottom - by } else { quadrant.top + by };
        if quadrant.left > self.area.left {
            ((quadrant.right - by, y), Anchor::End)
        } else {
            ((quadrant.left + by, y), Anchor::Start)
        }
    }

    /// Returns the areas of the quadrants' names.
    fn names(&self, sheet: &Sheet<'_>) -> [Area; 4] {
        let (width, height) = (sheet.font_size() * 7.5, sheet.font_size() * 1.9);
        let Area { left, top, right, bottom } = self.area;
        [
            Area { left, top, right: left + width, bottom: top + height },
            Area { left: right - width, top, right, bottom: top + height },
            Area { left, top: bottom - height, right: left + width, bottom },
            Area { left: right - width, top: bottom - height, right, bottom },
        ]
    }

    fn axes(&self, sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Markup {
        let em = sheet.font_size();
        let Area { left, right, bottom, .. } = self.area;
        let (x, y) = self.position((CENTRE, CENTRE));
        let mut cross = PathText::new();
        cross.move_to(x, self.area.top).down_to(bottom).move_to(left, y).across_to(right);
        let label = |role| columns.first_column(role).map(|column| column.label.clone()).unwrap_or_default();
        let muted = |anchor| sheet.text_style(Tint::Muted, anchor);
        let across = self.across.labels().map(|(value, label)| {
            (sheet.shift_into_sheet(self.x.position(value), label), bottom + em, label)
        });
        let up = self.up.labels().map(|(value, label)| (left - em * 0.6, self.y.position(value), label));
        let side = (sheet.area().left + em * 0.5, f64::midpoint(self.area.top, bottom));
        html! {
            (path(sheet.theme, Ink::line(Tint::Axis, 1.0), &cross))
            (texts(sheet.theme, muted(Anchor::Middle), across))
            (texts(sheet.theme, muted(Anchor::End), up))
            (text(sheet.theme, muted(Anchor::Middle), (f64::midpoint(left, right), bottom + em * 2.5), &format!("{} →", label("x"))))
            g transform={ "rotate(-90 " (side.0) " " (side.1) ")" } {
                (text(sheet.theme, muted(Anchor::Middle), side, &format!("{} →", label("y"))))
            }
        }
    }
}

/// Places each sector's name clear of heads, of the quadrants' names and of the other names.
fn labels(sheet: &Sheet<'_>, plot: &Plot, sectors: &[Sector<'_>]) -> Vec<Option<(String, PlacedLabel)>> {
    let em = sheet.font_size();
    let around = |point: Point, by: f64| Area {
        left: point.0 - by,
        top: point.1 - by,
        right: point.0 + by,
        bottom: point.1 + by,
    };
    let heads = sectors.iter().map(|sector| around(plot.position(sector.newest_point()), em * 0.5));
    let mut taken: Vec<Area> = plot.names(sheet).into_iter().chain(heads).collect();
    // Tails may be covered if no other position is free.
    let tails: Vec<Area> = sectors
        .iter()
        .flat_map(|sector| sector.tail().iter().map(|point| around(plot.position(*point), 2.0)))
        .collect();
    let bounds = plot.area.inset(2.0);
    sectors
        .iter()
        .map(|sector| {
            let name = sheet.fit_text(
                &clean_text(sector.name),
                em * 19.0 * sheet.font_width_factor(),
                FontWeight::Bold,
            );
            let size = (sheet.width(&name, FontWeight::Bold) + em * 0.5, em * 1.25);
            let point = plot.position(sector.newest_point());
            let all: Vec<Area> = taken.iter().chain(&tails).copied().collect();
            let clear = place_beside(point, size, &bounds, &all).filter(|placed| !placed.is_far);
            let placed = clear.or_else(|| place_beside(point, size, &bounds, &taken))?;
            taken.push(placed.area);
            Some((name, placed))
        })
        .collect()
}

/// Returns a sector's name with its strength and momentum, such as `Power: Relative strength 98.21, Momentum 101.08`.
fn position_words(sheet: &Sheet<'_>, columns: &RoleColumns<'_>, sector: &Sector<'_>) -> String {
    let (x, y) = sector.newest_point();
    let written = |role: &str, value: f64| {
        let label = columns.first_column(role).map_or(role, |column| column.label.as_str());
        format!("{label} {}", format_grouped(value, 2, sheet.currency))
    };
    format!("{}: {}, {}", clean_text(sector.name), written("x", x), written("y", y))
}

fn draw_sector(
    sheet: &Sheet<'_>,
    columns: &RoleColumns<'_>,
    plot: &Plot,
    sector: &Sector<'_>,
    label: Option<&(String, PlacedLabel)>,
) -> Markup {
    let (theme, em, tint) = (sheet.theme, sheet.font_size(), sector.tint());
    let head = plot.position(sector.newest_point());
    let mut leader = PathText::new();
    if let Some((_, placed)) = label.filter(|(_, placed)| placed.is_far) {
        let label_edge = (
            head.0.clamp(placed.area.left, placed.area.right),
            head.1.clamp(placed.area.top, placed.area.bottom),
        );
        leader.move_to(head.0, head.1).line_to(label_edge.0, label_edge.1);
    }
    let drawn = html! {
        @if sheet.has_links() { title { (position_words(sheet, columns, sector)) } }
        @if sheet.has_links() && sector.hidden_count > 0 {
            g class="before" stroke-opacity=".5" { (steps(sheet, plot, tint, sector.points_before_tail())) }
        }
        g stroke-opacity=".5" { (steps(sheet, plot, tint, sector.tail())) }
        (path(theme, Ink::line(Tint::Axis, 0.7), &leader))
        (circle(theme, Ink::line(Tint::Surface, 1.2).with_fill(tint), head, em * 0.46))
        @if let Some((name, placed)) = label {
            @let middle = (f64::midpoint(placed.area.left, placed.area.right), f64::midpoint(placed.area.top, placed.area.bottom));
            (text(theme, Lettering { halo: Some(Tint::Surface), ..sheet.text_style(Tint::Text, Anchor::Middle).bold() }, middle, name))
        }
    };
    sheet.wrap_in_link(sector.name, "sector", drawn)
}

/// Draws the path through points: a line, and a dot at each point but the last.
fn steps(sheet: &Sheet<'_>, plot: &Plot, tint: Tint, points: &[Point]) -> Markup {
    let (theme, em) = (sheet.theme, sheet.font_size());
    let mut line = PathText::new();
    line.line(points.iter().map(|point| Some(plot.position(*point))));
    let mut dots = PathText::new();
    for point in points.iter().rev().skip(1) {
        let (x, y) = plot.position(*point);
        dots.dot(x, y);
    }
    html! {
        @if points.len() > 1 { (path(theme, Ink::line(tint, em * 0.11), &line)) }
        (path(theme, Ink::line(tint, em * 0.28), &dots))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sectors(count: usize, points: usize) -> Vec<Sector<'static>> {
        let sector = |at: usize| {
            let away = CENTRE + at as f64 / 10.0;
            Sector { name: "Power", trail: vec![(away, away); points], hidden_count: 0 }
        };
        (0..count).map(sector).collect()
    }

    #[test]
    fn few_tails_are_whole() {
        let mut few = sectors(13, 9);
        shorten_tails(&mut few);
        assert!(few.iter().all(|sector| sector.tail().len() == 9 && sector.points_before_tail().is_empty()));
        assert_eq!(tail_words(&few, true), "tails of 8 steps, the newest at the head");
        assert_eq!(tail_words(&sectors(3, 1), true), "");
    }

    #[test]
    fn of_many_tails_those_farthest_from_the_centre_are_whole() {
        let mut many = sectors(22, 9);
        shorten_tails(&mut many);
        // 22 times 9 points are 78 too many; each short tail saves five.
        let lengths: Vec<usize> = many.iter().map(|sector| sector.tail().len()).collect();
        assert_eq!(lengths, [[4; 16].as_slice(), &[9; 6]].concat());
        assert!(many.iter().take(16).all(|sector| sector.points_before_tail().len() == 6));
        let words = "tails of 8 steps for the 6 farthest from the centre, of 3 for the others";
        assert_eq!(tail_words(&many, false), words);
    }

    #[test]
    fn a_head_alone_has_nothing_to_shorten() {
        let mut many = sectors(200, 1);
        shorten_tails(&mut many);
        assert!(many.iter().all(|sector| sector.hidden_count == 0));
    }
}
