//! The meaning of a figure's sign: a rise is good, bad, or neither. Each column of changes is declared in `column_words.toml`.

use super::column_words::{COLUMN_WORDS, Polarity};
use parquote_catalogue::operation::Unit;

/// Parts of the names of columns whose values are changes.
const PARTS: [&str; 7] = ["change", "delta", "growth", "return", "trend", "cagr", "mcclellan"];

/// Names that contain such a part, though their values are not changes.
const NO_CHANGES: [&str; 2] = ["unchanged", "returns"];

/// Returns the meaning of a column's sign; `None` if its values are no changes. Of a column that is not declared, a rise is neither good
/// nor bad.
pub(super) fn polarity(name: &str, unit: Unit) -> Option<Polarity> {
    if !is_change(name, unit) {
        return None;
    }
    Some(COLUMN_WORDS.rises.get(name).copied().unwrap_or(Polarity::Neither))
}

fn is_change(name: &str, unit: Unit) -> bool {
    matches!(unit, Unit::Pct | Unit::Points | Unit::Count | Unit::Shares)
        && !NO_CHANGES.contains(&name)
        && PARTS.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use parquote_catalogue::operation::{Catalogue, Column, ColumnType};

    #[test]
    fn every_column_of_changes_is_declared_and_no_other() {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        let tables = catalogue.tables().iter().flat_map(|table| &table.columns);
        let operations = catalogue.operations().iter().flat_map(|operation| &operation.columns);
        let is_number = |column: &&Column| matches!(column.ty, ColumnType::Int | ColumnType::Number);
        let changes: BTreeSet<&str> = tables
            .chain(operations)
            .filter(is_number)
            .map(|column| (column.name.rsplit('.').next().unwrap_or_default(), column.unit))
            .filter(|(name, unit)| is_change(name, *unit))
            .map(|(name, _)| name)
            .collect();
        let all: BTreeSet<&str> = COLUMN_WORDS.rises.keys().map(String::as_str).collect();
        assert_eq!(all, changes);
    }
}
