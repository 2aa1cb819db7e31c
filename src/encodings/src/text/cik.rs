//! CIKs: the numbers under which companies file with the SEC.

use crate::text::cells;

/// Parses a CIK, with or without leading zeros and the prefix `CIK`.
pub fn number(cell: &[u8]) -> Option<u64> {
    let digits = cell.strip_prefix(b"CIK").unwrap_or(cell);
    cells::count(digits).filter(|cik| (1..10_000_000_000).contains(cik)).map(i64::unsigned_abs)
}

/// Formats a CIK with ten digits.
pub fn text(cik: u64) -> String {
    format!("{cik:010}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cik_has_ten_digits_or_fewer() {
        assert_eq!(number(b"0001318605"), Some(1_318_605));
        assert_eq!(number(b"CIK0001318605"), Some(1_318_605));
        for text in ["", "0", "-5", "12345678901", "abc"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
        assert_eq!(text(1_318_605), "0001318605");
    }
}
