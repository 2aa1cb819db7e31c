//! Date patterns in the syntax of PostgreSQL, `YYYY-MM-DD`, in addition to the engine's, `%Y-%m-%d`.

use datafusion::common::plan_err;
use datafusion::error::Result;

/// Longer ones precede their prefixes. Those of numbers may also be in lower case.
const PATTERNS: [(&str, &str); 18] = [
    ("YYYY", "%Y"),
    ("YY", "%y"),
    ("MM", "%m"),
    ("MI", "%M"),
    ("DDD", "%j"),
    ("DD", "%d"),
    ("HH24", "%H"),
    ("HH12", "%I"),
    ("HH", "%I"),
    ("SS", "%S"),
    ("IYYY", "%G"),
    ("IW", "%V"),
    ("FMMonth", "%B"),
    ("Month", "%B"),
    ("Mon", "%b"),
    ("FMDay", "%A"),
    ("Day", "%A"),
    ("Dy", "%a"),
];
const LONGEST_PATTERN: usize = 64;

/// Converts to the engine's pattern.
///
/// # Errors
/// A character that is not part of a pattern.
pub(super) fn of_engine(pattern: &str) -> Result<String> {
    if pattern.len() > LONGEST_PATTERN {
        return plan_err!("a pattern of dates has at most {LONGEST_PATTERN} letters");
    }
    if pattern.contains('%') {
        return Ok(pattern.to_owned());
    }
    let (mut left, mut made) = (pattern, String::new());
    while let Some(first) = left.chars().next() {
        let found = PATTERNS.iter().find(|(word, _)| {
            let is_number = word.chars().all(|c| !c.is_lowercase());
            let start = left.get(..word.len());
            start.is_some_and(|start| start == *word || is_number && start.eq_ignore_ascii_case(word))
        });
        let length = match found {
            Some((word, part)) => {
                made.push_str(part);
                word.len()
            }
            None if first.is_alphabetic() => {
                return plan_err!(
                    "`{left}` is not a part of a pattern of dates; there are {}",
                    PATTERNS.map(|(word, _)| word).join(", ")
                );
            }
            None => {
                made.push(first);
                first.len_utf8()
            }
        };
        left = left.get(length..).unwrap_or_default();
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_postgresql_become_those_of_the_engine() {
        for (pattern, expected) in [
            ("YYYY-MM-DD", "%Y-%m-%d"),
            ("dd/mm/yyyy", "%d/%m/%Y"),
            ("DD Mon YYYY HH24:MI:SS", "%d %b %Y %H:%M:%S"),
            ("%d.%m.%y", "%d.%m.%y"),
            ("IYYY \u{2013} IW", "%G \u{2013} %V"),
        ] {
            assert_eq!(of_engine(pattern).unwrap(), expected);
        }
        for wrong in ["YYYY-Q", "MON", &"-".repeat(65)] {
            assert!(of_engine(wrong).is_err(), "{wrong}");
        }
    }
}
