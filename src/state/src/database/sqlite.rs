//! Statements on SQLite, prepared once per connection.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, TransactionBehavior, params_from_iter};

use super::row::Row;
use super::value::DatabaseValue;
use super::{DatabaseError, Result};

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        match error {
            rusqlite::Error::QueryReturnedNoRows => Self::NoRow,
            error => Self::Sqlite(error),
        }
    }
}

impl rusqlite::ToSql for DatabaseValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Null(_) => ValueRef::Null,
            Self::Integer(integer) => ValueRef::Integer(integer),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

pub(super) fn execute(connection: &Connection, sql: &str, values: &[DatabaseValue<'_>]) -> Result<usize> {
    Ok(connection.prepare_cached(sql)?.execute(params_from_iter(values))?)
}

pub(super) fn query_row<T>(
    connection: &Connection,
    sql: &str,
    values: &[DatabaseValue<'_>],
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<T> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let row = read(&Row::Sqlite(rows.next()?.ok_or(DatabaseError::NoRow)?))?;
    // A writing statement completes only after its last row is read.
    while rows.next()?.is_some() {}
    Ok(row)
}

pub(super) fn rows<T>(
    connection: &Connection,
    sql: &str,
    values: &[DatabaseValue<'_>],
    mut read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(read(&Row::Sqlite(row))?);
    }
    Ok(all)
}

pub(super) fn transaction<T>(
    connection: &Connection,
    behavior: TransactionBehavior,
    run: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let transaction = rusqlite::Transaction::new_unchecked(connection, behavior)?;
    let result = run()?;
    transaction.commit()?;
    Ok(result)
}
