//! A cell of a file that fills a table, by the type that the table declares, and the row of such cells.
//!
//! An empty cell and a lone dash are null. A cell that is not of its type refuses its row; nothing is guessed.

use std::borrow::Cow;

use chrono::NaiveDate;

use crate::declared::plain_row::PlainCell;
use crate::domain::provenance::Provenance;
use crate::domain::reason::Reason;
use parquote_catalogue::operation::{Column, ColumnType, ValueLimits};
use parquote_encodings::text::cells;

/// A value of a user-supplied or staged table.
#[derive(Debug, Clone, PartialEq)]
pub enum UserCell {
    /// No value.
    Null,
    /// A text.
    Text(String),
    /// An integer.
    Int(i64),
    /// A finite number.
    Number(f64),
    /// A flag.
    Bool(bool),
    /// A date.
    Date(NaiveDate),
    /// Several texts.
    Texts(Vec<String>),
}

/// A row from a file: a cell for each column of the market's variant of the table, and the source of the row. Rows of a staged table have
/// extra cells that only distinguish them.
#[derive(Debug, Clone, PartialEq)]
pub struct UserRow(pub Vec<UserCell>, pub(crate) Provenance);

impl UserRow {
    /// Writes the source into the column at `position`, if the row has none itself.
    pub(crate) fn fill_source(&mut self, position: Option<usize>) {
        let cell = position.and_then(|position| self.0.get_mut(position));
        if let (Some(cell @ UserCell::Null), Some(words)) = (cell, self.1.words()) {
            *cell = UserCell::Text(words.to_owned());
        }
    }
}

/// Sort key of a cell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyPart<'a> {
    Null,
    Int(i64),
    Text(Cow<'a, str>),
}

impl UserCell {
    /// Parses the cell of a column; null if the cell is empty or the file lacks the column.
    pub(super) fn read(column: &Column, cell: PlainCell<'_>) -> Result<Self, Reason> {
        let Some(text) = cell.text().filter(|text| *text != "-") else {
            return if column.nullable { Ok(Self::Null) } else { Err(Reason::NoValue) };
        };
        let value = Self::parse(column.ty, text, cell)?;
        if value.is_within(&column.limits) { Ok(value) } else { Err(Reason::NotAllowed) }
    }

    /// Converts a text to a value of the type.
    fn parse(ty: ColumnType, text: &str, cell: PlainCell<'_>) -> Result<Self, Reason> {
        match ty {
            ColumnType::Text => Ok(Self::Text(text.to_owned())),
            ColumnType::Int => parse_integer(text).map(Self::Int).ok_or(Reason::BadNumber),
            ColumnType::Number => cell.money().map(Self::Number).ok_or(Reason::BadNumber),
            ColumnType::Bool => flag(text).map(Self::Bool).ok_or(Reason::BadFlag),
            ColumnType::Date => cell.date().map(Self::Date).ok_or(Reason::BadDate),
            ColumnType::Texts => texts(text).map(Self::Texts).ok_or(Reason::BadList),
            // No table declares such a column.
            ColumnType::Row | ColumnType::Rows => Ok(Self::Null),
        }
    }

    fn is_within(&self, limits: &ValueLimits) -> bool {
        let is_in = |low: &Option<f64>, high: &Option<f64>, value: f64| {
            low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high)
        };
        match (limits, self) {
            (ValueLimits::Words(words), Self::Text(text)) => words.contains(text),
            (ValueLimits::Range(low, high), Self::Int(value)) => is_in(low, high, *value as f64),
            (ValueLimits::Range(low, high), Self::Number(value)) => is_in(low, high, *value),
            _ => true,
        }
    }

    pub(crate) fn key(&self) -> KeyPart<'_> {
        match self {
            Self::Null => KeyPart::Null,
            Self::Text(text) => KeyPart::Text(Cow::Borrowed(text)),
            Self::Int(value) => KeyPart::Int(*value),
            // The bits of a number of either sign, as integers in the order of the numbers.
            Self::Number(value) => {
                let bits = value.to_bits().cast_signed();
                KeyPart::Int(bits ^ (((bits >> 63).cast_unsigned() >> 1).cast_signed()))
            }
            Self::Bool(value) => KeyPart::Int(i64::from(*value)),
            Self::Date(date) => KeyPart::Int(i64::from(parquote_functions::arrow_types::days(*date))),
            Self::Texts(texts) => KeyPart::Text(Cow::Owned(texts.join("\u{1}"))),
        }
    }
}

