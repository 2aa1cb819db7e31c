//! The key figures behind a picture, as a small table for models that do not see the picture.
//!
//! The kind of the picture decides the rows, the roles decide the columns. Nothing is computed.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value as Json;

use parquote_catalogue::operation::{Market, Unit};
use parquote_engine::ResultColumn;
use parquote_picture::kind::PictureKind;
use parquote_picture::spec::{NeededColumn, PictureSpec};

/// Roles of columns that name a row; these columns come first, in this order.
const NAMING: [&str; 3] = ["of", "date", "period"];
/// Roles without an informative figure.
const OMITTED_ROLES: [&str; 10] =
    ["open", "high", "low", "rs_high", "split", "dividend", "results", "rating", "end", "group"];
/// Number of rows over a time span, including first and last.
const SPREAD_ROWS: usize = 5;
/// Number of rows of a list.
const LISTED_ROWS: usize = 10;
/// Most sectors of a rotation, or lines of a comparison.
const NAMED_LINES: usize = 24;
/// Column heads of a rotation's quadrants.
const QUADRANTS: [&str; 2] = ["Quadrant", "4 weeks ago"];
/// Number of weeks before the newest one, for the second quadrant; a trail begins with the newest week.
const WEEKS_BEFORE: usize = 4;
/// Longest cell, in characters.
const LONGEST_CELL: usize = 60;

/// An answer in columns.
#[derive(Debug, Deserialize)]
pub(super) struct ColumnarAnswer {
    columns: Vec<ColumnName>,
    rows: Vec<Vec<Json>>,
}

#[derive(Debug, Deserialize)]
struct ColumnName {
    name: String,
}

/// Source of a table of figures.
#[derive(Debug, Clone, Copy)]
pub(super) struct FigureTable<'a> {
    pub spec: &'a PictureSpec,
    /// Columns with their units.
    pub columns: &'a [ResultColumn],
    /// Market, which decides the currency.
    pub market: Market,
}

