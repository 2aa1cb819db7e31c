//! Pictures for table cells and for long lists: shapes without text, in few bytes. Their figures are next to them, so that screen readers
//! skip the pictures or read one sentence. Colours are those of the page.

use maud::{Markup, html};

use super::scale::{Scale, Span};
use super::shape::{Area, PathText};

/// A price bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmallBar {
    /// First price.
    pub open: f64,
    /// Highest price.
    pub high: f64,
    /// Lowest price.
    pub low: f64,
    /// Last price.
    pub close: f64,
    /// Shares traded.
    pub volume: Option<f64>,
}

/// Height of a line in a cell; a session is one unit wide.
const LINE_HEIGHT: f64 = 16.0;
/// Distance between two bars.
const BAR_DISTANCE: f64 = 6.0;
/// Half the width of a body.
const HALF_BODY: f64 = 2.0;
/// Height of the prices, then of the volume and of the RS line below them.
const PANES: [f64; 3] = [150.0, 30.0, 40.0];
const GAP: f64 = 8.0;

/// Draws the closes and the RS line as one line each, scaled to the full height; of the RS line, every third session.
pub fn close_and_rs_lines(closes: &[f64], rs: &[Option<f64>]) -> Markup {
    let draw = |values: Vec<Option<f64>>, step: usize| {
        let mut drawn = PathText::new();
        if let Some(span) = Span::from_numbers(values.iter().flatten().copied()) {
            let scale = Scale::new(span, LINE_HEIGHT, 0.0);
            let points =
                values.iter().enumerate().filter(|(at, _)| at % step == (values.len() + step - 1) % step);
            drawn.line(points.map(|(at, value)| Some((at as f64, scale.position((*value)?).round()))));
        }
        drawn
    };
    let closes = draw(closes.iter().copied().map(Some).collect(), 1);
    let rs = draw(rs.to_vec(), 3);
    html! {
        svg.spark viewBox={ "0 -1 " (60) " " (LINE_HEIGHT + 2.0) } aria-hidden="true" {
            @if !rs.is_empty() { path.rs d=(rs.text()) {} }
            @if !closes.is_empty() { path d=(closes.text()) {} }
        }
    }
}

/// Draws bars with their volume, and the RS line below; a bar that closed up is hollow, one that closed down is filled. `words` describes
/// the content.
pub fn candles(bars: &[SmallBar], rs: &[Option<f64>], words: &str) -> Markup {
    let [prices, volumes, line] = PANES;
    let (volume_top, rs_top) = (prices + GAP, prices + volumes + 2.0 * GAP);
    let (width, height) = (bars.len() as f64 * BAR_DISTANCE, rs_top + line);
    let x = |at: usize| (at as f64 + 0.5) * BAR_DISTANCE;
    let [mut up, mut down, mut volume, mut strength] = [(); 4].map(|()| PathText::new());
    if let Some(span) = Span::from_numbers(bars.iter().flat_map(|bar| [bar.low, bar.high])) {
        let scale = Scale::new(span, prices, 0.0);
        for (at, bar) in bars.iter().enumerate() {
            let [open, high, low, close] =
                [bar.open, bar.high, bar.low, bar.close].map(|price| scale.position(price).round());
            let drawn = if bar.close >= bar.open { &mut up } else { &mut down };
            let (top, bottom) = (open.min(close), open.max(close).max(open.min(close) + 1.0));
            drawn.move_to(x(at), high).down_to(top);
            drawn.add_box(Area { left: x(at) - HALF_BODY, top, right: x(at) + HALF_BODY, bottom });
            drawn.move_to(x(at), bottom).down_to(low.max(bottom));
        }
    }
    if let Some(span) = Span::from_numbers(bars.iter().filter_map(|bar| bar.volume)) {
        let scale = Scale::new(span.including(0.0), volume_top + volumes, volume_top);
        for (at, traded) in bars.iter().enumerate().filter_map(|(at, bar)| Some((at, bar.volume?))) {
            volume.move_to(x(at), volume_top + volumes).down_to(scale.position(traded).round());
        }
    }
    if let Some(span) = Span::from_numbers(rs.iter().flatten().copied()) {
        let scale = Scale::new(span, height, rs_top);
        strength.line(rs.iter().enumerate().map(|(at, rs)| Some((x(at), scale.position((*rs)?).round()))));
    }
    html! {
        svg.small-candles role="img" aria-label=(words) viewBox={ "0 -2 " (width) " " (height + 4.0) } {
            @for (class, drawn) in [("up", &up), ("down", &down), ("volume", &volume), ("rs", &strength)] {
                @if !drawn.is_empty() { path class=(class) d=(drawn.text()) {} }
            }
        }
    }
}

