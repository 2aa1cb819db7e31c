//! Converts rows of user-supplied tables to Arrow batches with the declared columns.
//!
//! [`parquote_raw`] decides which files fill such a table and which of their rows are valid.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, ListBuilder, RecordBatch, StringViewArray,
    StringViewBuilder,
};
use datafusion::error::Result;

use parquote_catalogue::operation::{Catalogue, ColumnType, Market, Table};
use parquote_functions::arrow_types::{days, table_schema};
use parquote_raw::{RawMarket, UserCell, UserRow};

/// Returns the tables of a market that raw files may fill.
pub(super) fn tables(catalogue: &Catalogue, market: Market) -> Vec<&Table> {
    catalogue.tables_in(market).filter(|table| table.accepts_declared_formats()).collect()
}

/// Returns the rows of a table from raw files; `None` if there is no file for it.
pub(super) fn rows_from_files(table: &Table, raw: &RawMarket) -> Option<Result<RecordBatch>> {
    let rows = raw.user_rows.get(&table.name)?;
    let columns = table.columns_in(raw.market).enumerate();
    let columns = columns.map(|(at, column)| column_array(column.ty, rows, at)).collect();
    Some(RecordBatch::try_new(table_schema(table, raw.market), columns).map_err(Into::into))
}

fn column_array(ty: ColumnType, rows: &[UserRow], at: usize) -> ArrayRef {
    let cells = rows.iter().map(|row| row.0.get(at).unwrap_or(&UserCell::Null));
    macro_rules! values {
        ($array:ty, $cell:pat => $value:expr) => {
            Arc::new(
                cells
                    .map(|cell| match cell {
                        $cell => Some($value),
                        _ => None,
                    })
                    .collect::<$array>(),
            )
        };
    }
    match ty {
        ColumnType::Int => values!(Int64Array, UserCell::Int(value) => *value),
        ColumnType::Number => values!(Float64Array, UserCell::Number(value) => *value),
        ColumnType::Bool => values!(BooleanArray, UserCell::Bool(value) => *value),
        ColumnType::Date => values!(Date32Array, UserCell::Date(value) => days(*value)),
        ColumnType::Texts => list_array(cells),
        ColumnType::Text | ColumnType::Row | ColumnType::Rows => {
            values!(StringViewArray, UserCell::Text(value) => value.as_str())
        }
    }
}

fn list_array<'a>(cells: impl Iterator<Item = &'a UserCell>) -> ArrayRef {
    let mut lists = ListBuilder::new(StringViewBuilder::new());
    for cell in cells {
        match cell {
            UserCell::Texts(texts) => lists.append_value(texts.iter().map(Some)),
            _ => lists.append_null(),
        }
    }
    Arc::new(lists.finish())
}
