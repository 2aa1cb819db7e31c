//! Heat map: one cell per stock, its area by size, its colour by change, grouped by sector.
//!
//! A cell with enough room shows its name and its signed change, so that the colour only repeats it. Rises are lighter than falls of the
//! same size. Rows without a size, and the smallest of many, are left out, and the note says so.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::squarify::squarify;
use crate::data::RoleColumns;
use crate::legend::{Swatch, legend};
use crate::number::{format_grouped, format_number, signed_percent};
use crate::shape::{Anchor, Area, Ink, Lettering, rect, text};
use crate::sheet::{Drawing, PageWidth, PictureSize, Sheet};
use crate::text::{FontWeight, clean_text, fit_text, width};
use crate::theme::Tint;

/// Cell colours from the deepest fall to the highest rise, each with the tint of the letters on it.
const CELL_COLOURS: [(Tint, Tint); 7] = [
    (Tint::Down3, Tint::OnDown3),
    (Tint::Down2, Tint::OnDown2),
    (Tint::Down1, Tint::OnDown1),
    (Tint::Flat, Tint::OnFlat),
    (Tint::Up1, Tint::OnUp1),
    (Tint::Up2, Tint::OnUp2),
    (Tint::Up3, Tint::OnUp3),
];

/// Minimum size relative to the largest cell: a smaller one would be less than a pixel.
const LEAST_SHARE: f64 = 1e-5;

#[derive(Debug)]
struct Cell<'a> {
    name: &'a str,
    size: f64,
    change: Option<f64>,
    group: &'a str,
}

/// Bounds between the cell colours: a quarter of a step, one step, two steps, in both directions.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    step: f64,
}

