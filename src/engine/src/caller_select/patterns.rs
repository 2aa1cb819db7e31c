//! Date patterns in the syntax of PostgreSQL, `YYYY-MM-DD`, in addition to the engine's, `%Y-%m-%d`.

use datafusion::common::plan_err;
use datafusion::error::Result;

/// Parts of patterns in both syntaxes. A part precedes its prefixes. Parts that give numbers may also be in lower case.
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

/// Converts a pattern to the engine's syntax; a pattern with `%` is returned unchanged.
///
/// # Errors
/// A character that is not part of a pattern.
pub(super) fn to_strftime(pattern: &str) -> Result<String> {
    if pattern.len() > LONGEST_PATTERN {
        return plan_err!("a pattern of dates has at most {LONGEST_PATTERN} letters");
    }
    if pattern.contains('%') {
        return Ok(pattern.to_owned());
    }
    let (mut rest, mut converted) = (pattern, String::new());
    while let Some(first) = rest.chars().next() {
        let part = PATTERNS.iter().find(|(word, _)| {
            let is_number = word.chars().all(|c| !c.is_lowercase());
            let start = rest.get(..word.len());
            start.is_some_and(|start| start == *word || is_number && start.eq_ignore_ascii_case(word))
        });
        let length = match part {
            Some((word, replacement)) => {
                converted.push_str(replacement);
                word.len()
            }
            None if first.is_alphabetic() => {
                return plan_err!(
                    "`{rest}` is not a part of a pattern of dates; there are {}",
                    PATTERNS.map(|(word, _)| word).join(", ")
                );
            }
            None => {
                converted.push(first);
                first.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    Ok(converted)
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
            assert_eq!(to_strftime(pattern).unwrap(), expected);
        }
        for wrong in ["YYYY-Q", "MON", &"-".repeat(65)] {
            assert!(to_strftime(wrong).is_err(), "{wrong}");
        }
    }
}
