//! Figures with a decimal comma, and with points or blanks between groups of digits: `1.234,50`.
//!
//! `1,234` alone is ambiguous, so the file as a whole decides. If it does not decide, its cells are unchanged.

use std::borrow::Cow;

use csv::ByteRecord;

/// Minimum number of cells with decimal commas in a comma-separated file, because a quoted cell such as `1,2` may be a list.
const MIN_CELLS: usize = 3;

/// Returns true if the lines after the header have figures with decimal commas, and none with a decimal point.
pub(super) fn detect(has_semicolons: bool, lines: &[ByteRecord]) -> bool {
    let cells = || lines.iter().skip(1).flatten().map(<[u8]>::trim_ascii);
    let with_commas = cells()
        .filter(|cell| count_decimals(cell, b',').is_some_and(|count| count != 3 || cell.contains(&b'.')));
    let is_enough = with_commas.count() >= if has_semicolons { 1 } else { MIN_CELLS };
    is_enough && !cells().any(|cell| count_decimals(cell, b'.').is_some_and(|count| count != 3))
}

/// Counts the digits after the only decimal mark of a figure; `None` for a text without that mark or with other characters.
fn count_decimals(cell: &[u8], mark: u8) -> Option<usize> {
    let unsigned = cell.strip_prefix(b"-").unwrap_or(cell);
    let at = unsigned.iter().position(|byte| *byte == mark)?;
    let (whole, decimals) = (unsigned.get(..at)?, unsigned.get(at + 1..)?);
    let group_mark = if mark == b',' { b'.' } else { b',' };
    let is_whole = is_digits(whole) || is_grouped(whole, group_mark);
    (is_whole && is_digits(decimals)).then_some(decimals.len())
}

/// Rewrites a figure with a decimal point and without grouping; other cells are unchanged.
pub(super) fn with_decimal_point(cell: &[u8]) -> Cow<'_, [u8]> {
    let figure = cell.trim_ascii();
    if count_decimals(figure, b',').is_none()
        && !is_grouped(figure.strip_prefix(b"-").unwrap_or(figure), b'.')
    {
        return Cow::Borrowed(cell);
    }
    let retained = figure.iter().filter(|byte| !matches!(byte, b'.' | b' '));
    Cow::Owned(retained.map(|byte| if *byte == b',' { b'.' } else { *byte }).collect())
}

/// Returns true if digits are in two or more groups, separated by this mark or a blank; all but the first have three digits.
fn is_grouped(text: &[u8], mark: u8) -> bool {
    let mut groups = text.split(|byte| *byte == mark || *byte == b' ');
    let first = groups.next().is_some_and(|group| group.len() <= 3 && is_digits(group));
    let mut rest = groups.peekable();
    first && rest.peek().is_some() && rest.all(|group| group.len() == 3 && is_digits(group))
}

fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detects(has_semicolons: bool, rows: &[&[&str]]) -> bool {
        let header = ByteRecord::from(vec!["a"]);
        let rows = rows.iter().map(|row| ByteRecord::from(row.to_vec()));
        detect(has_semicolons, &std::iter::once(header).chain(rows).collect::<Vec<_>>())
    }

    #[test]
    fn the_file_decides() {
        assert!(detects(true, &[&["2026-05-04", "50,5", "1.200"]]));
        assert!(detects(true, &[&["1.234,567"]]));
        assert!(!detects(true, &[&["1,234", "1,200"]]), "either");
        assert!(!detects(true, &[&["50,5", "50.5"]]), "both");
        assert!(!detects(false, &[&["1,2", "31.12.2026"]]), "a list");
        assert!(detects(false, &[&["50,5", "51,25", "49,1"]]));
        assert!(!detects(false, &[&["1,20,58,807", "1,20,58,807", "2,50,000"]]), "groups of India");
    }

    #[test]
    fn figures_are_written_with_a_point() {
        for (cell, written) in [
            ("50,5", "50.5"),
            ("-1.234,50", "-1234.50"),
            ("1 234 567,5", "1234567.5"),
            ("1.234.567", "1234567"),
            ("31.12.2026", "31.12.2026"),
            ("Foo, Inc", "Foo, Inc"),
            ("1200", "1200"),
            ("", ""),
        ] {
            assert_eq!(&*with_decimal_point(cell.as_bytes()), written.as_bytes(), "{cell}");
        }
    }
}
