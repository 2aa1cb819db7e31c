//! Titles of columns: the name in words, and the unit next to it.
//!
//! Titles are made from the words of the name; abbreviations of finance, such as RS, are written in their usual form.

use super::column_words::COLUMN_WORDS;
use super::market_words;
use parquote_catalogue::operation::{Market, Unit};
use parquote_engine::ResultColumn;

/// Suffixes of names that mean a unit.
const UNIT_ENDS: [&str; 6] = ["_usd_m", "_usd", "_cr", "_pct", "_inr", "_b"];

/// Returns the title of a column or a parameter.
pub(super) fn title(name: &str, column: Option<&ResultColumn>) -> String {
    if let Some(title) = COLUMN_WORDS.titles.get(name) {
        return title.clone();
    }
    if let Some(short) = column.and_then(short_words) {
        return short.to_owned();
    }
    let words =
        without_unit(name).split('_').map(|word| COLUMN_WORDS.words.get(word).map_or(word, String::as_str));
    capitalise(&words.collect::<Vec<_>>().join(" "))
}

/// Returns the title of a text that is the name of a figure or of a rule, such as `pat_growth_1y`; `None` for other texts.
pub(super) fn title_of_name(text: &str) -> Option<String> {
    let is_known = COLUMN_WORDS.titles.contains_key(text) || COLUMN_WORDS.words.contains_key(text);
    let is_lower =
        text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    ((is_known || text.contains('_')) && is_lower).then(|| title(text, None))
}

/// Returns a name without the unit at its end.
pub(super) fn without_unit(name: &str) -> &str {
    UNIT_ENDS.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// Returns the dictionary's words if they are short enough for a title, such as `Net income.`
fn short_words(column: &ResultColumn) -> Option<&str> {
    const LONGEST_TITLE: usize = 28;
    // A name in whole words is as clear, and is the common name.
    let is_code = column.unit != Unit::None && !column.name.contains('_') && column.name.len() > 2;
    let words = column.words.strip_suffix('.')?;
    (is_code && words.len() <= LONGEST_TITLE && !words.contains(['.', ':', ';', ','])).then_some(words)
}

/// Returns the unit for a column's heading; empty if its values show it or it has no unit.
pub(super) fn unit(column: Option<&ResultColumn>, market: Market) -> &'static str {
    match column.map(|column| column.unit) {
        // The level of an index is no price, though it is written like one.
        Some(Unit::Price) if column.is_some_and(|column| column.name.starts_with("index_")) => "",
        Some(Unit::Price) => market_words::sign(market),
        Some(Unit::InrCrore) => "₹ cr",
        Some(Unit::UsdBillion) => "$ bn",
        Some(Unit::UsdMillion) => "$ m",
        Some(Unit::Pct) => "%",
        Some(Unit::Points) => "points",
        _ => "",
    }
}

/// Writes the first letter as a capital.
pub(super) fn capitalise(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquote_catalogue::operation::ColumnType;

    #[test]
    fn names_become_words() {
        for (name, words) in [
            ("company_name", "Company"),
            ("market_cap_cr", "Market cap"),
            ("rs_rating", "RS rating"),
            ("fcf_yield", "Free cash flow yield"),
            ("min_mcap_b", "Min market cap"),
            ("pct_above_sma10", "% above SMA 10"),
            ("symbol", "Symbol"),
        ] {
            assert_eq!(title(name, None), words);
        }
        let of_name = |text: &str| title_of_name(text).unwrap_or_default();
        assert_eq!(of_name("pat_growth_1y"), "Net profit growth 1 y");
        assert_eq!([of_name("roce"), of_name("de")], ["ROCE", "Debt / equity"]);
        assert_eq!([of_name("editor"), of_name("My_list"), of_name("a b")], ["", "", ""]);
    }

    #[test]
    fn a_code_takes_the_short_words_of_the_dictionary() {
        let column = |name: &str, words: &str| ResultColumn {
            name: name.to_owned(),
            ty: ColumnType::Number,
            nullable: true,
            unit: Unit::Money,
            words: words.to_owned(),
            fields: Vec::new(),
        };
        assert_eq!(title("netinc", Some(&column("netinc", "Net income."))), "Net income");
        let long = column("capex", "Money spent on plant, net of what was sold, as it is reported.");
        assert_eq!(title("capex", Some(&long)), "Capex");
    }
}
