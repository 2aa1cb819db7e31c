//! Compare: several lines of prices, each as its change since its first date, or as its fall from its highest value so far. The names are
//! at the ends of the lines.
//!
//! A line has dashes as well as a colour, and its name is next to its end, so that no legend is needed. A line that ends before the others
//! has a dot at its end, and the date of its end beside its name: nothing is drawn where there are no values.

use std::collections::{BTreeSet, HashMap};

use chrono::{Days, NaiveDate};
use maud::{Markup, html};

use crate::axis::{AxisSide, NumberAxis, date_axis, date_span, long_date};
use crate::data::RoleColumns;
use crate::label::place_labels;
use crate::number::{NumberForm, ReadingForm, signed_percent};
use crate::readings::{ReadingPositions, ReadingSeries, Readings};
use crate::scale::{Scale, Span, Steps};
use crate::shape::{Anchor, Area, Ink, PathText, path, text};
use crate::sheet::{Drawing, Sheet};
use crate::text::{FontWeight, clean_text};
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

    /// Returns the last date if it is more than a week before the last one of all lines.
    fn early_end(&self, dates: &[NaiveDate]) -> Option<NaiveDate> {
        const WEEK: Days = Days::new(7);
        let (end, last) = (self.points.last()?.0, *dates.last()?);
        end.checked_add_days(WEEK).filter(|after| *after < last).map(|_| end)
    }
}

/// Returns the lines in the order of their first rows, each from 0 %; lines without a base are left out.
fn lines<'a>(columns: &'a RoleColumns<'_>) -> Vec<ComparedLine<'a>> {
    let mut lines = raw_lines(columns);
    for line in &mut lines {
        line.points.sort_by_key(|(date, _)| *date);
        line.points.dedup_by_key(|(date, _)| *date);
        let first = line.points.iter().position(|(_, value)| *value > 0.0).unwrap_or(line.points.len());
        line.points.drain(..first);
        let mut base = line.points.first().map_or(1.0, |(_, value)| *value);
        for (_, value) in &mut line.points {
            if columns.is_from_high {
                base = base.max(*value);
            }
            *value = (*value / base - 1.0) * 100.0;
        }
    }
    lines.retain(|line| !line.points.is_empty());
    lines
}

/// Returns the values of each line: of each name, or of each column if the rows have no names.
fn raw_lines<'a>(columns: &'a RoleColumns<'_>) -> Vec<ComparedLine<'a>> {
    let mut index_by_name: HashMap<&str, usize> = HashMap::new();
    let mut lines: Vec<ComparedLine<'a>> = Vec::new();
    let names = columns.first_column("of");
    let most = if names.is_some() { 1 } else { usize::MAX };
    for row in 0..columns.rows {
        let Some(date) = columns.date("date", row) else { continue };
        for value in columns.with_role("value").take(most) {
            let name = match names {
                Some(names) => names.column.text(row),
                None => Some(value.label.as_str()),
            };
            let (Some(name), Some(number)) = (name, value.column.number(row)) else { continue };
            let at = *index_by_name.entry(name).or_insert(lines.len());
            if at == lines.len() {
                lines.push(ComparedLine { name, points: Vec::new() });
            }
            if let Some(line) = lines.get_mut(at) {
                line.points.push((date, number));
            }
        }
    }
    lines
}

/// Lines, their texts and their positions.
struct CompareLayout<'a> {
    lines: Vec<ComparedLine<'a>>,
    dates: Vec<NaiveDate>,
    /// Name and change at the end of each line.
    ends: Vec<(String, String)>,
    axis: NumberAxis,
    pane: Area,
    scale: Scale,
    steps: Steps,
}

