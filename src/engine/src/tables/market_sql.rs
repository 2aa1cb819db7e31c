//! SQL that names tables of both markets, adapted to the tables of one market.

use super::tables_read::named_tables;
use crate::error::EngineError;
use parquote_catalogue::operation::{Catalogue, Column, ColumnType, Market, Table};

/// Returns a SELECT that names only tables of this market: each table of the other one becomes a common table expression without rows, as
/// such a table has none while an operation runs.
///
/// # Errors
/// SQL that cannot be parsed.
pub fn market_sql(catalogue: &Catalogue, market: Market, sql: &str) -> Result<String, EngineError> {
    let names = named_tables(market, sql)?;
    let foreign = catalogue.foreign_tables(market).filter(|table| names.contains(&table.name));
    let empty: Vec<String> = foreign.map(empty_expression).collect();
    if empty.is_empty() {
        return Ok(sql.to_owned());
    }
    let rest = sql.strip_prefix("WITH ").map_or_else(|| format!("\n{sql}"), |rest| format!(",\n{rest}"));
    Ok(format!("WITH {}{rest}", empty.join(",\n")))
}

/// Returns the common table expression that has a table's name and columns, and no rows.
fn empty_expression(table: &Table) -> String {
    let null = |column: &Column| format!("CAST(NULL AS {}) AS {}", sql_type(column.ty), column.name);
    let columns = table.columns_anywhere().map(null).collect::<Vec<_>>().join(",\n           ");
    format!("{} AS (\n    SELECT {columns}\n    WHERE  FALSE\n)", table.name)
}

/// Returns the SQL type of a column; tables have no nested rows.
const fn sql_type(ty: ColumnType) -> &'static str {
    match ty {
        ColumnType::Int => "BIGINT",
        ColumnType::Number => "DOUBLE",
        ColumnType::Bool => "BOOLEAN",
        ColumnType::Date => "DATE",
        ColumnType::Texts => "VARCHAR[]",
        ColumnType::Text | ColumnType::Row | ColumnType::Rows => "VARCHAR",
    }
}