impl ColumnarAnswer {
    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Renders the table in Markdown, with a line about the selection of rows; empty without rows.
    pub(super) fn table(&self, source: FigureTable<'_>) -> String {
        let (chosen, selection) = self.selected_rows(source.spec);
        if chosen.is_empty() {
            return String::new();
        }
        let mut columns: Vec<&NeededColumn> = source
            .spec
            .columns()
            .iter()
            .filter(|column| !OMITTED_ROLES.contains(&column.role.name))
            .collect();
        let rank = |column: &&NeededColumn| NAMING.iter().position(|name| *name == column.role.name);
        columns.sort_by_key(|column| rank(column).unwrap_or(NAMING.len()));
        let mut heads: Vec<String> = columns.iter().map(|column| column_head(column, source)).collect();
        let is_rotation = source.spec.kind() == PictureKind::Rotation;
        if is_rotation {
            heads.extend(QUADRANTS.map(str::to_owned));
        }
        let mut text = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
        for row in &chosen {
            let mut cells: Vec<String> =
                columns.iter().map(|column| cell(self.value(row, &column.name))).collect();
            if is_rotation {
                cells.extend(self.quadrants(row));
            }
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        if chosen.len() < self.rows.len() {
            let _ = writeln!(text, "{selection}: {} of {} rows.", chosen.len(), self.rows.len());
        }
        text
    }

    /// Returns the quadrant of a row and the quadrant of four weeks before, if its trail is long enough.
    fn quadrants(&self, row: &[Json]) -> [String; 2] {
        let before = self.value(row, "trail").get(WEEKS_BEFORE - 1).and_then(|week| week.get("quadrant"));
        [cell(self.value(row, "quadrant")), cell(before.unwrap_or(&Json::Null))]
    }

    /// Returns the selected rows, and a description of the selection.
    fn selected_rows(&self, spec: &PictureSpec) -> (Vec<&[Json]>, &'static str) {
        let of_role = |role: &str| spec.columns().iter().find(|column| column.role.name == role);
        match spec.kind() {
            PictureKind::Compare if of_role("of").is_some() => {
                (self.newest_of_each(of_role("of"), of_role("date")), "The newest of each")
            }
            PictureKind::Candles | PictureKind::Breadth | PictureKind::Sparkline | PictureKind::Compare => (
                evenly_spaced_rows(&self.by_time(of_role("date"))),
                "Rows spread over the time, the newest last",
            ),
            PictureKind::Bars => {
                let rows = self.by_time(of_role("end"));
                let first = rows.len().saturating_sub(SPREAD_ROWS);
                (rows.into_iter().skip(first).collect(), "The newest")
            }
            PictureKind::Rotation => {
                (self.newest_of_each(of_role("of"), of_role("tail")), "The newest of each")
            }
            PictureKind::HeatMap => (self.largest_rows(of_role("size")), "The largest"),
            PictureKind::Ranking => (self.all().take(LISTED_ROWS).collect(), "The first"),
        }
    }

    fn all(&self) -> impl Iterator<Item = &[Json]> {
        self.rows.iter().map(Vec::as_slice)
    }

    fn value<'a>(&self, row: &'a [Json], name: &str) -> &'a Json {
        let position = self.columns.iter().position(|column| column.name == name);
        position.and_then(|position| row.get(position)).unwrap_or(&Json::Null)
    }

    /// Returns the rows sorted by a date column; unsorted without one.
    fn by_time(&self, date: Option<&NeededColumn>) -> Vec<&[Json]> {
        let mut rows: Vec<&[Json]> = self.all().collect();
        if let Some(date) = date {
            rows.sort_by_key(|row| self.value(row, &date.name).as_str().unwrap_or_default());
        }
        rows
    }

    /// Returns the row with the newest date of each name, in order of first occurrence.
    fn newest_of_each(&self, name: Option<&NeededColumn>, date: Option<&NeededColumn>) -> Vec<&[Json]> {
        let Some(name_column) = name else { return Vec::new() };
        let when = |row: &[Json]| {
            let value = date.map(|date| self.value(row, &date.name));
            value.and_then(Json::as_str).unwrap_or_default().to_owned()
        };
        let mut positions: HashMap<&str, usize> = HashMap::new();
        let mut newest: Vec<&[Json]> = Vec::new();
        for row in self.all() {
            let Some(name) = self.value(row, &name_column.name).as_str() else { continue };
            let is_full = newest.len() >= NAMED_LINES;
            let position = *positions.entry(name).or_insert(newest.len());
            match newest.get_mut(position) {
                Some(newer) if when(row) > when(newer) => *newer = row,
                Some(_) => {}
                // A name beyond the maximum is dropped; its index stays out of range.
                None if is_full => {}
                None => newest.push(row),
            }
        }
        newest
    }

    fn largest_rows(&self, size: Option<&NeededColumn>) -> Vec<&[Json]> {
        let Some(size) = size else { return Vec::new() };
        let size_of = |row: &[Json]| self.value(row, &size.name).as_f64().unwrap_or(f64::NEG_INFINITY);
        let mut rows: Vec<&[Json]> = self.all().collect();
        rows.sort_by(|a, b| size_of(b).total_cmp(&size_of(a)));
        rows.truncate(LISTED_ROWS);
        rows
    }
}

/// Returns a few of many rows, evenly spaced, including the first and the last.
fn evenly_spaced_rows<'a>(rows: &[&'a [Json]]) -> Vec<&'a [Json]> {
    if rows.len() <= SPREAD_ROWS {
        return rows.to_vec();
    }
    let last = rows.len() - 1;
    (0..SPREAD_ROWS).filter_map(|step| rows.get(last * step / (SPREAD_ROWS - 1)).copied()).collect()
}