impl<'a> CompareLayout<'a> {
    /// Returns `None` without prices.
    fn new(sheet: &Sheet<'_>, columns: &'a RoleColumns<'_>) -> Option<Self> {
        let lines = lines(columns);
        let values = lines.iter().flat_map(|line| line.points.iter().map(|(_, value)| *value));
        let span = Span::from_numbers(values.chain((!lines.is_empty()).then_some(0.0)))?.widen_by(0.05);
        let em = sheet.font_size();
        let dates = dates(&lines);
        let ends: Vec<(String, String)> = lines.iter().map(|line| end_words(sheet, line, &dates)).collect();
        let end_width = ends.iter().map(|words| ends_width(sheet, words)).fold(0.0, f64::max);
        let area = sheet.area();
        // No legend: the lines are named at their ends.
        let top = sheet.legend_line().1;
        let axis = NumberAxis::new(sheet, span, area.bottom - top, NumberForm::Percent);
        let pane = Area {
            left: area.left + axis.width,
            top,
            right: area.right - end_width - em * 1.6,
            bottom: area.bottom - em * 2.0,
        };
        let scale = Scale::new(span, pane.bottom, pane.top);
        let steps = Steps::new(pane.left, pane.right, dates.len());
        Some(Self { lines, dates, ends, axis, pane, scale, steps })
    }
}

