//! Rows of either database, with access by column name or position.

use super::postgres::PostgresRow;
use super::value::{DatabaseValue, FromValue, ValueKind};
use super::{DatabaseError, Result};

pub(crate) enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a PostgresRow),
}

/// A column, by name or position.
pub(crate) trait ColumnOf: rusqlite::RowIndex {
    /// Returns its position among these column names.
    fn place<'a>(&self, columns: impl Iterator<Item = &'a str>) -> Option<usize>;
}

impl ColumnOf for usize {
    fn place<'a>(&self, mut columns: impl Iterator<Item = &'a str>) -> Option<usize> {
        columns.nth(*self).map(|_| *self)
    }
}

impl ColumnOf for &str {
    fn place<'a>(&self, mut columns: impl Iterator<Item = &'a str>) -> Option<usize> {
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

    pub(crate) fn get<C: ColumnOf, T: FromValue>(&self, column: C) -> Result<T> {
        let value = match self {
            Self::Sqlite(row) => of_sqlite(row.get_ref(column)?)?,
            Self::Postgres(row) => row.value(column.place(row.names()).ok_or(DatabaseError::Kind)?)?,
        };
        T::from_value(value).ok_or(DatabaseError::Kind)
    }
}

fn of_sqlite(value: rusqlite::types::ValueRef<'_>) -> Result<DatabaseValue<'_>> {
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