/// Returns the head of a column, with its unit.
fn column_head(column: &NeededColumn, source: FigureTable<'_>) -> String {
    let unit = source.columns.iter().find(|known| known.name == column.name).map(|known| known.unit);
    let money = match source.market {
        Market::India => "INR",
        Market::Us => "USD",
    };
    let unit = match unit.unwrap_or(Unit::None) {
        // Lines that all start from 100 have no currency.
        Unit::Price if source.spec.kind() == PictureKind::Compare => "",
        Unit::Price | Unit::Money => money,
        Unit::Pct => "%",
        // The label contains these units already.
        Unit::Ratio
        | Unit::Count
        | Unit::Factor
        | Unit::Rating
        | Unit::Rank
        | Unit::Score
        | Unit::Score10 => "",
        unit => unit.label().split(',').next().unwrap_or_default(),
    };
    let label = single_line(&column.label);
    if unit.is_empty() { label } else { format!("{label} ({unit})") }
}

fn cell(value: &Json) -> String {
    match value {
        Json::Null => "-".to_owned(),
        Json::String(text) => single_line(text),
        Json::Bool(true) => "yes".to_owned(),
        Json::Bool(false) => "no".to_owned(),
        Json::Number(number) => number.to_string(),
        // Nested rows are drawn; the operation returns them as text.
        Json::Array(_) | Json::Object(_) => String::new(),
    }
}

/// Returns a text on one line, without characters that end a cell.
fn single_line(text: &str) -> String {
    let ends_cell = |c: char| c.is_control() || c == '|';
    text.chars().map(|c| if ends_cell(c) { ' ' } else { c }).take(LONGEST_CELL).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table(spec: &str, names: &[&str], rows: &[Json]) -> String {
        let columns: Vec<Json> =
            names.iter().map(|name| json!({"name": name, "type": "x", "unit": null})).collect();
        let answer: ColumnarAnswer =
            serde_json::from_value(json!({"columns": columns, "rows": rows, "count": 1})).unwrap();
        let spec = PictureSpec::parse(spec).unwrap();
        answer.table(FigureTable { spec: &spec, columns: &[], market: Market::India })
    }

    #[test]
    fn rows_over_time_are_spread_with_the_first_and_the_last() {
        let rows: Vec<Json> = (0..100).rev().map(|n| json!([1.5, format!("2026-{:03}", n), n])).collect();
        let spec = r#"breadth date=session above=share:"Share""#;
        let text = table(spec, &["n", "session", "share"], &rows);
        let shown: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(shown[0], "| 2026-000 | 0 |");
        assert_eq!(shown[4], "| 2026-099 | 99 |");
        assert_eq!(shown[5], "Rows spread over the time, the newest last: 5 of 100 rows.");
    }

    #[test]
    fn each_name_has_its_newest_row() {
        let rows = [
            json!([1, "2026-01-02", "A"]),
            json!([2, "2026-01-03", "A"]),
            json!([3, "2026-01-01", "B | C\n"]),
        ];
        let text = table("compare date=day value=v of=name", &["v", "day", "name"], &rows);
        let shown: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(shown[..2], ["| A | 2026-01-03 | 2 |", "| B   C  | 2026-01-01 | 3 |"]);
    }

    #[test]
    fn a_heat_map_tells_its_largest_and_a_ranking_its_first() {
        let rows: Vec<Json> = (0..30).map(|n| json!([format!("S{n}"), n, -1.25])).collect();
        let heat = table("heat_map of=s size=v change=c", &["s", "v", "c"], &rows);
        assert!(heat.lines().nth(2).unwrap().starts_with("| S29 | 29 | -1.25"), "{heat}");
        let ranking = table("ranking of=s value=v", &["s", "v", "c"], &rows);
        assert!(ranking.contains("| S0 | 0 |") && ranking.contains("The first: 10 of 30 rows."), "{ranking}");
        assert_eq!(table("ranking of=s value=v", &["s", "v"], &[]), "");
    }
}
