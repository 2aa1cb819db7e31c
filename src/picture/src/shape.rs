//! Shapes of a drawing: paths, rectangles and texts, in the colours of a theme.
//!
//! Positions are rounded to tenths of a unit, as integers, so that the same rows give the same bytes. Each path command is relative to the
//! last point: half the bytes, and rounding errors do not add up.

use std::fmt::Write;

use maud::{Markup, html};

use super::scale::thin_line;
use super::text::{FontWeight, clean_text};
use super::theme::{Theme, Tint};

/// Converts to tenths of a unit.
fn tenths(number: f64) -> i64 {
    (number * 10.0).round() as i64
}

/// Formats a position or a length as briefly as possible: `12.5`, `3`, `-.5`.
pub(super) fn format_short(number: f64) -> String {
    let mut text = String::new();
    push_tenths(&mut text, tenths(number));
    text
}

fn push_tenths(text: &mut String, tenths: i64) {
    let sign = if tenths < 0 { "-" } else { "" };
    let (whole, tenth) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
    // Writing to a String cannot fail.
    let _ = match (whole, tenth) {
        (_, 0) => write!(text, "{sign}{whole}"),
        (0, _) => write!(text, "{sign}.{tenth}"),
        _ => write!(text, "{sign}{whole}.{tenth}"),
    };
}

/// The `d` attribute of a path.
#[derive(Debug, Default, Clone)]
pub(super) struct PathText {
    text: String,
    x: i64,
    y: i64,
    /// True after an `l` command or its points: further points then need no command.
    in_line: bool,
}

impl PathText {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Returns the value of the `d` attribute.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    fn push_number(&mut self, number: i64, after_command: bool) {
        if !after_command && number >= 0 {
            self.text.push(' ');
        }
        push_tenths(&mut self.text, number);
    }

    pub(super) fn move_to(&mut self, x: f64, y: f64) -> &mut Self {
        let (x, y) = (tenths(x), tenths(y));
        let is_first = self.text.is_empty();
        self.text.push(if is_first { 'M' } else { 'm' });
        let (dx, dy) = if is_first { (x, y) } else { (x - self.x, y - self.y) };
        self.push_number(dx, true);
        self.push_number(dy, false);
        (self.x, self.y, self.in_line) = (x, y, false);
        self
    }

    pub(super) fn line_to(&mut self, x: f64, y: f64) -> &mut Self {
        let (x, y) = (tenths(x), tenths(y));
        if !self.in_line {
            self.text.push('l');
        }
        self.push_number(x - self.x, !self.in_line);
        self.push_number(y - self.y, false);
        (self.x, self.y, self.in_line) = (x, y, true);
        self
    }

    pub(super) fn across_to(&mut self, x: f64) -> &mut Self {
        let x = tenths(x);
        self.text.push('h');
        self.push_number(x - self.x, true);
        (self.x, self.in_line) = (x, false);
        self
    }

    pub(super) fn down_to(&mut self, y: f64) -> &mut Self {
        let y = tenths(y);
        self.text.push('v');
        self.push_number(y - self.y, true);
        (self.y, self.in_line) = (y, false);
        self
    }

    /// Appends a closed box.
    pub(super) fn add_box(&mut self, area: Area) -> &mut Self {
        self.move_to(area.left, area.top).across_to(area.right).down_to(area.bottom).across_to(area.left);
        self.text.push('z');
        self.y = tenths(area.top);
        self
    }

    /// Appends a point: a line of length 0, whose round ends are drawn.
    pub(super) fn dot(&mut self, x: f64, y: f64) -> &mut Self {
        self.move_to(x, y).across_to(x)
    }

    /// Appends a line as [`PathText::line`] does, thinned to at most four points for each `column` units of width.
    pub(super) fn thin_line(&mut self, points: &[Option<(f64, f64)>], column: f64) -> &mut Self {
        for part in points.split(Option::is_none) {
            let part: Vec<(f64, f64)> = part.iter().flatten().copied().collect();
            self.line(thin_line(&part, column).into_iter().map(Some));
        }
        self
    }

    /// Appends a line through points, broken at each `None`.
    pub(super) fn line(&mut self, points: impl IntoIterator<Item = Option<(f64, f64)>>) -> &mut Self {
        let mut last: Option<(f64, f64)> = None;
        let mut is_alone = false;
        for point in points {
            match (last, point) {
                (None, Some((x, y))) => {
                    self.move_to(x, y);
                    is_alone = true;
                }
                (Some(_), Some((x, y))) => {
                    self.line_to(x, y);
                    is_alone = false;
                }
                (Some((x, _)), None) if is_alone => {
                    self.across_to(x);
                    is_alone = false;
                }
                (_, None) => {}
            }
            last = point;
        }
        if let Some((x, _)) = last.filter(|_| is_alone) {
            self.across_to(x);
        }
        self
    }
}

