//! Derives the total debt of a balance sheet from its parts: debt due within a year and debt due after it.
//!
//! A total that a filing states is used only if it is not below the sum of its parts: filers put it in notes and leave borrowings out of
//! it. A part without any tag is zero in a classified balance sheet, which states its current liabilities; in others, such as a bank's, a
//! part is not the whole and the total is unknown.

use std::sync::LazyLock;

use parquote_catalogue::operation::line_item::LineItem;

/// A line with its value and the rank of its rule.
type RankedLine = (LineItem, f64, u8);

/// The ranks of a total that is the sum of its parts; a stated total alone comes after them, by its own rule.
const BOTH_PARTS: u8 = 1;
const ONE_PART: u8 = 2;
/// The rank of the zero for a part without any tag.
const UNSTATED_RANK: u8 = u8::MAX;

static LINES: LazyLock<Option<DebtLines>> = LazyLock::new(|| {
    let [short, long, total, current_liabilities] =
        ["short_term_debt", "long_term_debt", "total_debt", "current_liabilities"].map(LineItem::from_word);
    Some(DebtLines { short: short?, long: long?, total: total?, current_liabilities: current_liabilities? })
});

struct DebtLines {
    short: LineItem,
    long: LineItem,
    total: LineItem,
    current_liabilities: LineItem,
}

/// Completes the lines of debt in one balance sheet of one filing.
pub(crate) fn complete(lines: &mut Vec<RankedLine>) {
    let Some(debt) = LINES.as_ref() else { return };
    let value = |line: LineItem| lines.iter().find(|(it, ..)| *it == line).map(|(_, value, _)| *value);
    let (short, long, total) = (value(debt.short), value(debt.long), value(debt.total));
    let is_classified = value(debt.current_liabilities).is_some();
    match (short, long, total) {
        (Some(short), Some(long), Some(total)) => {
            let whole = (debt.total, total.max(short + long), BOTH_PARTS);
            lines.iter_mut().filter(|(line, ..)| *line == debt.total).for_each(|line| *line = whole);
        }
        (Some(short), Some(long), None) => {
            lines.push((debt.total, short + long, BOTH_PARTS));
        }
        (Some(part), None, None) | (None, Some(part), None) if is_classified => {
            let other = if short.is_some() { debt.long } else { debt.short };
            lines.push((other, 0.0, UNSTATED_RANK));
            lines.push((debt.total, part, ONE_PART));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(figures: &[(&str, f64)]) -> Option<f64> {
        let line = |word: &str| LineItem::from_word(word).unwrap();
        let mut lines = figures.iter().map(|(word, value)| (line(word), *value, 3)).collect();
        complete(&mut lines);
        lines.iter().find(|(it, ..)| *it == line("total_debt")).map(|(_, value, _)| *value)
    }

    #[test]
    fn a_stated_total_is_never_below_its_parts() {
        // Walmart on 30 April 2026 in USD million: the total of its note leaves out the commercial paper.
        let walmart = [("short_term_debt", 14_569.0), ("long_term_debt", 36_887.0), ("total_debt", 40_783.0)];
        assert_eq!(total(&walmart), Some(51_456.0));
        assert_eq!(total(&walmart[..2]), Some(51_456.0));
        assert_eq!(
            total(&[("short_term_debt", 1.0), ("long_term_debt", 2.0), ("total_debt", 4.0)]),
            Some(4.0)
        );
        assert_eq!(total(&walmart[2..]), Some(40_783.0));
    }

    #[test]
    fn a_part_is_the_whole_only_in_a_classified_balance_sheet() {
        assert_eq!(total(&[("short_term_debt", 5.0), ("current_liabilities", 9.0)]), Some(5.0));
        assert_eq!(total(&[("long_term_debt", 7.0), ("current_liabilities", 9.0)]), Some(7.0));
        // As in a bank, which states short-term borrowings and no current liabilities.
        assert_eq!(total(&[("short_term_debt", 5.0)]), None);
        assert_eq!(total(&[("current_liabilities", 9.0)]), None, "nothing stated is not nothing owed");
    }
}