fn parse_integer(text: &str) -> Option<i64> {
    let figure = cells::money(text.as_bytes())?;
    (figure.abs() < 9e15 && figure.fract() == 0.0).then_some(figure as i64)
}

fn flag(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is(&["true", "yes", "y", "1"]) { Some(true) } else { is(&["false", "no", "n", "0"]).then_some(false) }
}

/// Parses a JSON array of texts, or texts separated by `|`.
fn texts(text: &str) -> Option<Vec<String>> {
    use serde_json::Value;
    if !text.starts_with('[') {
        let parts = text.split('|').map(str::trim).filter(|part| !part.is_empty());
        return Some(parts.map(str::to_owned).collect());
    }
    let items: Vec<Value> = serde_json::from_str(text).ok()?;
    let items = items.into_iter().filter(|item| !item.is_null());
    items
        .map(|item| match item {
            Value::String(text) => Some(text),
            Value::Number(_) | Value::Bool(_) => Some(item.to_string()),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declared::plain_row::PlainColumn;
    use parquote_encodings::text::cells::CellRecord;

    #[test]
    fn cells_are_of_their_type_or_refused() {
        use UserCell::{Bool, Date, Int, Number, Text, Texts};
        let of = |ty, text: &str| {
            let mut row = CellRecord::new();
            row.push(text);
            UserCell::parse(ty, text, PlainCell::new(&row, &PlainColumn::at(Some(0))))
        };
        assert_eq!(of(ColumnType::Text, "1"), Ok(Text("1".into())));
        assert_eq!(of(ColumnType::Int, "-3"), Ok(Int(-3)));
        assert_eq!(of(ColumnType::Int, "3.5"), Err(Reason::BadNumber));
        assert_eq!(of(ColumnType::Number, "1,20,000.5"), Ok(Number(120_000.5)));
        assert_eq!(of(ColumnType::Number, "12 %"), Err(Reason::BadNumber));
        assert_eq!(of(ColumnType::Bool, "Yes"), Ok(Bool(true)));
        assert_eq!(of(ColumnType::Bool, "maybe"), Err(Reason::BadFlag));
        let date = NaiveDate::from_ymd_opt(2026, 6, 30).unwrap();
        assert_eq!(of(ColumnType::Date, "2026-06-30"), Ok(Date(date)));
        assert_eq!(of(ColumnType::Date, "30/06/2026"), Err(Reason::BadDate));
        let both = Ok(Texts(vec!["a, b".into(), "c".into()]));
        assert_eq!(of(ColumnType::Texts, r#"["a, b", null, "c"]"#), both);
        assert_eq!(of(ColumnType::Texts, "a, b | c |"), both);
        assert_eq!(of(ColumnType::Texts, r#"["a", ["b"]]"#), Err(Reason::BadList));
        assert_eq!(of(ColumnType::Texts, "[not json"), Err(Reason::BadList));
    }

    #[test]
    fn keys_of_numbers_are_in_their_order() {
        let figures = [-5.5, -5.25, -0.5, 0.0, 1e-9, 2.0, 300.0];
        let cells = figures.map(UserCell::Number);
        let keys: Vec<KeyPart<'_>> = cells.iter().map(UserCell::key).collect();
        assert!(keys.is_sorted() && keys.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
