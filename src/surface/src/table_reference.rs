//! The reference of tables as Markdown: the columns, key, origin and readers of each table. It is generated from declarations; nothing here
//! reads or writes files.

use std::fmt::Write as _;

use parquote_catalogue::operation::{Catalogue, Column, Market, Table, TableOrigin};
use parquote_engine::{EngineError, operations_that_read, tables_that_read};

const HEAD: &str = "# All tables

This page is made from the declarations in `queries/tables`. [Your own tables](your-own-tables.md) says how to write one and how to get
one out. `?` behind a dtype says that the column may be null, a market behind it that only that market has the column. `text` is a UTF-8
string, `texts` a list of them, `int` a 64-bit integer, `number` a 64-bit float, `date` a date without time.
";

/// Renders the page.
///
/// # Errors
/// SQL that cannot be parsed.
pub fn page(catalogue: &Catalogue) -> Result<String, EngineError> {
    let mut text = HEAD.to_owned();
    for (title, is_input) in [("Input tables", true), ("Derived tables", false)] {
        let _ = writeln!(text, "\n## {title}");
        let all = catalogue.tables().iter();
        for table in all.filter(|table| matches!(table.origin, TableOrigin::Source(_)) == is_input) {
            write_table(&mut text, catalogue, table, is_input)?;
        }
    }
    Ok(text)
}

fn write_table(
    text: &mut String,
    catalogue: &Catalogue,
    table: &Table,
    is_input: bool,
) -> Result<(), EngineError> {
    let market = table.market.map_or_else(String::new, |market| format!("; {} only", market.word()));
    let long = if table.yearly { "; a folder with a file for each year" } else { "" };
    let _ = writeln!(
        text,
        "\n### {}\n\n{}.\n\n{}; key {}; sorted by {}{long}{market}.",
        table.name,
        table.title,
        origin(table),
        table.key.join(", "),
        table.sorted.join(", ")
    );
    let _ = writeln!(text, "Read by {}.\n", readers_text(catalogue, table)?);
    if is_input {
        text.push_str("| column | dtype | what it is |\n|---|---|---|\n");
        for column in table.columns_anywhere() {
            let unit = match column.unit.label() {
                "" => String::new(),
                label => format!(" Unit: {label}."),
            };
            let words = column.words.replace('|', "\\|");
            let _ = writeln!(text, "| `{}` | {} | {words}{unit} |", column.name, dtype(column));
        }
    } else {
        let columns = table.columns_anywhere().map(|column| format!("`{}` {}", column.name, dtype(column)));
        let _ = writeln!(text, "{}", columns.collect::<Vec<_>>().join(", "));
    }
    Ok(())
}

fn origin(table: &Table) -> &'static str {
    match &table.origin {
        TableOrigin::Source(_) if table.is_user_supplied() => {
            "Input: files of its name or of a declared format"
        }
        TableOrigin::Source(_) => "Input: made from raw files",
        TableOrigin::Derived(_) => "Derived by SQL",
        TableOrigin::View(_) => "View: SQL that is planned with each query; it has no file",
    }
}

fn dtype(column: &Column) -> String {
    let market = column.market.map_or_else(String::new, |market| format!(" ({market})"));
    format!("{}{}{market}", column.ty.word(), if column.nullable { "?" } else { "" })
}

/// Returns the operations and tables that read a table, as text.
fn readers_text(catalogue: &Catalogue, table: &Table) -> Result<String, EngineError> {
    let (mut operations, mut tables) = (Vec::new(), Vec::new());
    for market in Market::ALL.into_iter().filter(|market| table.is_in(*market)) {
        operations.extend(operations_that_read(catalogue, market, &table.name, None)?);
        tables.extend(tables_that_read(catalogue, market, &table.name)?);
    }
    let listed = |what: &str, names: &mut Vec<String>| {
        names.sort();
        names.dedup();
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
    };
    let parts = [listed("the operations", &mut operations), listed("the tables", &mut tables)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Ok(if parts.is_empty() { "the engine alone".to_owned() } else { parts.join("; ") })
}
