//! Candles: price bars, volume below them, and the RS line below that, over one date axis.
//!
//! A bar that closed up is hollow, one that closed down is filled, so that colour is not needed to distinguish them. Bars are equally
//! spaced, without gaps for closed days; the readings of a page rely on that.

use chrono::NaiveDate;
use maud::{Markup, html};

use super::candle_rows::{AVERAGES, BarPeriod, CandleRow, Events, candle_rows};
use super::levels::levels;
use crate::axis::{AxisSide, NumberAxis, date_axis, date_span};
use crate::data::{RoleColumn, RoleColumns};
use crate::label::place_labels;
use crate::legend::{Swatch, legend, lettered_ring};
use crate::number::{MarketCurrency, NumberForm, ReadingForm, format_number};
use crate::readings::{CHANGE, LEVEL, ReadingPositions, ReadingSeries, Readings};
use crate::scale::{Scale, Span, Steps};
use crate::shape::{Anchor, Area, Ink, PathText, blunt_path, path, rect, text};
use crate::sheet::{Drawing, Sheet};
use crate::text::{FontWeight, clean_text};
use crate::theme::Tint;

/// Minimum width of a bar with its gap, in ems: hollow and filled bars of less width look the same. The pixels of a page are finer.
const NARROWEST_BAR: f64 = 0.26;
const NARROWEST_ON_PAGE: f64 = 0.2;
/// Heights of the panes of price, volume and RS line, as shares. On a page the pane of prices is larger.
const SHARES: [f64; 3] = [3.4, 0.9, 1.3];
const SHARES_ON_PAGE: [f64; 3] = [5.0, 0.9, 1.2];
/// Distance between the middles of two rings, in ems.
const RING_DISTANCE: f64 = 1.65;
const AVERAGE_LINES: [(Tint, &str); AVERAGES] =
    [(Tint::Line5, "2 2"), (Tint::Line6, "5 2 1 2"), (Tint::Line4, ""), (Tint::Line2, "6 3")];

/// A pane of numbers with its axis.
#[derive(Debug)]
struct CandlePane {
    area: Area,
    axis: NumberAxis,
    scale: Scale,
}

/// Lowest to highest number of each pane.
#[derive(Debug)]
struct Spans {
    price: Span,
    volume: Option<Span>,
    rs: Option<Span>,
}

impl Spans {
    fn from_rows(rows: &[CandleRow]) -> Option<Self> {
        let prices = rows.iter().flat_map(|row| {
            row.averages.iter().flatten().copied().chain([row.low, row.high, row.open, row.close])
        });
        Some(Self {
            price: Span::from_numbers(prices)?.widen_by(0.04),
            volume: Span::from_numbers(rows.iter().filter_map(|row| row.volume))
                .map(|span| span.including(0.0)),
            rs: Span::from_numbers(rows.iter().filter_map(|row| row.rs)).map(|span| span.widen_by(0.1)),
        })
    }
}

/// Positions of all parts.
#[derive(Debug)]
struct CandleLayout {
    rows: Vec<CandleRow>,
    bar: BarPeriod,
    steps: Steps,
    price: CandlePane,
    volume: Option<CandlePane>,
    rs: Option<CandlePane>,
    /// Area of all panes.
    panes: Area,
}

