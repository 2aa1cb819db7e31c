//! Formats of values on a page, by type and unit, in the digit groups of the market. A rise has a plus and a fall a minus, so that colour
//! is never the only sign; the colour says which of the two is good.

use serde_json::Value as Json;

use super::column_title::title_of_name;
use super::column_words::Polarity;
use super::market_words;
use super::moment::{dates_in, moment};
use super::polarity::polarity;
use parquote_catalogue::operation::{ColumnType, Market, Unit};
use parquote_engine::ResultColumn;
use parquote_picture::number::{NumberForm, format_grouped, format_number};

/// A formatted value and its style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageCell {
    /// Text to show.
    pub text: String,
    /// CSS class: `n` for a number, with `up` or `down` for a change to the better or the worse; empty for text.
    pub class: &'static str,
}

/// Context of a value, which decides if its unit is shown and how many decimals it has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CellContext {
    /// In a table, whose headings show the units.
    Table,
    /// In a table, among other values of the same figure, which all have the same decimals.
    Among(OtherValues),
    /// Outside of a table.
    Alone,
}

/// Range of the values that are shown beside each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OtherValues {
    /// Smallest absolute value other than 0; infinite if there is none.
    smallest: f64,
    /// Largest absolute value; 0 if there is none.
    largest: f64,
    /// True if one of the values has decimals.
    has_fraction: bool,
}

impl OtherValues {
    /// Measures the numbers among some values.
    pub(super) fn measure<'a>(values: impl IntoIterator<Item = Option<&'a Json>>) -> Self {
        let empty = Self { smallest: f64::INFINITY, largest: 0.0, has_fraction: false };
        let numbers = values.into_iter().filter_map(|value| value?.as_f64()).map(f64::abs);
        numbers.filter(|number| *number > 0.0).fold(empty, |all, number| Self {
            smallest: all.smallest.min(number),
            largest: all.largest.max(number),
            has_fraction: all.has_fraction || decimals_shown(number) > 0,
        })
    }

    /// Returns the decimals that all these values have in a unit; `None` if the unit alone decides.
    fn decimals(self, unit: Unit) -> Option<usize> {
        const LARGE_VALUE: f64 = 1_000.0;
        const LARGE_SMALLEST: f64 = 10.0;
        let is_large = self.largest >= LARGE_VALUE && self.smallest >= LARGE_SMALLEST;
        let decimals = if self.has_fraction { 2 } else { 0 };
        match unit {
            Unit::InrCrore | Unit::UsdMillion | Unit::UsdBillion => Some(if is_large { 0 } else { decimals }),
            Unit::None => Some(decimals),
            _ => None,
        }
    }
}

/// Shown for an unknown value.
const NO_VALUE: &str = "–";

/// Formats a value.
pub(super) fn cell(
    value: &Json,
    column: Option<&ResultColumn>,
    market: Market,
    context: CellContext,
) -> PageCell {
    match value {
        Json::Null => {
            PageCell { text: NO_VALUE.to_owned(), class: if is_number(column) { "n none" } else { "none" } }
        }
        Json::Bool(true) => PageCell { text: "yes".to_owned(), class: "" },
        Json::Bool(false) => PageCell { text: "no".to_owned(), class: "" },
        Json::String(text) => PageCell { text: readable_text(text, column), class: side_class(text, column) },
        // An id is not an amount.
        Json::Number(number) if column.is_some_and(|column| column.name.ends_with("_id")) => {
            PageCell { text: number.to_string(), class: "n" }
        }
        Json::Number(number) => number_cell(number.as_f64().unwrap_or_default(), column, market, context),
        Json::Array(items) => {
            PageCell { text: items.iter().map(plain_text).collect::<Vec<_>>().join("; "), class: "" }
        }
        Json::Object(fields) => {
            let pairs = fields.iter().map(|(name, value)| format!("{name} {}", plain_text(value)));
            PageCell { text: pairs.collect::<Vec<_>>().join("; "), class: "" }
        }
    }
}

/// Returns true if a column is formatted as numbers.
pub(super) fn is_number(column: Option<&ResultColumn>) -> bool {
    column.is_some_and(|column| matches!(column.ty, ColumnType::Int | ColumnType::Number))
}

fn plain_text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => NO_VALUE.to_owned(),
        other => other.to_string(),
    }
}

/// Returns the CSS class of a text: `up` for a purchase, `down` for a sale, empty for all others.
fn side_class(text: &str, column: Option<&ResultColumn>) -> &'static str {
    let is_side = column.is_some_and(|column| matches!(column.name.as_str(), "side" | "event_side"));
    match text {
        "buy" if is_side => "up",
        "sell" if is_side => "down",
        _ => "",
    }
}

