//! Labels of periods: a quarter by the month it ends in, `Jun 2026`, or a fiscal year, `FY2026`.
//!
//! What is written in another way is put into the one form, so that SQL compares labels and nothing else.

/// The months by their English names.
pub(crate) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The labels as a regular expression, for documents.
pub(super) const PATTERN: &str =
    "^((Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (19|20)[0-9]{2}|FY(19|20)[0-9]{2})$";

/// The label that a text means: `June 2026`, `jun-2026` and `JUN26` are `Jun 2026`, `fy 26` is `FY2026`; none for anything else.
pub(super) fn label(text: &str) -> Option<String> {
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
    let (first, rest) = month.get(..3)?.split_at_checked(1)?;
    Some(format!("{}{rest} {year}", first.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::{PATTERN, label};

    #[test]
    fn many_ways_of_writing_are_one_label() {
        let pattern = regex::Regex::new(PATTERN).unwrap();
        for text in ["Jun 2026", "june 2026", "JUN-2026", "Jun26", "jun'26", "June_2026"] {
            assert_eq!(label(text).as_deref(), Some("Jun 2026"), "{text}");
        }
        for text in ["FY2026", "fy26", "FY 2026"] {
            assert_eq!(label(text).as_deref(), Some("FY2026"), "{text}");
        }
        for text in
            ["", "2026", "Q1 2026", "Jun", "Ju 2026", "June 20260", "Juny 2026", "Jun 1800", "2026-06-30"]
        {
            assert_eq!(label(text), None, "{text}");
            assert!(!pattern.is_match(text), "{text}");
        }
        for text in ["Jun 2026", "FY2026", "Dec 1999"] {
            assert!(pattern.is_match(text) && label(text).as_deref() == Some(text));
        }
    }
}
