//! Counts the rows that break an identity, which is a check of `queries/checks` whose broken rows every derivation reports.

use parquote_catalogue::operation::{Catalogue, Check, Market};
use parquote_engine::{CheckResult, EngineError, FilesToCheck};
use parquote_raw::report::Identity;
use parquote_set::TableFiles;

/// Counts the rows in local files of a market's single-file tables that break identities. Returns one result for each identity whose tables
/// exist.
///
/// # Errors
/// A file cannot be read, or a check fails to run.
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
            CheckResult::Passed => (0, Vec::new()),
            CheckResult::Broken { rows, text } => (rows as u64, column_values(&text)),
        };
        let Check { name, title, .. } = check;
        found.push(Identity { name: name.clone(), rule: title.clone(), rows, first });
    }
    Ok(found)
}

/// Parses a printed table into one text for each row, of `column value` pairs joined by commas.
fn column_values(shown: &str) -> Vec<String> {
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
    use std::fs::File;

    use chrono::NaiveDate;
    use datafusion::parquet::arrow::ArrowWriter;

    use super::*;
    use parquote_functions::arrow_types::table_schema;
    use parquote_raw::NamedColumns;
    use parquote_set::StoredFile;

    #[tokio::test]
    async fn rows_that_break_an_identity_are_counted_in_files() {
        // Of assets of 100, 20 are unaccounted for in the first balance sheet, none in the second.
        let rows = [("ALFA", 30.0), ("BETA", 50.0)].map(|(symbol, equity)| {
            [("equity", equity), ("total_assets", 100.0), ("total_liabilities", 50.0)]
                .map(|(line, value)| (symbol, line, value))
        });
        let rows = rows.as_flattened();
        let day = NaiveDate::from_ymd_opt(2025, 3, 31);
        let mut columns = NamedColumns::for_rows(rows)
            .text("symbol", |(symbol, ..)| Some(symbol))
            .text("line", |(_, line, _)| Some(line))
            .number("value", |(.., value)| Some(*value))
            .date("period_end", |_| day)
            .date("filed_at", |_| day)
            .date("known_from", |_| day);
        for (name, text) in [
            ("statement", "balance"),
            ("period_type", "annual"),
            ("basis", "standalone"),
            ("unit", "money"),
            ("currency", "INR"),
            ("source", "by hand"),
        ] {
            columns = columns.text(name, |_| Some(text));
        }
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        let table = catalogue.table(Market::India, "statement_lines").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("statement_lines.parquet");
        let rows = columns.finish().batch(&table_schema(table, Market::India)).unwrap();
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), rows.schema(), None).unwrap();
        writer.write(&rows).unwrap();
        writer.close().unwrap();
        let files = TableFiles::from([(table.name.clone(), vec![StoredFile::plain(path)])]);
        let found = identities(&catalogue, Market::India, &files).await.unwrap();
        let broken: Vec<_> = found.iter().filter(|identity| identity.rows > 0).collect();
        let [sheet] = broken.as_slice() else { panic!("{broken:?}") };
        assert_eq!((sheet.name.as_str(), sheet.rows), ("balance_sheets_balance", 1));
        assert!(
            sheet.first[0].starts_with("symbol ALFA,") && sheet.first[0].ends_with(" missing 20.0"),
            "{:?}",
            sheet.first
        );
        // Identities of missing tables are skipped.
        assert!(found.len() > 1 && found.iter().all(|identity| identity.name != "splits_count_once"));
    }

    #[test]
    fn a_row_is_told_with_the_names_of_its_columns() {
        let shown = "+---+---+\n| a | b |\n+---+---+\n| x | 1 |\n| y |   |\n+---+---+";
        assert_eq!(column_values(shown), ["a x, b 1", "a y, b "]);
    }
}