/// Formats the dates and minus signs of a text, and removes the underscores of vocabulary words.
fn readable_text(text: &str, column: Option<&ResultColumn>) -> String {
    let is_word = !text.is_empty()
        && text.contains('_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_key = column
        .is_some_and(|column| matches!(column.name.as_str(), "preset" | "vibe_run_id" | "symbol" | "url"));
    let title = column.filter(|column| column.name == "name").and_then(|_| title_of_name(text));
    if is_key {
        text.to_owned()
    } else if let Some(title) = title {
        title
    } else if is_word {
        text.replace('_', " ").to_lowercase()
    } else {
        write_minus(&dates_in(text))
    }
}

/// Replaces the hyphen before each number of a text by a minus sign, as in tables.
fn write_minus(text: &str) -> String {
    let is_sign = |at: usize| {
        let (before, after) = text.split_at(at);
        before.ends_with(' ') && after.chars().nth(1).is_some_and(|next| next.is_ascii_digit())
    };
    let with_minus = |(at, char): (usize, char)| if char == '-' && is_sign(at) { '−' } else { char };
    text.char_indices().map(with_minus).collect()
}

fn number_cell(value: f64, column: Option<&ResultColumn>, market: Market, context: CellContext) -> PageCell {
    let money = market_words::money(market);
    let unit = column.map_or(Unit::None, |column| column.unit);
    let name = column.map_or("", |column| column.name.as_str());
    let polarity = polarity(name, unit);
    let shared_decimals = match context {
        CellContext::Among(others) => others.decimals(unit),
        CellContext::Table | CellContext::Alone => None,
    };
    let digits = match (unit.decimals(), column.map(|column| column.ty)) {
        (_, Some(ColumnType::Number) | None) if shared_decimals.is_some() => {
            shared_decimals.unwrap_or_default()
        }
        // The decimals of hundreds of crores do not matter, and a whole number of crores has none.
        _ if unit == Unit::InrCrore
            && context == CellContext::Table
            && (value.abs() >= 100.0 || decimals_shown(value) == 0) =>
        {
            0
        }
        (Some(decimals), Some(ColumnType::Number)) => usize::from(decimals.min(4)),
        (Some(_), _) | (None, Some(ColumnType::Int)) => 0,
        (None, _) => decimals_shown(value),
    };
    // Years, quarters and times are not amounts: they have no digit groups.
    let format_bare = |value: f64| {
        let is_moment = name.ends_with("_at") && value > 1e9;
        match name {
            _ if is_moment => moment(value as i64),
            "year" => format!("{value:.0}"),
            _ => format_grouped(value, digits, money),
        }
    };
    let text = match (unit, context) {
        (Unit::Money, _) => format_number(value, NumberForm::Money, money),
        (Unit::Shares, CellContext::Alone) => format_number(value, NumberForm::Count, money),
        (Unit::Price, CellContext::Alone) => format_number(value, NumberForm::Price, money),
        (Unit::InrCrore, CellContext::Alone) => format_number(value, NumberForm::Crore, money),
        (Unit::UsdBillion, CellContext::Alone) => format_number(value, NumberForm::Billion, money),
        (Unit::UsdMillion, CellContext::Alone) => format_number(value, NumberForm::Million, money),
        (Unit::Pct, CellContext::Alone) => format!("{}%", format_grouped(value, digits.min(2), money)),
        _ => format_bare(value),
    };
    let is_shown = text.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    let Some(polarity) = polarity.filter(|_| is_shown) else { return PageCell { text, class: "n" } };
    let class = match (polarity, value > 0.0) {
        (Polarity::Neither, _) => "n",
        (Polarity::Good, true) | (Polarity::Bad, false) => "n up",
        (Polarity::Good, false) | (Polarity::Bad, true) => "n down",
    };
    PageCell { text: if value > 0.0 { format!("+{text}") } else { text }, class }
}

fn decimals_shown(value: f64) -> usize {
    const SMALLEST_CENT: f64 = 1e-9;
    if value.fract().abs() < SMALLEST_CENT { 0 } else { 2 }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rendered_cell(
        name: &str,
        ty: ColumnType,
        unit: Unit,
        value: &Json,
        context: CellContext,
    ) -> (String, &'static str) {
        let column = ResultColumn {
            name: name.to_owned(),
            ty,
            nullable: true,
            unit,
            words: String::new(),
            fields: Vec::new(),
        };
        let cell = cell(value, Some(&column), Market::India, context);
        (cell.text, cell.class)
    }

    #[test]
    fn numbers_are_written_by_their_unit() {
        use CellContext::{Alone, Table};
        let number = ColumnType::Number;
        let crore =
            |context| rendered_cell("market_cap_cr", number, Unit::InrCrore, &json!(1_275_602.12), context);
        assert_eq!(crore(Table), ("12,75,602".to_owned(), "n"));
        assert_eq!(crore(Alone), ("₹12.8 lakh cr".to_owned(), "n"));
        assert_eq!(rendered_cell("pe", number, Unit::Ratio, &json!(29.9), Table).0, "29.90");
        assert_eq!(rendered_cell("rs_rating", ColumnType::Int, Unit::Rating, &json!(79), Table).0, "79");
        assert_eq!(rendered_cell("year", ColumnType::Int, Unit::None, &json!(2026), Table).0, "2026");
        assert_eq!(rendered_cell("costs", number, Unit::Money, &json!(12.91), Table).0, "₹13");
    }

    #[test]
    fn an_identifier_is_written_as_it_is() {
        for context in [CellContext::Table, CellContext::Alone] {
            let id = rendered_cell(
                "job_id",
                ColumnType::Int,
                Unit::None,
                &json!(3_362_391_316_061_173_i64),
                context,
            );
            assert_eq!(id.0, "3362391316061173");
        }
    }

    #[test]
    fn a_gain_and_a_loss_have_signs() {
        let change = |value: Json| {
            rendered_cell("change_pct", ColumnType::Number, Unit::Pct, &value, CellContext::Alone)
        };
        assert_eq!(change(json!(1.5)), ("+1.50%".to_owned(), "n up"));
        assert_eq!(change(json!(-1.5)), ("−1.50%".to_owned(), "n down"));
        assert_eq!(change(json!(0)), ("0.00%".to_owned(), "n"));
        let unchanged =
            rendered_cell("unchanged", ColumnType::Int, Unit::Count, &json!(3), CellContext::Alone);
        assert_eq!(unchanged, ("3".to_owned(), "n"));
    }

    #[test]
    fn the_figures_of_a_column_have_the_same_decimals() {
        let column = |unit: Unit, values: &[f64]| {
            let values: Vec<Json> = values.iter().map(|value| json!(value)).collect();
            let context = CellContext::Among(OtherValues::measure(values.iter().map(Some)));
            let texts =
                values.iter().map(|value| rendered_cell("x", ColumnType::Number, unit, value, context).0);
            texts.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(column(Unit::None, &[54.2, 60.0, 17.0]), "54.20 60.00 17.00");
        assert_eq!(column(Unit::None, &[54.0, 60.0]), "54 60");
        assert_eq!(column(Unit::InrCrore, &[113.0, 17.4, 0.01]), "113.00 17.40 0.01");
        assert_eq!(column(Unit::InrCrore, &[245_774.25, 1_200.6]), "2,45,774 1,201");
        assert_eq!(column(Unit::UsdBillion, &[2_457.774, 0.25]), "2,457.77 0.25");
        assert_eq!(column(Unit::Pct, &[5.0, 2.25]), "5.00 2.25");
    }

    #[test]
    fn colours_say_what_is_good() {
        let change = |name: &str, value: f64| {
            rendered_cell(name, ColumnType::Number, Unit::Points, &json!(value), CellContext::Table)
        };
        assert_eq!(change("pledge_change", 14.61), ("+14.61".to_owned(), "n down"));
        assert_eq!(change("pledge_change", -14.61), ("−14.61".to_owned(), "n up"));
        assert_eq!(change("fii_change", 0.5), ("+0.50".to_owned(), "n"));
        let debt = rendered_cell(
            "debt_change_yoy",
            ColumnType::Number,
            Unit::Pct,
            &json!(-10.74),
            CellContext::Alone,
        );
        assert_eq!(debt, ("−10.74%".to_owned(), "n up"));
    }

    #[test]
    fn what_is_no_number_is_words() {
        let text =
            |value: Json| rendered_cell("x", ColumnType::Text, Unit::None, &value, CellContext::Table).0;
        assert_eq!(text(json!(null)), "–");
        let date = json!("2026-10-30");
        assert_eq!(
            rendered_cell("ex_date", ColumnType::Date, Unit::None, &date, CellContext::Table).0,
            "30 Oct 2026"
        );
        assert_eq!(text(json!("ABOVE_BOTH")), "above both");
        assert_eq!(text(json!("M&M")), "M&M");
        assert_eq!(
            text(json!("sales 4.1 %, profit -38.2 %, 1-3 min - fast")),
            "sales 4.1 %, profit −38.2 %, 1-3 min - fast"
        );
        assert_eq!(text(json!(["a", "b"])), "a; b");
    }
}