/// Draws the counts of a histogram as upright lines; each count has a flag that is true if it is chosen.
pub fn histogram(counts: &[(u64, bool)]) -> Markup {
    const COUNT_DISTANCE: f64 = 4.0;
    let most = counts.iter().map(|(count, _)| *count).max().unwrap_or_default().max(1);
    let [mut rest, mut within] = [(); 2].map(|()| PathText::new());
    for (at, (count, is_within)) in counts.iter().enumerate().filter(|(_, (count, _))| *count > 0) {
        let drawn = if *is_within { &mut within } else { &mut rest };
        let height = (LINE_HEIGHT * *count as f64 / most as f64).round().max(1.0);
        drawn.move_to((at as f64 + 0.5) * COUNT_DISTANCE, LINE_HEIGHT).down_to(LINE_HEIGHT - height);
    }
    html! {
        svg.histogram viewBox={ "0 0 " (COUNT_DISTANCE * counts.len() as f64) " " (LINE_HEIGHT) } aria-hidden="true" {
            @if !rest.is_empty() { path d=(rest.text()) {} }
            @if !within.is_empty() { path.within d=(within.text()) {} }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the points of a path that is a single line.
    fn points(d: &str) -> Vec<(f64, f64)> {
        let numbers: Vec<f64> = d
            .trim_start_matches('M')
            .replace('l', " ")
            .replace('-', " -")
            .split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect();
        let steps = numbers.chunks(2).map(|pair| (pair[0], pair[1]));
        steps
            .scan((0.0, 0.0), |at, (x, y)| {
                *at = (at.0 + x, at.1 + y);
                Some(*at)
            })
            .collect()
    }

    #[test]
    fn a_line_leads_through_its_closes_in_at_most_500_bytes() {
        let closes: Vec<f64> = (0..60).map(|n| 100.0 + 20.0 * f64::from(n * 37 % 60 - 30) / 30.0).collect();
        let rs: Vec<Option<f64>> = closes.iter().map(|close| Some(close / 50.0)).collect();
        let svg = close_and_rs_lines(&closes, &rs).into_string();
        assert!(svg.len() <= 500, "{}: {svg}", svg.len());
        let line_of_closes = svg.split("<path d=\"").nth(1).unwrap().split('"').next().unwrap();
        let (low, high) = closes
            .iter()
            .fold((f64::MAX, f64::MIN), |(low, high), close| (low.min(*close), high.max(*close)));
        let drawn = points(line_of_closes);
        assert_eq!(drawn.len(), 60);
        for (n, ((x, y), close)) in drawn.iter().zip(&closes).enumerate() {
            let expected = LINE_HEIGHT * (high - close) / (high - low);
            assert!(
                (x - n as f64).abs() < 0.01 && (y - expected).abs() <= 0.51,
                "{n}: {x} {y}, not {expected}"
            );
        }
    }

    #[test]
    fn without_figures_there_is_no_line() {
        let svg = close_and_rs_lines(&[], &[None, None]).into_string();
        assert!(!svg.contains("path"), "{svg}");
        assert!(!close_and_rs_lines(&[1.0, 2.0], &[None, None]).into_string().contains("rs"));
    }

    #[test]
    fn counts_are_lines_of_two_kinds() {
        let svg = histogram(&[(0, false), (40, false), (80, true), (1, true)]).into_string();
        assert!(svg.contains("viewBox=\"0 0 16 16\""), "{svg}");
        let paths: Vec<&str> =
            svg.split("d=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        // Half of 16 for 40 of 80; all of it for 80; at least 1.
        assert_eq!(paths, ["M6 16v-8", "M10 16v-16m4 16v-1"]);
        assert!(!histogram(&[]).into_string().contains("path"));
    }

    #[test]
    fn a_bar_that_closed_up_is_another_path_than_one_that_closed_down() {
        let bar = |open: f64, close: f64| SmallBar { open, high: 12.0, low: 8.0, close, volume: Some(5.0) };
        let svg = candles(&[bar(9.0, 11.0), bar(11.0, 9.0)], &[Some(1.0), Some(2.0)], "a < b").into_string();
        let paths: Vec<&str> =
            svg.split("<path class=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert_eq!(paths, ["up", "down", "volume", "rs"]);
        // From the high at 0 over the body from 11 (a quarter of 150 down) to 9, to the low at 150.
        assert!(svg.contains("M3 0v38"), "{svg}");
        assert!(svg.contains("a &lt; b") && svg.contains("viewBox=\"0 -2 12 "), "{svg}");
    }
}
