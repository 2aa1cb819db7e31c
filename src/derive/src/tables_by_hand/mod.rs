//! Tests of the SQL of derived tables over a few rows. The expected figures are computed by hand or by another implementation.
//!
//! The tests run the SQL of the files under `queries/tables` without the code of a derivation.
//!
//! Invariant: a table without rows from the test exists and is empty.

#[path = "../../../functions/src/window/vectors.rs"]
#[expect(dead_code, reason = "functions themselves are compared with the others of these figures")]
mod vectors;
mod bands;
mod crossings;
mod dividends;
mod earnings;
mod events;
mod filed;
mod holdings;
mod indices;
mod ledger;
mod liquidity;
mod market;
mod scans;
mod universe;

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::Float64Type;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::datasource::empty::EmptyTable;
use datafusion::execution::context::SessionContext;

use parquote_catalogue::operation::{Catalogue, ColumnType, Market, Table};
use parquote_functions::Calendar;
use parquote_functions::arrow_types::table_schema;
use parquote_functions::context::{market_context, register};

/// A market whose tables have a few rows.
struct SmallMarket {
    market: Market,
    catalogue: Catalogue,
    context: SessionContext,
}

impl SmallMarket {
    /// Creates a market with these sessions; all other tables are empty.
    async fn sessions(market: Market, days: &[&str]) -> Self {
        let date = |text: &&str| text.parse::<chrono::NaiveDate>().unwrap();
        let calendar =
            Calendar::new(days.iter().map(|day| parquote_functions::arrow_types::days(date(day))).collect());
        let context = market_context(market, &calendar);
        let given = Self { market, catalogue: Catalogue::with_overlay(&[]).unwrap(), context };
        for table in given.catalogue.tables_in(market) {
            let empty = EmptyTable::new(table_schema(table, market));
            register(&given.context, &table.name, Arc::new(empty)).unwrap();
        }
        let rows: Vec<String> = days.iter().map(|day| format!("'{day}'")).collect();
        given.rows("sessions", "session", rows).await
    }

    /// Sets the rows of a table. Each row has values of `columns` in SQL syntax; all other columns are null.
    async fn rows(self, table: &str, columns: &str, rows: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let rows: Vec<String> = rows.into_iter().map(|row| format!("({})", row.as_ref())).collect();
        let named: Vec<&str> = columns.split(", ").collect();
        let cells: Vec<String> = self
            .table(table)
            .columns_in(self.market)
            .map(|column| {
                let value = if named.contains(&column.name.as_str()) { &column.name } else { "NULL" };
                format!("CAST({value} AS {}) AS {}", sql_type(column.ty), column.name)
            })
            .collect();
        let sql =
            format!("SELECT {} FROM (VALUES {}) AS given({columns})", cells.join(", "), rows.join(", "));
        let rows = self.context.sql(&sql).await.unwrap();
        self.context.deregister_table(table).unwrap();
        register(&self.context, table, rows.into_view()).unwrap();
        self
    }

    /// Sets the batch size of queries.
    async fn in_batches(self, rows: usize) -> Self {
        let sql = format!("SET datafusion.execution.batch_size = {rows}");
        self.context.sql(&sql).await.unwrap().collect().await.unwrap();
        self
    }

    /// Derives a table by its SQL, and registers its rows for other tables.
    async fn made(self, table: &str) -> Self {
        let sql = self.table(table).sql().unwrap().to_owned();
        self.replaced(table, &sql).await
    }

    /// Sets the rows of a table to the rows of a SELECT.
    async fn replaced(self, table: &str, sql: &str) -> Self {
        let rows = self.context.sql(sql).await.unwrap().cache().await.unwrap();
        self.context.deregister_table(table).unwrap();
        register(&self.context, table, rows.into_view()).unwrap();
        self
    }

    /// Returns the rows of a SELECT as lines of text, with a space between cells.
    async fn lines(&self, sql: &str) -> Vec<String> {
        let text = pretty_format_batches(&self.select(sql).await).unwrap().to_string();
        text.lines().skip(3).filter(|line| !line.starts_with('+')).map(strip_frame).collect()
    }

    /// Returns the first column of a SELECT; null is NaN.
    async fn figures(&self, sql: &str) -> Vec<f64> {
        let batches = self.select(sql).await;
        let values = batches.iter().flat_map(|batch| {
            let column = batch.column(0).as_primitive::<Float64Type>();
            column.iter().map(|value| value.unwrap_or(f64::NAN)).collect::<Vec<_>>()
        });
        values.collect()
    }

    async fn select(&self, sql: &str) -> Vec<RecordBatch> {
        self.context.sql(sql).await.unwrap().collect().await.unwrap()
    }

    fn table(&self, name: &str) -> &Table {
        self.catalogue.table(self.market, name).unwrap()
    }
}

fn sql_type(ty: ColumnType) -> &'static str {
    match ty {
        ColumnType::Text => "VARCHAR",
        ColumnType::Int => "BIGINT",
        ColumnType::Number => "DOUBLE",
        ColumnType::Bool => "BOOLEAN",
        ColumnType::Date => "DATE",
        ColumnType::Texts => "VARCHAR[]",
        ColumnType::Row | ColumnType::Rows => "NULL",
    }
}

/// Strips the frame of a printed row: `| a  | 1 |` becomes `a 1`, a null `-`.
fn strip_frame(line: &str) -> String {
    let cells = line.trim_matches('|').split('|').map(str::trim);
    cells.map(|cell| if cell.is_empty() { "-" } else { cell }).collect::<Vec<_>>().join(" ")
}

/// Returns consecutive days from 1 January 2024 on.
fn days(count: i64) -> Vec<String> {
    let first = chrono::NaiveDate::from_ymd_opt(2024, 1, 1).unwrap();
    (0..count).map(|day| (first + chrono::TimeDelta::days(day)).to_string()).collect()
}

fn texts(days: &[String]) -> Vec<&str> {
    days.iter().map(String::as_str).collect()
}
