//! Formats of values on a page, by type and unit, in the digit groups of the market. A gain has a plus and a loss a minus, so that colour
//! is never the only sign.

use serde_json::Value as Json;

use super::market_words;
use parquote_catalogue::operation::{ColumnType, Market, Unit};
use parquote_engine::ResultColumn;
use parquote_picture::number::{NumberForm, grouped, written};

/// A formatted value and its style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageCell {
    /// Text.
    pub text: String,
    /// CSS class: `n` for a number, with `up` or `down` for a gain or a loss; empty for text.
    pub class: &'static str,
}

/// Place of a value, which decides how much of its unit is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellContext {
    /// In a table, whose headings show the units.
    Table,
    /// Outside of a table.
    Alone,
}

/// Shown for an unknown value.
const NONE: &str = "–";

/// Formats a value.
pub(super) fn cell(
    value: &Json,
    column: Option<&ResultColumn>,
    market: Market,
    place: CellContext,
) -> PageCell {
    match value {
        Json::Null => {
            PageCell { text: NONE.to_owned(), class: if is_number(column) { "n none" } else { "none" } }
        }
        Json::Bool(true) => PageCell { text: "yes".to_owned(), class: "" },
        Json::Bool(false) => PageCell { text: "no".to_owned(), class: "" },
        Json::String(text) => PageCell { text: readable(text, column), class: "" },
        // An id is not an amount.
        Json::Number(number) if column.is_some_and(|column| column.name.ends_with("_id")) => {
            PageCell { text: number.to_string(), class: "n" }
        }
        Json::Number(number) => number_cell(number.as_f64().unwrap_or_default(), column, market, place),
        Json::Array(items) => {
            PageCell { text: items.iter().map(plain).collect::<Vec<_>>().join("; "), class: "" }
        }
        Json::Object(fields) => {
            let said = fields.iter().map(|(name, value)| format!("{name} {}", plain(value)));
            PageCell { text: said.collect::<Vec<_>>().join("; "), class: "" }
        }
    }
}

/// Returns true if a column is formatted as numbers.
pub(super) fn is_number(column: Option<&ResultColumn>) -> bool {
    column.is_some_and(|column| matches!(column.ty, ColumnType::Int | ColumnType::Number))
}

fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => NONE.to_owned(),
        other => other.to_string(),
    }
}

/// Writes vocabulary words without their underscores.
fn readable(text: &str, column: Option<&ResultColumn>) -> String {
    let is_word = !text.is_empty()
        && text.contains('_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_key =
        column.is_some_and(|column| matches!(column.name.as_str(), "preset" | "vibe_run_id" | "symbol"));
    if is_word && !is_key { text.replace('_', " ").to_lowercase() } else { text.to_owned() }
}

fn number_cell(value: f64, column: Option<&ResultColumn>, market: Market, place: CellContext) -> PageCell {
    let money = market_words::money(market);
    let unit = column.map_or(Unit::None, |column| column.unit);
    let name = column.map_or("", |column| column.name.as_str());
    let is_move = is_move(name, unit);
    let digits = match (unit.decimals(), column.map(|column| column.ty)) {
        // The decimals of hundreds of crores do not matter, and a whole number of crores has none.
        _ if unit == Unit::InrCrore
            && place == CellContext::Table
            && (value.abs() >= 100.0 || decimals_shown(value) == 0) =>
        {
            0
        }
        (Some(decimals), Some(ColumnType::Number)) => usize::from(decimals.min(4)),
        (Some(_), _) | (None, Some(ColumnType::Int)) => 0,
        (None, _) => decimals_shown(value),
    };
    // Years, quarters and times are not amounts: they have no digit groups.
    let bare = |value: f64| {
        let is_moment = name.ends_with("_at") && value > 1e9;
        if is_moment { moment(value) } else { grouped(value, digits, money) }
    };
    let text = match (unit, place) {
        (Unit::Money, _) => written(value, NumberForm::Money, money),
        (Unit::Shares, CellContext::Alone) => written(value, NumberForm::Count, money),
        (Unit::Price, CellContext::Alone) => written(value, NumberForm::Price, money),
        (Unit::InrCrore, CellContext::Alone) => written(value, NumberForm::Crore, money),
        (Unit::UsdBillion, CellContext::Alone) => written(value, NumberForm::Billion, money),
        (Unit::UsdMillion, CellContext::Alone) => written(value, NumberForm::Million, money),
        (Unit::Pct, CellContext::Alone) => format!("{}%", grouped(value, digits.min(2), money)),
        _ => bare(value),
    };
    let is_shown = text.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    match (is_move && is_shown, value > 0.0) {
        (true, true) => PageCell { text: format!("+{text}"), class: "n up" },
        (true, false) => PageCell { text, class: "n down" },
        (false, _) => PageCell { text, class: "n" },
    }
}

/// Returns true if the sign of a figure means a gain or a loss.
fn is_move(name: &str, unit: Unit) -> bool {
    const PARTS: [&str; 7] = ["change", "delta", "growth", "return", "trend", "cagr", "mcclellan"];
    matches!(unit, Unit::Pct | Unit::Points | Unit::Count | Unit::Shares)
        && name != "unchanged"
        && PARTS.iter().any(|part| name.contains(part))
}

fn decimals_shown(value: f64) -> usize {
    const SMALLEST_CENT: f64 = 1e-9;
    if value.fract().abs() < SMALLEST_CENT { 0 } else { 2 }
}

/// Formats a Unix time as a date and a time of day in UTC.
fn moment(seconds: f64) -> String {
    let moment = chrono::DateTime::from_timestamp(seconds as i64, 0);
    moment.map_or_else(|| NONE.to_owned(), |moment| moment.format("%Y-%m-%d %H:%M UTC").to_string())
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
        place: CellContext,
    ) -> (String, &'static str) {
        let column = ResultColumn {
            name: name.to_owned(),
            ty,
            nullable: true,
            unit,
            words: String::new(),
            fields: Vec::new(),
        };
        let cell = cell(value, Some(&column), Market::India, place);
        (cell.text, cell.class)
    }

    #[test]
    fn numbers_are_written_by_their_unit() {
        use CellContext::{Alone, Table};
        let number = ColumnType::Number;
        let crore =
            |place| rendered_cell("market_cap_cr", number, Unit::InrCrore, &json!(1_275_602.12), place);
        assert_eq!(crore(Table), ("12,75,602".to_owned(), "n"));
        assert_eq!(crore(Alone), ("₹12.8 lakh cr".to_owned(), "n"));
        assert_eq!(rendered_cell("pe", number, Unit::Ratio, &json!(29.9), Table).0, "29.90");
        assert_eq!(rendered_cell("rs_rating", ColumnType::Int, Unit::Rating, &json!(79), Table).0, "79");
    }

    #[test]
    fn an_identifier_is_written_as_it_is() {
        for place in [CellContext::Table, CellContext::Alone] {
            let id = rendered_cell(
                "job_id",
                ColumnType::Int,
                Unit::None,
                &json!(3_362_391_316_061_173_i64),
                place,
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
    fn what_is_no_number_is_words() {
        let text =
            |value: Json| rendered_cell("x", ColumnType::Text, Unit::None, &value, CellContext::Table).0;
        assert_eq!(text(json!(null)), "–");
        assert_eq!(text(json!("ABOVE_BOTH")), "above both");
        assert_eq!(text(json!("M&M")), "M&M");
        assert_eq!(text(json!(["a", "b"])), "a; b");
    }
}
