//! Dates within sentences: `August 5, 2026`, `Aug. 5, 2026`, `5th August 2026`, `2026-08-05`.

use chrono::NaiveDate;

use crate::text::dates;
use parquote_catalogue::operation::period::MONTHS;

/// Returns the date at the beginning of these words; `None` if they do not begin with a date.
pub(crate) fn at_start(words: &[&str]) -> Option<NaiveDate> {
    let first = plain_word(words.first()?);
    if first.len() == 10 && first.starts_with(|c: char| c.is_ascii_digit()) {
        return dates::in_cell(first.as_bytes());
    }
    let (second, third) = (plain_word(words.get(1)?), plain_word(words.get(2)?));
    let is_year = third.len() == 4 && third.bytes().all(|byte| byte.is_ascii_digit());
    let is_day = |word: &str| word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let (day, month) = if is_day(without_ordinal(second)) { (second, first) } else { (first, second) };
    let day = without_ordinal(day);
    let is_date = is_year && is_day(day) && MONTHS.iter().any(|name| names_month(month, name));
    let date = format!("{day}-{}-{third}", month.get(..3)?);
    is_date.then(|| dates::in_cell(date.as_bytes()))?
}

/// Returns true if a word is the name of a month, its first three letters, or `Sept` for September.
fn names_month(word: &str, name: &str) -> bool {
    let word = word.to_lowercase();
    word == name || name.get(..3) == Some(word.as_str()) || (word == "sept" && name == "september")
}

/// Returns a word without punctuation marks around it.
fn plain_word(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Returns a day without an ending `st`, `nd`, `rd` or `th`.
fn without_ordinal(day: &str) -> &str {
    ["st", "nd", "rd", "th"].iter().find_map(|ending| day.strip_suffix(ending)).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_sentences_write_them() {
        let day = NaiveDate::from_ymd_opt(2026, 8, 5);
        for text in
            ["August 5, 2026 (GLOBE", "Aug. 5, 2026", "5th August, 2026.", "05 Aug 2026", "2026-08-05,"]
        {
            let words: Vec<&str> = text.split_whitespace().collect();
            assert_eq!(at_start(&words), day, "{text}");
        }
        for text in
            ["Augury 5, 2026", "August 2026 was", "5 in 2026", "March on 2026", "2026", "31 June 2026", ""]
        {
            let words: Vec<&str> = text.split_whitespace().collect();
            assert_eq!(at_start(&words), None, "{text}");
        }
    }
}