impl CandleLayout {
    fn new(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Option<Self> {
        let em = sheet.font_size();
        let area = sheet.area();
        let (narrowest, [price, volume, rs]) =
            if sheet.is_file() { (NARROWEST_BAR, SHARES) } else { (NARROWEST_ON_PAGE, SHARES_ON_PAGE) };
        let most = (area.width() * 0.92 / (em * narrowest)) as usize;
        let (rows, bar) = candle_rows(columns, most);
        let spans = Spans::from_rows(&rows)?;
        let shares = [Some(price), spans.volume.map(|_| volume), spans.rs.map(|_| rs)];
        let body = Area { top: area.top + em * 1.2, bottom: area.bottom - em * 2.0, ..area };
        let mut areas =
            body.cut_into_rows(&shares.into_iter().flatten().collect::<Vec<_>>(), em * 2.0).into_iter();
        // Event marks are below the prices.
        let has_events = rows.iter().any(|row| row.events != Events::default());
        let strip = if has_events { em * RING_DISTANCE * 1.2 } else { 0.0 };
        let pane = |area: Area, span: Span, role: &str, strip: f64| CandlePane {
            area,
            axis: NumberAxis::new(sheet, span, area.height(), columns.form(role)),
            scale: Scale::new(span, area.bottom - strip, area.top),
        };
        let mut price = pane(areas.next()?, spans.price, "close", strip);
        if columns.is_log {
            price.axis = NumberAxis::log(sheet, spans.price, price.area.height(), columns.form("close"));
            price.scale = price.scale.log();
        }
        let mut volume = spans.volume.and_then(|span| Some(pane(areas.next()?, span, "volume", 0.0)));
        let mut rs = spans.rs.and_then(|span| Some(pane(areas.next()?, span, "rs", 0.0)));
        let last = rows.last().map(|row| last_price(row, columns, sheet.currency)).unwrap_or_default();
        let mut label_width = sheet.width(&last, FontWeight::Bold) + em;
        let mut panes = [Some(&mut price), volume.as_mut(), rs.as_mut()];
        for pane in panes.iter().flatten() {
            label_width = label_width.max(pane.axis.width);
        }
        let right = area.right - label_width;
        for pane in panes.iter_mut().flatten() {
            pane.area.right = right;
        }
        let steps = Steps::new(area.left, right, rows.len());
        Some(Self { rows, bar, steps, price, volume, rs, panes: Area { right, ..body } })
    }

    fn dates(&self) -> Vec<NaiveDate> {
        self.rows.iter().map(|row| row.date).collect()
    }

    /// Returns the width of a bar's body.
    fn body(&self) -> f64 {
        (self.steps.step * 0.68).clamp(1.6, 14.0)
    }
}

fn last_price(row: &CandleRow, columns: &RoleColumns<'_>, currency: MarketCurrency) -> String {
    format_number(row.close, columns.form("close"), currency)
}

pub(crate) fn draw(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Drawing {
    let Some(layout) = CandleLayout::new(sheet, columns) else {
        return sheet.empty_drawing("there are no bars");
    };
    let dates = layout.dates();
    let last = layout.rows.last().map(|row| (layout.price.scale.position(row.close), row));
    let price = &layout.price;
    let body = html! {
        (candle_legend(sheet, &layout, columns))
        (date_axis(sheet, layout.panes, &layout.steps, &dates))
        (price.axis.draw(sheet, price.area, AxisSide::Right, &price.scale, last.map(|(y, _)| y)))
        (sheet.pane_title(price.area, &price.axis.title("Price")))
        (candles(sheet, &layout))
        (averages(sheet, &layout))
        (levels(sheet, &layout.rows, &layout.steps, price.area, &price.scale, columns))
        @if let Some((y, row)) = last { (price_tag(sheet, price.area, y, &last_price(row, columns, sheet.currency))) }
        @if let Some(pane) = &layout.volume { (volume(sheet, &layout, pane)) }
        @if let Some(pane) = &layout.rs { (rs_line(sheet, &layout, pane)) }
        (events(sheet, &layout))
    };
    let scale = if columns.is_log { "log scale" } else { "" };
    Drawing::new(body, [date_span(&dates), layout.bar.period_words().to_owned(), scale.to_owned()])
}

fn candle_legend(sheet: &Sheet<'_>, layout: &CandleLayout, columns: &RoleColumns<'_>) -> Markup {
    let any = |matches: fn(&CandleRow) -> bool| layout.rows.iter().any(matches);
    let mut entries =
        vec![(Swatch::Hollow(Tint::Up), "closed up"), (Swatch::Filled(Tint::Down), "closed down")];
    let is_drawn =
        |nth: usize| layout.rows.iter().any(|row| row.averages.get(nth).is_some_and(Option::is_some));
    let averages =
        columns.with_role("average").zip(AVERAGE_LINES).enumerate().filter(|(nth, _)| is_drawn(*nth));
    entries.extend(
        averages.map(|(_, (column, (tint, dashes)))| (Swatch::Line(tint, dashes), column.label.as_str())),
    );
    let optional = [
        (any(|row| row.has_rs_high), Swatch::Dot(Tint::Accent), "RS line high before price"),
        (any(|row| row.events.split.is_some()), Swatch::Letter('S'), "split"),
        (any(|row| row.events.dividend.is_some()), Swatch::Letter('D'), "dividend"),
        (any(|row| row.events.results.is_some()), Swatch::Letter('R'), "results"),
    ];
    entries.extend(
        optional.into_iter().filter(|(is_there, ..)| *is_there).map(|(_, swatch, words)| (swatch, words)),
    );
    legend(sheet, entries)
}

fn candles(sheet: &Sheet<'_>, layout: &CandleLayout) -> Markup {
    let scale = &layout.price.scale;
    let body = layout.body();
    let (mut up_wicks, mut up_bodies, mut down_wicks, mut down_bodies) =
        (PathText::new(), PathText::new(), PathText::new(), PathText::new());
    for (at, row) in layout.rows.iter().enumerate() {
        let x = layout.steps.position(at);
        let (open, close) = (scale.position(row.open), scale.position(row.close));
        let (wicks, is_up) = if row.is_up() { (&mut up_wicks, true) } else { (&mut down_wicks, false) };
        wicks.move_to(x, scale.position(row.high)).down_to(scale.position(row.low));
        // A bar that closed at its open is still visible, as a line across.
        let bottom = if is_up { open } else { close };
        let (top, bottom) = (open.min(close), bottom.max(open.min(close) + 0.5));
        if is_up {
            let half = body / 2.0 - 0.4;
            up_bodies.add_box(Area { left: x - half, top, right: x + half, bottom });
        } else {
            down_bodies.move_to(x, top).down_to(bottom);
        }
    }
    let theme = sheet.theme;
    html! {
        g class="candles" stroke-linecap="butt" stroke-linejoin="miter" {
            (path(theme, Ink::line(Tint::Up, 0.9), &up_wicks))
            (path(theme, Ink::line(Tint::Up, 0.9).with_fill(Tint::Surface), &up_bodies))
            (path(theme, Ink::line(Tint::Down, 0.9), &down_wicks))
            (path(theme, Ink::line(Tint::Down, body), &down_bodies))
        }
    }
}

fn averages(sheet: &Sheet<'_>, layout: &CandleLayout) -> Markup {
    html! {
        @for (nth, (tint, dashes)) in AVERAGE_LINES.into_iter().enumerate() {
            @let points = layout.rows.iter().enumerate().map(|(at, row)| {
                Some((layout.steps.position(at), layout.price.scale.position(row.averages.get(nth).copied().flatten()?)))
            });
            (path(sheet.theme, Ink::line(tint, 1.3).dashed(dashes), PathText::new().line(points)))
        }
    }
}

/// Draws the last price on the axis.
fn price_tag(sheet: &Sheet<'_>, pane: Area, y: f64, words: &str) -> Markup {
    let em = sheet.font_size();
    let left = pane.right + em * 0.2;
    let width = sheet.width(words, FontWeight::Bold) + em * 0.8;
    let tag = Area { left, top: y - em * 0.8, right: left + width, bottom: y + em * 0.8 };
    let lettering = sheet.text_style(Tint::Surface, Anchor::Start).bold();
    html! {
        (rect(sheet.theme, Ink::filled(Tint::Text), tag, 2.0))
        (text(sheet.theme, lettering, (left + em * 0.4, y), words))
    }
}

fn volume(sheet: &Sheet<'_>, layout: &CandleLayout, pane: &CandlePane) -> Markup {
    let mut bars = PathText::new();
    let zero = pane.scale.position(0.0);
    for (at, row) in layout.rows.iter().enumerate() {
        if let Some(volume) = row.volume {
            bars.move_to(layout.steps.position(at), zero).down_to(pane.scale.position(volume));
        }
    }
    html! {
        (pane.axis.draw(sheet, pane.area, AxisSide::Right, &pane.scale, None))
        (sheet.pane_title(pane.area, &pane.axis.title("Volume")))
        (blunt_path(sheet.theme, Ink::line(Tint::Volume, layout.body()), &bars))
    }
}

fn rs_line(sheet: &Sheet<'_>, layout: &CandleLayout, pane: &CandlePane) -> Markup {
    let point =
        |(at, row): (usize, &CandleRow)| Some((layout.steps.position(at), pane.scale.position(row.rs?)));
    let mut line = PathText::new();
    line.line(layout.rows.iter().enumerate().map(point));
    let mut highs = PathText::new();
    for (x, y) in layout.rows.iter().enumerate().filter(|(_, row)| row.has_rs_high).filter_map(point) {
        highs.dot(x, y);
    }
    html! {
        (pane.axis.draw(sheet, pane.area, AxisSide::Right, &pane.scale, None))
        (sheet.pane_title(pane.area, "RS line, close over benchmark"))
        (path(sheet.theme, Ink::line(Tint::Accent, 1.5), &line))
        (path(sheet.theme, Ink::line(Tint::Accent, sheet.font_size() * 0.5), &highs))
    }
}

/// Draws letters in rings along the bottom of the prices. Rings that would touch move apart; without room for all, splits come first, then
/// results. Hovering a mark shows its date and text.
fn events(sheet: &Sheet<'_>, layout: &CandleLayout) -> Markup {
    let events = |letter: char, text: fn(&Events) -> Option<&String>| {
        let bars = layout.rows.iter().enumerate();
        bars.filter_map(move |(at, row)| {
            Some((letter, layout.steps.position(at), text(&row.events)?.as_str()))
        })
    };
    let splits = events('S', |events| events.split.as_ref());
    let results = events('R', |events| events.results.as_ref());
    let dividends = events('D', |events| events.dividend.as_ref());
    let all: Vec<(char, f64, &str)> = splits.chain(results).chain(dividends).collect();
    let pane = layout.price.area;
    let wanted: Vec<f64> = all.iter().map(|(_, x, _)| *x).collect();
    let gap = sheet.font_size() * RING_DISTANCE;
    let positions = place_labels(&wanted, gap, pane.left + gap / 2.0, pane.right - gap / 2.0);
    let y = pane.bottom - gap * 0.65;
    html! {
        @for ((letter, _, words), x) in all.iter().zip(positions) {
            @if let Some(x) = x { g class="mark" { title { (clean_text(words)) } (lettered_ring(sheet, *letter, (x, y))) } }
        }
    }
}

/// Returns the change of each close from the previous one, in percent; `None` for the first bar and after a close of 0.
fn changes(rows: &[CandleRow]) -> Vec<Option<f64>> {
    let change = |pair: &[CandleRow]| match pair {
        [before, row] if before.close != 0.0 => Some((row.close / before.close - 1.0) * 100.0),
        _ => None,
    };
    rows.first().map(|_| None).into_iter().chain(rows.windows(2).map(change)).collect()
}

/// Returns the lines over the bars that have this role: averages or levels.
fn lines(
    rows: &[CandleRow],
    columns: &RoleColumns<'_>,
    role: &'static str,
    form: ReadingForm,
) -> Vec<ReadingSeries> {
    let line = |(nth, column): (usize, &RoleColumn<'_>)| {
        let value = |row: &CandleRow| {
            let values = if role == LEVEL { &row.levels } else { &row.averages };
            values.get(nth).copied().flatten()
        };
        ReadingSeries {
            key: role,
            name: column.label.clone(),
            form,
            values: rows.iter().map(value).collect(),
        }
    };
    columns.with_role(role).enumerate().map(line).collect()
}

/// Returns the figures of the bars.
pub(crate) fn readings(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Option<Readings> {
    let layout = CandleLayout::new(sheet, columns)?;
    let rows = &layout.rows;
    let form = |form: NumberForm| form.reading_form(sheet.currency);
    let [price, volume, count] = [columns.form("close"), columns.form("volume"), NumberForm::Count].map(form);
    // The RS line is a small fraction: a share's price over an index.
    let rs = ReadingForm { decimals: 4, ..form(NumberForm::Plain) };
    let series = |key, name: &str, form, value: fn(&CandleRow) -> Option<f64>| ReadingSeries {
        key,
        name: name.to_owned(),
        form,
        values: rows.iter().map(value).collect(),
    };
    let mut all = vec![
        series("open", "Open", price, |row| Some(row.open)),
        series("high", "High", price, |row| Some(row.high)),
        series("low", "Low", price, |row| Some(row.low)),
        series("close", "Close", price, |row| Some(row.close)),
    ];
    all.push(ReadingSeries {
        key: CHANGE,
        name: "Change".to_owned(),
        form: ReadingForm { decimals: 2, is_signed: true, ..form(NumberForm::Percent) },
        values: changes(rows),
    });
    all.extend(lines(rows, columns, "average", price));
    all.extend(lines(rows, columns, LEVEL, price));
    all.extend([
        series("rating", "RS rating", count, |row| row.rating),
        series("volume", "Volume", volume, |row| row.volume),
        series("rs", "RS line", rs, |row| row.rs),
    ]);
    let step_names: Vec<String> = layout.dates().iter().map(NaiveDate::to_string).collect();
    let positions =
        ReadingPositions { steps: &layout.steps, panes: layout.panes, axis: Some(&layout.price.scale) };
    Some(Readings::new(&positions, &step_names, all, sheet.currency))
}