/// # Errors
/// The number of lines, if there are more than can be distinguished.
pub(crate) fn draw(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Result<Drawing, usize> {
    let Some(compared) = CompareLayout::new(sheet, columns) else {
        return Ok(sheet.empty_drawing("there are no prices"));
    };
    if compared.lines.len() > LINES.len() {
        return Err(compared.lines.len());
    }
    let CompareLayout { pane, scale, steps, .. } = compared;
    let mut zero = PathText::new();
    zero.move_to(pane.left, scale.position(0.0)).across_to(pane.right);
    let body = html! {
        (date_axis(sheet, pane, &steps, &compared.dates))
        (compared.axis.draw(sheet, pane, AxisSide::Left, &scale, None))
        (path(sheet.theme, Ink::line(Tint::Axis, 1.2), &zero))
        (compared.draw_lines(sheet))
        (compared.draw_names(sheet))
    };
    Ok(Drawing { body, note: lines_note(&compared.lines, &compared.dates, columns.is_from_high) })
}

/// Returns the changes of the lines by date.
pub(crate) fn readings(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Option<Readings> {
    let compared = CompareLayout::new(sheet, columns)?;
    let form = ReadingForm { is_signed: true, ..NumberForm::Percent.reading_form(sheet.currency) };
    let read = |line: &ComparedLine<'_>| {
        let value_at = |date: &NaiveDate| {
            let position = line.points.binary_search_by_key(date, |(day, _)| *day).ok()?;
            line.points.get(position).map(|(_, value)| *value)
        };
        let values = compared.dates.iter().map(value_at).collect();
        ReadingSeries { key: "line", name: clean_text(line.name), form, values }
    };
    let all: Vec<ReadingSeries> = compared.lines.iter().map(read).collect();
    let step_names: Vec<String> = compared.dates.iter().map(NaiveDate::to_string).collect();
    let positions = ReadingPositions { steps: &compared.steps, panes: compared.pane, axis: None };
    Some(Readings::new(&positions, &step_names, all, sheet.currency))
}

/// Returns all dates of all lines, sorted.
fn dates(lines: &[ComparedLine<'_>]) -> Vec<NaiveDate> {
    let all: BTreeSet<NaiveDate> =
        lines.iter().flat_map(|line| line.points.iter().map(|(date, _)| *date)).collect();
    all.into_iter().collect()
}

fn lines_note(lines: &[ComparedLine<'_>], dates: &[NaiveDate], is_from_high: bool) -> String {
    let starts = || lines.iter().filter_map(|line| Some(line.points.first()?.0));
    let since = match (starts().min(), starts().max()) {
        _ if is_from_high => "fall of each from its highest before".to_owned(),
        (Some(first), Some(last)) if first == last => format!("change since {}", long_date(first)),
        _ => "change of each since its first date".to_owned(),
    };
    format!("{} · {since}", date_span(dates))
}

/// Returns the name and the change to write at the end of a line. If the line ends early, its last date follows the change.
fn end_words(sheet: &Sheet<'_>, line: &ComparedLine<'_>, dates: &[NaiveDate]) -> (String, String) {
    let name = sheet.fit_text(&clean_text(line.name), sheet.font_size() * 12.0, FontWeight::Bold);
    let change_text = signed_percent(line.end(), sheet.currency);
    match line.early_end(dates) {
        Some(end) => (name, format!("{change_text} to {}", long_date(end))),
        None => (name, change_text),
    }
}

fn ends_width(sheet: &Sheet<'_>, (name, change_text): &(String, String)) -> f64 {
    sheet.width(name, FontWeight::Bold)
        + sheet.font_size() * 0.5
        + sheet.width(change_text, FontWeight::Regular)
}

impl CompareLayout<'_> {
    fn x(&self, date: NaiveDate) -> f64 {
        self.steps.position(self.dates.partition_point(|other| *other < date))
    }

    fn draw_lines(&self, sheet: &Sheet<'_>) -> Markup {
        html! {
            @for (line, (tint, dashes)) in self.lines.iter().zip(LINES) {
                @let points: Vec<_> =
                    line.points.iter().map(|(date, value)| Some((self.x(*date), self.scale.position(*value)))).collect();
                (path(sheet.theme, Ink::line(tint, sheet.font_size() * 0.15).dashed(dashes),
                    PathText::new().thin_line(&points, 1.5)))
            }
        }
    }

    /// Draws the names as near to the line ends as possible; a thin line leads to the name of a line that reaches the last date.
    fn draw_names(&self, sheet: &Sheet<'_>) -> Markup {
        let Self { lines, dates, ends, .. } = self;
        let em = sheet.font_size();
        let wanted: Vec<f64> = lines.iter().map(|line| self.scale.position(line.end())).collect();
        let positions = place_labels(&wanted, em * 1.35, self.pane.top, self.pane.bottom);
        let left = self.pane.right + em * 1.4;
        let end_x =
            |line: &ComparedLine<'_>| line.points.last().map_or(self.pane.right, |(date, _)| self.x(*date));
        html! {
            @for (((line, (tint, _)), (name, change_text)), (y, wanted)) in
                lines.iter().zip(LINES).zip(ends).zip(positions.into_iter().zip(wanted)) {
                @if line.early_end(dates).is_some() {
                    (path(sheet.theme, Ink::line(tint, em * 0.5), PathText::new().dot(end_x(line), wanted)))
                }
                @if let Some(y) = y {
                    @if line.early_end(dates).is_none() {
                        (path(sheet.theme, Ink::line(tint, 0.7),
                            PathText::new().move_to(end_x(line) + 2.0, wanted).line_to(left - em * 0.3, y)))
                    }
                    (text(sheet.theme, sheet.text_style(tint, Anchor::Start).bold(), (left, y), name))
                    @let change_x = left + sheet.width(name, FontWeight::Bold) + em * 0.5;
                    (text(sheet.theme, sheet.text_style(Tint::Text, Anchor::Start), (change_x, y), change_text))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ColumnValues, PictureData};
    use crate::spec::PictureSpec;

    #[test]
    fn columns_are_lines_which_may_be_falls_from_their_highest() {
        let dates = ["2026-01-01", "2026-01-02", "2026-01-05"].map(|text| text.parse::<NaiveDate>().ok());
        let (test, index) = ([100.0, 125.0, 100.0].map(Some), [Some(50.0), None, Some(55.0)]);
        let data = PictureData::new()
            .with("session", ColumnValues::Dates(&dates), NumberForm::Plain)
            .with("equity", ColumnValues::Numbers(&test), NumberForm::Money)
            .with("close", ColumnValues::Numbers(&index), NumberForm::Price);
        let ends = |switch: &str| {
            let declared = format!(r#"compare date=session value=equity:"Test",close:"Index" {switch}"#);
            let spec = PictureSpec::parse(&declared).unwrap();
            let columns = spec.bind(&data).unwrap();
            let ends = lines(&columns).into_iter().map(|line| format!("{} {:.0}", line.name, line.end()));
            ends.collect::<Vec<_>>()
        };
        assert_eq!(ends(""), ["Test 0", "Index 10"]);
        assert_eq!(ends("base=high"), ["Test -20", "Index 0"]);
    }

    #[test]
    fn a_line_that_ends_early_is_known_by_its_last_date() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let line =
            |end: &str| ComparedLine { name: "A", points: vec![(day("2025-12-01"), 0.0), (day(end), 1.0)] };
        let dates = [day("2025-12-01"), day("2025-12-02"), day("2026-08-14"), day("2026-08-21")];
        assert_eq!(line("2025-12-02").early_end(&dates), Some(day("2025-12-02")));
        assert_eq!(line("2026-08-14").early_end(&dates), None);
        assert_eq!(line("2026-08-21").early_end(&dates), None);
    }
}
