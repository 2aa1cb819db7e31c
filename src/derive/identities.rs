//! Checks tables against the identities of `queries/checks`: sums that the figures of a row keep, whatever a company files.

use crate::engine::{CheckResult, EngineError, FilesToCheck};
use crate::operation::{Catalogue, Check, Market};
use crate::raw::report::Identity;
use crate::set::TableFiles;

/// Counts the rows that break identities, in these local files of a market's tables.
///
/// # Errors
/// Files that cannot be read, or a check that fails.
pub async fn identities(
    catalogue: &Catalogue,
    market: Market,
    files: &TableFiles,
) -> Result<Vec<Identity>, EngineError> {
    let whole = catalogue.tables_in(market).filter(|table| !table.yearly);
    let whole = whole.filter_map(|table| Some((table, files.get(&table.name)?.first()?.path()?)));
    let tables = FilesToCheck::open(market, whole).await?;
    let mut found = Vec::new();
    for check in catalogue.checks().iter().filter(|check| check.is_identity && check.is_in(market)) {
        let (rows, first) = match tables.check(check).await? {
            CheckResult::Skipped(_) => continue,
            CheckResult::Kept => (0, Vec::new()),
            CheckResult::Broken { rows, shown } => (rows as u64, named(&shown)),
        };
        let Check { name, title, .. } = check;
        found.push(Identity { name: name.clone(), rule: title.clone(), rows, first });
    }
    Ok(found)
}

/// The rows of a drawn table, each cell behind the name of its column.
fn named(shown: &str) -> Vec<String> {
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = shown.lines().filter(|line| line.starts_with('|')).map(cells);
    let Some(columns) = lines.next() else { return Vec::new() };
    let row = |row: Vec<String>| {
        let pairs = columns.iter().zip(row).map(|(column, cell)| format!("{column} {cell}"));
        pairs.collect::<Vec<_>>().join(", ")
    };
    lines.map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_told_with_the_names_of_its_columns() {
        let shown = "+---+---+\n| a | b |\n+---+---+\n| x | 1 |\n| y |   |\n+---+---+";
        assert_eq!(named(shown), ["a x, b 1", "a y, b "]);
    }
}