impl Bounds {
    /// Chooses the step so that about a tenth of the cells is beyond the outer bounds.
    fn from_cells(cells: &[Cell<'_>]) -> Self {
        let mut changes: Vec<f64> = cells.iter().filter_map(|cell| cell.change.map(f64::abs)).collect();
        changes.sort_by(f64::total_cmp);
        let wide = changes.get(changes.len() * 9 / 10).copied().unwrap_or(0.0);
        let steps = [0.2, 0.4, 1.0, 2.0, 4.0, 10.0, 20.0, 40.0];
        Self { step: steps.into_iter().find(|step| step * 2.0 >= wide * 0.8).unwrap_or(100.0) }
    }

    fn values(self) -> [f64; 6] {
        [-2.0, -1.0, -0.25, 0.25, 1.0, 2.0].map(|times| times * self.step)
    }

    fn cell_colours(self, change: Option<f64>) -> (Tint, Tint) {
        let nth = match change {
            None => 3,
            Some(change) => self.values().iter().filter(|bound| change > **bound).count(),
        };
        CELL_COLOURS.get(nth).copied().unwrap_or((Tint::Flat, Tint::OnFlat))
    }

    /// Returns the range of each cell colour, in words.
    fn colour_ranges(self, sheet: &Sheet<'_>) -> Vec<String> {
        let written = self.values().map(|bound| bound_words(sheet, bound));
        let mut words = vec![format!("below {}%", written.first().map_or("", String::as_str))];
        words.extend(written.windows(2).filter_map(|pair| match pair {
            [low, high] => Some(format!("{low} to {high}%")),
            _ => None,
        }));
        words.push(format!("over {}%", written.last().map_or("", String::as_str)));
        words
    }
}

fn bound_words(sheet: &Sheet<'_>, bound: f64) -> String {
    let text = format_grouped(bound, 2, sheet.currency);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if bound > 0.0 { format!("+{text}") } else { text.to_owned() }
}

pub(crate) fn draw(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Drawing {
    let most = match sheet.size {
        PictureSize::Page(PageWidth::Phone) => 80,
        PictureSize::Page(PageWidth::Column) => 200,
        PictureSize::Regular | PictureSize::Page(PageWidth::Page | PageWidth::Screen) => 400,
        PictureSize::Large => 900,
    };
    let (cells, cell_count, sizeless_count) = cells(columns, most);
    if cells.is_empty() {
        return sheet.empty_drawing("there are no stocks with a size");
    }
    let bounds = Bounds::from_cells(&cells);
    let groups = groups(&cells);
    let sizes: Vec<f64> = groups.iter().map(|(.., total)| *total).collect();
    let words = bounds.colour_ranges(sheet);
    // A narrow picture has room for both ends and the middle.
    let is_narrow = matches!(sheet.size, PictureSize::Page(PageWidth::Phone | PageWidth::Column));
    let every = if is_narrow { CELL_COLOURS.len() / 2 } else { 1 };
    let body = html! {
        (legend(sheet, CELL_COLOURS.iter().zip(&words).step_by(every).map(|((background, _), words)| (Swatch::Filled(*background), words.as_str()))))
        @for ((name, cells, _), area) in groups.iter().zip(squarify(&sizes, sheet.area())) {
            (group(sheet, columns, name, cells, area, bounds))
        }
    };
    let count = |count: usize| format_grouped(count as f64, 0, sheet.currency);
    let size = columns.first_column("size").map(|size| format!("area: {}", size.label));
    let cut = (cell_count > cells.len())
        .then(|| format!("the largest {} of {}", count(cells.len()), count(cell_count)));
    let left_out = (sizeless_count > 0).then(|| format!("{} without a size left out", count(sizeless_count)));
    Drawing::new(body, [size, cut, left_out].into_iter().flatten())
}

/// Returns the groups with their cells and total size, largest first.
fn groups<'a, 'b>(cells: &'b [Cell<'a>]) -> Vec<(&'a str, Vec<&'b Cell<'a>>, f64)> {
    let mut groups: BTreeMap<&str, Vec<&Cell<'_>>> = BTreeMap::new();
    for cell in cells {
        groups.entry(cell.group).or_default().push(cell);
    }
    let with_size = |(name, cells): (&'a str, Vec<&'b Cell<'a>>)| {
        let size = cells.iter().map(|cell| cell.size).sum::<f64>();
        (name, cells, size)
    };
    let mut groups: Vec<_> = groups.into_iter().map(with_size).collect();
    groups.sort_by(|a, b| b.2.total_cmp(&a.2));
    groups
}

/// Returns the largest cells, the number of all cells, and the number of rows without a size.
fn cells<'a>(columns: &RoleColumns<'a>, most: usize) -> (Vec<Cell<'a>>, usize, usize) {
    let read = |row: usize| {
        Some(Cell {
            name: columns.text("of", row)?,
            size: columns.number("size", row).filter(|size| *size > 0.0)?,
            change: columns.number("change", row),
            group: columns.text("group", row).unwrap_or_default(),
        })
    };
    let mut cells: Vec<Cell<'_>> = (0..columns.rows).filter_map(read).collect();
    let cell_count = cells.len();
    cells.sort_by(|a, b| b.size.total_cmp(&a.size).then_with(|| a.name.cmp(b.name)));
    cells.truncate(most);
    let least = cells.first().map_or(0.0, |cell| cell.size) * LEAST_SHARE;
    cells.retain(|cell| cell.size >= least);
    (cells, cell_count, columns.rows - cell_count)
}

