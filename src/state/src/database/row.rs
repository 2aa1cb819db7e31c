//! Rows of either database, with access by column name or position.

use super::postgres::PostgresRow;
use super::value::{DatabaseValue, FromValue, ValueKind};
use super::{DatabaseError, Result};

pub(crate) enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a PostgresRow),
}

/// A column, by its name or its index from 0.
pub(crate) trait ColumnSelector: rusqlite::RowIndex {
    /// Returns its index among these column names.
    fn index_in<'a>(&self, columns: impl Iterator<Item = &'a str>) -> Option<usize>;
}

impl ColumnSelector for usize {
    fn index_in<'a>(&self, mut columns: impl Iterator<Item = &'a str>) -> Option<usize> {
        columns.nth(*self).map(|_| *self)
    }
}

impl ColumnSelector for &str {
    fn index_in<'a>(&self, mut columns: impl Iterator<Item = &'a str>) -> Option<usize> {
        columns.position(|column| column == *self)
    }
}

impl Row<'_> {
    pub(crate) fn columns(&self) -> Vec<String> {
        match self {
            Self::Sqlite(row) => row.as_ref().column_names().map(str::to_owned).collect(),
            Self::Postgres(row) => row.names().map(str::to_owned).collect(),
        }
    }

    pub(crate) fn get<C: ColumnSelector, T: FromValue>(&self, column: C) -> Result<T> {
        let value = match self {
            Self::Sqlite(row) => value_from_sqlite(row.get_ref(column)?)?,
            Self::Postgres(row) => row.value(column.index_in(row.names()).ok_or(DatabaseError::Kind)?)?,
        };
        T::from_value(value).ok_or(DatabaseError::Kind)
    }
}

fn value_from_sqlite(value: rusqlite::types::ValueRef<'_>) -> Result<DatabaseValue<'_>> {
    use rusqlite::types::ValueRef;
    Ok(match value {
        ValueRef::Null => DatabaseValue::Null(ValueKind::OfColumn),
        ValueRef::Integer(integer) => DatabaseValue::Integer(integer),
        ValueRef::Text(text) => {
            DatabaseValue::Text(std::str::from_utf8(text).map_err(|_| DatabaseError::Kind)?)
        }
        ValueRef::Blob(bytes) => DatabaseValue::Bytes(bytes),
        ValueRef::Real(_) => return Err(DatabaseError::Kind),
    })
}