/// A rectangle on the sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    pub(super) const fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) const fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// Returns the area, smaller by `by` on every side.
    pub(super) const fn inset(&self, by: f64) -> Self {
        Self { left: self.left + by, top: self.top + by, right: self.right - by, bottom: self.bottom - by }
    }

    /// Cuts the area into rows with heights in proportion to `shares`, `gap` apart.
    pub(super) fn cut_into_rows(&self, shares: &[f64], gap: f64) -> Vec<Self> {
        let unit = (self.height() - gap * (shares.len() as f64 - 1.0)) / shares.iter().sum::<f64>();
        let mut top = self.top;
        let next = |share: &f64| {
            let area = Self { top, bottom: top + unit * share, ..*self };
            top = area.bottom + gap;
            area
        };
        shares.iter().map(next).collect()
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

/// Fill and stroke of a shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ink {
    fill: Option<Tint>,
    stroke: Option<Tint>,
    width: f64,
    dashes: &'static str,
}

impl Ink {
    pub(super) const fn filled(tint: Tint) -> Self {
        Self { fill: Some(tint), stroke: None, width: 0.0, dashes: "" }
    }

    pub(super) const fn line(tint: Tint, width: f64) -> Self {
        Self { fill: None, stroke: Some(tint), width, dashes: "" }
    }

    #[must_use]
    pub(super) const fn with_fill(self, tint: Tint) -> Self {
        Self { fill: Some(tint), ..self }
    }

    #[must_use]
    pub(super) const fn dashed(self, dashes: &'static str) -> Self {
        Self { dashes, ..self }
    }

    fn class(&self, theme: Theme) -> Option<String> {
        let word = |letter, tint: Option<Tint>| tint.map(|tint| format!("{letter}-{}", tint.word()));
        let words: Vec<String> =
            [word('f', self.fill), word('s', self.stroke)].into_iter().flatten().collect();
        (theme == Theme::Page).then(|| words.join(" "))
    }

    fn fill(&self, theme: Theme) -> Option<&'static str> {
        self.fill.map_or(Some("none"), |tint| tint.colour(theme))
    }

    fn stroke(&self, theme: Theme) -> Option<&'static str> {
        self.stroke.and_then(|tint| tint.colour(theme))
    }

    fn width(&self) -> Option<String> {
        self.stroke.map(|_| format_short(self.width))
    }

    fn dashes(&self) -> Option<&'static str> {
        (!self.dashes.is_empty()).then_some(self.dashes)
    }
}

/// Draws a path with round ends and corners; nothing if it is empty.
pub(super) fn path(theme: Theme, ink: Ink, path: &PathText) -> Markup {
    html! {
        @if !path.is_empty() {
            path class=[ink.class(theme)] fill=[ink.fill(theme)] stroke=[ink.stroke(theme)] stroke-width=[ink.width()]
                stroke-dasharray=[ink.dashes()] d=(path.text) {}
        }
    }
}

/// Draws a path whose lines have blunt ends, for bars drawn as thick lines.
pub(super) fn blunt_path(theme: Theme, ink: Ink, drawn: &PathText) -> Markup {
    html! { @if !drawn.is_empty() { g stroke-linecap="butt" stroke-linejoin="miter" { (path(theme, ink, drawn)) } } }
}

/// Draws a rectangle with rounded corners.
pub(super) fn rect(theme: Theme, ink: Ink, area: Area, radius: f64) -> Markup {
    let corner = (radius > 0.0).then(|| format_short(radius));
    html! {
        rect class=[ink.class(theme)] fill=[ink.fill(theme)] stroke=[ink.stroke(theme)] stroke-width=[ink.width()]
            x=(format_short(area.left)) y=(format_short(area.top)) width=(format_short(area.width())) height=(format_short(area.height())) rx=[corner] {}
    }
}

pub(super) fn circle(theme: Theme, ink: Ink, at: (f64, f64), radius: f64) -> Markup {
    html! {
        circle class=[ink.class(theme)] fill=[ink.fill(theme)] stroke=[ink.stroke(theme)] stroke-width=[ink.width()]
            cx=(format_short(at.0)) cy=(format_short(at.1)) r=(format_short(radius)) {}
    }
}

