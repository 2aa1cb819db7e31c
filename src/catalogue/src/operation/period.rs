//! Labels of periods: `Jun 2026` is the quarter that ends in that month, `FY2026` a fiscal year.
//!
//! Other notations are normalized to these, so that SQL only compares labels.

/// The English names of the months in lower case.
pub const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
];

/// Regular expression of the labels, for documents.
pub(super) const PATTERN: &str =
    "^((Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (19|20)[0-9]{2}|FY(19|20)[0-9]{2})$";

/// Normalizes a label: `June 2026`, `jun-2026`, `JUN26`, `2026-06` and `Q1FY27` become `Jun 2026`, `fy 26` becomes `FY2026`; `None` for
/// anything else. A numbered quarter belongs to a fiscal year that ends in March, as in India.
pub(crate) fn normalize_label(text: &str) -> Option<String> {
    numbered_month(text).or_else(|| numbered_quarter(text)).or_else(|| parse_month_or_year(text))
}

/// Returns the label of `2026-06`.
fn numbered_month(text: &str) -> Option<String> {
    let (year, month) = text.trim().split_once('-')?;
    let year: u32 = year.parse().ok().filter(|known| (1900..2100).contains(known) && year.len() == 4)?;
    let month: usize = month.parse().ok().filter(|_| month.len() == 2)?;
    month_label(MONTHS.get(month.checked_sub(1)?)?, year)
}

/// Returns the label of `Q1FY27` or `Q1 FY2027`.
fn numbered_quarter(text: &str) -> Option<String> {
    let plain = text.replace([' ', '-', '\''], "").to_ascii_lowercase();
    let (quarter, year) = plain.strip_prefix('q')?.split_once("fy")?;
    let year: u32 = match (year.len(), year.parse().ok()?) {
        (4, year @ 1900..2100) => year,
        (2, year) => 2000 + year,
        _ => return None,
    };
    match quarter {
        "1" => month_label("june", year - 1),
        "2" => month_label("september", year - 1),
        "3" => month_label("december", year - 1),
        "4" => month_label("march", year),
        _ => None,
    }
}

/// Returns the label of a month, such as `Jun 2026` for `june` and 2026.
fn month_label(month: &str, year: u32) -> Option<String> {
    let (first, rest) = month.get(..3)?.split_at_checked(1)?;
    Some(format!("{}{rest} {year}", first.to_ascii_uppercase()))
}

/// Returns the label of a month or fiscal year such as `jun-26` or `fy 2026`.
fn parse_month_or_year(text: &str) -> Option<String> {
    let plain: String = text
        .chars()
        .filter(|c| !matches!(c, ' ' | '-' | '_' | '\''))
        .collect::<String>()
        .to_ascii_lowercase();
    let digits = plain.find(|c: char| c.is_ascii_digit())?;
    let (word, year) = plain.split_at_checked(digits)?;
    let year: u32 = match (year.len(), year.parse().ok()?) {
        (4, year @ 1900..2100) => year,
        (2, year) => 2000 + year,
        _ => return None,
    };
    if word == "fy" {
        return Some(format!("FY{year}"));
    }
    let month = MONTHS.iter().find(|month| word.len() >= 3 && month.starts_with(word))?;
    month_label(month, year)
}

#[cfg(test)]
mod tests {
    use super::{PATTERN, normalize_label};

    #[test]
    fn many_ways_of_writing_are_one_label() {
        let pattern = regex::Regex::new(PATTERN).unwrap();
        for text in [
            "Jun 2026", "june 2026", "JUN-2026", "Jun26", "jun'26", "June_2026", "2026-06", "Q1FY27",
            "q1 FY2027",
        ] {
            assert_eq!(normalize_label(text).as_deref(), Some("Jun 2026"), "{text}");
        }
        assert_eq!(
            normalize_label("Q4FY26").as_deref(),
            Some("Mar 2026"),
            "the fourth quarter ends with the year"
        );
        for text in ["FY2026", "fy26", "FY 2026"] {
            assert_eq!(normalize_label(text).as_deref(), Some("FY2026"), "{text}");
        }
        for text in [
            "", "2026", "Q1 2026", "Jun", "Ju 2026", "June 20260", "Juny 2026", "Jun 1800", "2026-06-30",
            "2026-13", "Q5FY27", "26-06",
        ] {
            assert_eq!(normalize_label(text), None, "{text}");
            assert!(!pattern.is_match(text), "{text}");
        }
        for text in ["Jun 2026", "FY2026", "Dec 1999"] {
            assert!(pattern.is_match(text) && normalize_label(text).as_deref() == Some(text));
        }
    }
}