fn group(
    sheet: &Sheet<'_>,
    columns: &RoleColumns<'_>,
    name: &str,
    cells: &[&Cell<'_>],
    area: Area,
    bounds: Bounds,
) -> Markup {
    let em = sheet.font_size();
    let has_title = !name.is_empty() && area.width() > em * 3.5 && area.height() > em * 3.5;
    let title_height = if has_title { em * 1.45 } else { 0.0 };
    let inner = area.inset(if name.is_empty() { 0.0 } else { 1.0 });
    let inner = Area { top: inner.top + title_height, ..inner };
    let sizes: Vec<f64> = cells.iter().map(|cell| cell.size).collect();
    let size = if sheet.is_file() { em * 0.9 } else { CellFont::for_sheet(sheet).least };
    let lettering = Lettering { size, ..sheet.text_style(Tint::Text, Anchor::Start) }.bold();
    let title = fit_text(
        &clean_text(name),
        (area.width() - 4.0) / sheet.font_width_factor(),
        lettering.size,
        FontWeight::Bold,
    );
    html! {
        @if has_title { (sheet.wrap_in_group_link(name, text(sheet.theme, lettering, (area.left + 2.0, area.top + em * 0.75), &title))) }
        @for (cell, area) in cells.iter().zip(squarify(&sizes, inner)) {
            @if area.width() > 0.0 && area.height() > 0.0 { (draw_cell(sheet, columns, cell, area, bounds)) }
        }
    }
}

fn draw_cell(
    sheet: &Sheet<'_>,
    columns: &RoleColumns<'_>,
    cell: &Cell<'_>,
    area: Area,
    bounds: Bounds,
) -> Markup {
    let (background, text_tint) = bounds.cell_colours(cell.change);
    let name = clean_text(cell.name);
    let change_text =
        cell.change.map_or_else(|| "–".to_owned(), |value| signed_percent(value, sheet.currency));
    let gap = (area.width().min(area.height()) * 0.05).clamp(0.1, 0.5);
    let middle = (f64::midpoint(area.left, area.right), f64::midpoint(area.top, area.bottom));
    let size = format_number(cell.size, columns.form("size"), sheet.currency);
    let has_title = sheet.links.is_some();
    let drawn = html! {
        @if has_title { title { (name) " " (change_text) ", " (size) } }
        (rect(sheet.theme, Ink::filled(background), area.inset(gap), 0.0))
        @if let Some(fit) = Fit::try_fit(sheet, area, &name, &change_text) {
            @let lettering = Lettering::new(text_tint, fit.font_size, Anchor::Middle);
            @let offset = if fit.name.is_empty() { 0.0 } else { fit.font_size * 0.6 };
            @if offset > 0.0 { (text(sheet.theme, lettering.bold(), (middle.0, middle.1 - offset), &fit.name)) }
            (text(sheet.theme, Lettering { size: fit.font_size * CellFont::for_sheet(sheet).change, ..lettering }, (middle.0, middle.1 + offset), &change_text))
        }
    };
    sheet.wrap_in_link(cell.name, "cell", drawn)
}

/// Font sizes in cells.
#[derive(Debug, Clone, Copy)]
struct CellFont {
    least: f64,
    most: f64,
    /// Size of the change, relative to that of the name.
    change: f64,
}

impl CellFont {
    /// Returns the sizes of a picture. Those of a page are at least 12 px in each box that is wider than a phone, and do not grow: letters
    /// that do not fit are left out.
    fn for_sheet(sheet: &Sheet<'_>) -> Self {
        const WIDE_BOX_FONT_SIZE: f64 = 13.8;
        let em = sheet.font_size();
        let fixed = |size| Self { least: size, most: size, change: 1.0 };
        match sheet.size {
            _ if sheet.is_file() => Self { least: em * 0.68, most: em * 1.75, change: 0.9 },
            PictureSize::Page(PageWidth::Phone) => fixed(em),
            _ => fixed(WIDE_BOX_FONT_SIZE),
        }
    }
}

/// Text that fits a cell.
#[derive(Debug)]
struct Fit {
    font_size: f64,
    /// Name, possibly cut; empty if only the change fits.
    name: String,
}

impl Fit {
    /// Returns `None` if not even the change fits.
    fn try_fit(sheet: &Sheet<'_>, area: Area, name: &str, change_text: &str) -> Option<Self> {
        // A name cut to fewer letters is not recognizable.
        const SHORTEST_CUT_NAME: usize = 5;
        let CellFont { least, most, change } = CellFont::for_sheet(sheet);
        let (wide, high) = ((area.width() * 0.9 - 2.0) / sheet.font_width_factor(), area.height() - 3.0);
        let line = width(name, 1.0, FontWeight::Bold).max(width(change_text, change, FontWeight::Regular));
        let font_size = (wide / line).min(high / 2.4);
        if font_size >= least {
            return Some(Self { font_size: font_size.min(most), name: name.to_owned() });
        }
        if width(change_text, least * change, FontWeight::Regular) > wide || high < least {
            return None;
        }
        let cut = fit_text(name, wide, least, FontWeight::Bold);
        let has_name = high >= least * 2.4 && cut.chars().count() >= SHORTEST_CUT_NAME;
        Some(Self { font_size: least, name: if has_name { cut } else { String::new() } })
    }
}