/// Alignment of a text to its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Style of texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lettering {
    pub tint: Tint,
    pub size: f64,
    pub weight: FontWeight,
    pub anchor: Anchor,
    /// Outline of the letters, so that they can be read over lines.
    pub halo: Option<Tint>,
}

impl Lettering {
    pub(super) const fn new(tint: Tint, size: f64, anchor: Anchor) -> Self {
        Self { tint, size, weight: FontWeight::Regular, anchor, halo: None }
    }

    #[must_use]
    pub(super) const fn bold(self) -> Self {
        Self { weight: FontWeight::Bold, ..self }
    }
}

/// Draws texts in one style, each at the vertical middle of its position.
pub(super) fn texts<'a>(
    theme: Theme,
    lettering: Lettering,
    placed: impl IntoIterator<Item = (f64, f64, &'a str)>,
) -> Markup {
    let halo = lettering.halo.map(|halo| Ink::line(halo, 3.0).with_fill(lettering.tint));
    let ink = halo.unwrap_or(Ink::filled(lettering.tint));
    let order = halo.map(|_| "stroke");
    let stroke = if halo.is_some() { ink.stroke(theme) } else { Some("none") };
    let anchor = match lettering.anchor {
        Anchor::Start => None,
        Anchor::Middle => Some("middle"),
        Anchor::End => Some("end"),
    };
    let weight = (lettering.weight == FontWeight::Bold).then_some("bold");
    // Capitals and digits are 0.73 high; half of that is below the middle.
    let drop = lettering.size * 0.36;
    html! {
        g class=[ink.class(theme)] fill=[ink.fill(theme)] stroke=[stroke] stroke-width=[ink.width()] paint-order=[order]
            font-size=(format_short(lettering.size)) font-weight=[weight] text-anchor=[anchor] {
            @for (x, y, text) in placed { text x=(format_short(x)) y=(format_short(y + drop)) { (clean_text(text)) } }
        }
    }
}

/// Draws one text.
pub(super) fn text(theme: Theme, lettering: Lettering, at: (f64, f64), words: &str) -> Markup {
    texts(theme, lettering, [(at.0, at.1, words)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written: Vec<_> =
            [12.0, 12.34, -0.04, 0.5, -0.5, -3.25, 1e6].into_iter().map(format_short).collect();
        assert_eq!(written, ["12", "12.3", "0", ".5", "-.5", "-3.3", "1000000"]);
    }

    #[test]
    fn a_path_is_relative_and_exact() {
        let mut path = PathText::new();
        path.line([Some((1.0, 1.0)), Some((2.04, 0.96)), Some((3.08, 2.0)), None, Some((5.0, 5.0)), None]);
        assert_eq!(path.text, "M1 1l1 0 1.1 1m1.9 3h0");
        let mut boxes = PathText::new();
        boxes.add_box(Area { left: 1.0, top: 2.0, right: 3.0, bottom: 5.0 }).dot(4.0, 4.0);
        assert_eq!(boxes.text, "M1 2h2v3h-2zm3 2h0");
    }

    #[test]
    fn a_thousand_steps_end_where_they_should() {
        let mut path = PathText::new();
        path.line((0..=1_000).map(|at| Some((f64::from(at) / 3.0, 0.0))));
        assert_eq!((path.x, path.y), (3_333, 0));
    }

    #[test]
    fn colours_are_words_on_a_page_and_literal_in_a_file() {
        let mut drawn = PathText::new();
        drawn.move_to(0.0, 0.0).down_to(1.0);
        let ink = Ink::line(Tint::Up, 1.5);
        assert_eq!(
            path(Theme::Page, ink, &drawn).0,
            r#"<path class="s-up" fill="none" stroke-width="1.5" d="M0 0v1"></path>"#
        );
        let file = path(Theme::Light, ink, &drawn).0;
        assert!(file.contains(r##"stroke="#0b7a53""##) && !file.contains("class"), "{file}");
        assert_eq!(path(Theme::Light, ink, &PathText::new()).0, "");
    }

    #[test]
    fn markup_in_texts_is_escaped() {
        let lettering = Lettering::new(Tint::Text, 12.0, Anchor::Start);
        let written = text(Theme::Page, lettering, (0.0, 0.0), "<script>\u{1}&\"").0;
        assert!(written.contains("&lt;script&gt;&amp;&quot;</text>"), "{written}");
    }
}
