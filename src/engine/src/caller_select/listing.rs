//! The tables of a snapshot and their columns as rows, in lists like those of PostgreSQL's `information_schema`. Tables that a set lacks,
//! or that the caller may not read, are left out.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringViewArray};
use datafusion::catalog::default_table_source::provider_as_source;
use datafusion::catalog::{MemorySchemaProvider, SchemaProvider};
use datafusion::common::tree_node::Transformed;
use datafusion::datasource::MemTable;
use datafusion::error::Result as PlanResult;
use datafusion::logical_expr::{LogicalPlan, TableScan};
use datafusion::sql::sqlparser::ast::ObjectName;

use super::UserSelect;
use super::refusal::SelectRefusal;
use crate::error::EngineError;
use crate::snapshot::Snapshot;
use parquote_catalogue::operation::{Column, Market, Table};

/// Name of the schema of both lists.
pub(super) const SCHEMA: &str = "information_schema";
/// Name of the list of tables.
const TABLES: &str = "tables";
/// Name of the list of columns.
const COLUMNS: &str = "columns";

/// A market, one of its tables, and further values for a row of a list.
pub(super) type ListedTable<'a, T> = (Market, &'a Table, T);

/// Returns true if a table name in a SELECT means one of the lists.
pub(super) fn is_list(relation: &ObjectName) -> bool {
    let name = relation.to_string().to_lowercase();
    name.split_once('.').is_some_and(|(schema, list)| schema == SCHEMA && [TABLES, COLUMNS].contains(&list))
}

pub(super) fn served_tables(snapshot: &Snapshot, market: Market) -> Result<Vec<&Table>, EngineError> {
    snapshot.market(market).map_or_else(|| Ok(Vec::new()), |market| market.served_tables())
}

/// Returns the tables that a market has and the caller may read.
pub(super) fn readable_tables<'a>(
    snapshot: &'a Snapshot,
    market: Market,
    user_select: &UserSelect<'_>,
) -> Result<Vec<ListedTable<'a, ()>>, EngineError> {
    let tables = served_tables(snapshot, market)?.into_iter();
    let may_be_read = tables.filter(|table| (user_select.may_read)(market, &table.name).is_ok());
    Ok(may_be_read.map(|table| (market, table, ())).collect())
}

/// Builds the schema with the lists. The lists have no rows, because all callers share the schema; `fill_lists` puts the rows for one
/// caller into a plan.
pub(super) fn schema() -> PlanResult<(&'static str, Arc<dyn SchemaProvider>)> {
    let schema: Arc<dyn SchemaProvider> = Arc::new(MemorySchemaProvider::new());
    for (name, rows) in [(TABLES, tables_list(&[])?), (COLUMNS, columns_list(&[])?)] {
        schema.register_table(name.to_owned(), Arc::new(in_memory(rows)?))?;
    }
    Ok((SCHEMA, schema))
}

/// Replaces the empty lists in a plan by lists of the tables that the caller may read, of both markets.
///
/// # Errors
/// SQL of a view that cannot be parsed.
pub(super) fn fill_lists(
    plan: LogicalPlan,
    snapshot: &Snapshot,
    user_select: &UserSelect<'_>,
) -> Result<LogicalPlan, SelectRefusal> {
    let mut tables = Vec::new();
    for market in Market::ALL {
        tables.extend(readable_tables(snapshot, market, user_select)?);
    }
    let all: Vec<_> = tables.iter().flat_map(|(market, table, ())| columns(*market, table)).collect();
    let tables = provider_as_source(Arc::new(in_memory(tables_list(&tables)?)?));
    let columns = provider_as_source(Arc::new(in_memory(columns_list(&all)?)?));
    let fill = |node: LogicalPlan| -> PlanResult<Transformed<LogicalPlan>> {
        Ok(match node {
            LogicalPlan::TableScan(scan) if scan.table_name.schema() == Some(SCHEMA) => {
                let source = Arc::clone(if scan.table_name.table() == TABLES { &tables } else { &columns });
                Transformed::yes(LogicalPlan::TableScan(TableScan { source, ..scan }))
            }
            other => Transformed::no(other),
        })
    };
    Ok(plan.transform_up_with_subqueries(fill)?.data)
}

/// Returns the columns of a table, each with its position from 1 on.
pub(super) fn columns(
    market: Market,
    table: &Table,
) -> impl Iterator<Item = ListedTable<'_, (usize, &Column)>> {
    table.columns_in(market).enumerate().map(move |(at, column)| (market, table, (at + 1, column)))
}

/// Builds the rows of the list of tables.
pub(super) fn tables_list(rows: &[ListedTable<'_, ()>]) -> PlanResult<RecordBatch> {
    let text = |value: fn(&Table) -> &str| texts(rows.iter().map(move |(_, table, ())| value(table)));
    Ok(RecordBatch::try_from_iter([
        ("table_schema", texts(rows.iter().map(|(market, ..)| market.word()))),
        ("table_name", text(|table| table.name.as_str())),
        ("table_type", text(|table| if table.is_view() { "VIEW" } else { "BASE TABLE" })),
        ("description", text(description)),
    ])?)
}

/// Builds the rows of the list of columns.
pub(super) fn columns_list(rows: &[ListedTable<'_, (usize, &Column)>]) -> PlanResult<RecordBatch> {
    let text = |value: fn(&Column) -> &str| texts(rows.iter().map(move |(.., (_, column))| value(column)));
    let positions = rows.iter().map(|(.., (at, _))| i64::try_from(*at).unwrap_or(i64::MAX));
    Ok(RecordBatch::try_from_iter([
        ("table_schema", texts(rows.iter().map(|(market, ..)| market.word()))),
        ("table_name", texts(rows.iter().map(|(_, table, _)| table.name.as_str()))),
        ("column_name", text(|column| column.name.as_str())),
        ("ordinal_position", Arc::new(Int64Array::from_iter_values(positions)) as ArrayRef),
        ("data_type", text(|column| column.ty.word())),
        ("is_nullable", text(|column| if column.nullable { "YES" } else { "NO" })),
        ("unit", text(|column| column.unit.label())),
        ("description", text(|column| column.words.as_str())),
    ])?)
}

/// Returns the description of a table without its name.
fn description(table: &Table) -> &str {
    table.title.split_once(": ").map_or(table.title.as_str(), |(_, text)| text)
}

fn texts<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringViewArray::from_iter_values(values))
}

pub(super) fn in_memory(rows: RecordBatch) -> PlanResult<MemTable> {
    MemTable::try_new(rows.schema(), vec![vec![rows]])
}
