//! The database below the state: SQLite in a file, or PostgreSQL. Both take statements with `?1`, values of four kinds, read rows by column
//! name or position, and allow one writer at a time.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(not(feature = "postgres"))]
#[path = "no_postgres.rs"]
mod postgres;
mod row;
mod sqlite;
mod value;

#[cfg(all(test, feature = "postgres"))]
pub(super) use postgres::ROUND_TRIPS;
pub use postgres::clock_ahead_ms;
pub(super) use postgres::{PostgresConnection, PostgresServer, is_lock_timeout};
pub(super) use row::Row;
pub(super) use value::{AnyValue, Params, ToValue, params, read_row};

pub(super) type Result<T> = std::result::Result<T, DatabaseError>;

/// Error of a statement.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "PostgreSQL alone has some of them"))]
pub(super) enum DatabaseError {
    #[error("there is no such row")]
    NoRow,
    #[error("a column has a value of an unexpected type")]
    Kind,
    #[error(transparent)]
    Sqlite(rusqlite::Error),
    #[error(transparent)]
    Postgres(#[from] postgres::PostgresError),
    #[error("{written} of {read} rows of {table} were written")]
    Counts { table: &'static str, read: i64, written: i64 },
    /// The root certificates cannot be read.
    #[error("the certificates in {} cannot be read", file.display())]
    RootCertificate { file: std::path::PathBuf, source: Box<dyn std::error::Error + Send + Sync> },
    /// The server's certificate is not trusted.
    #[error("the certificate of the server is not trusted")]
    Untrusted(#[source] postgres::PostgresError),
    /// No connection could be made.
    #[error("no connection could be made")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("there was no answer in time")]
    TimedOut,
    /// The connection ended within a transaction.
    #[error("the connection was lost")]
    Lost,
    /// The reporting server has not followed the newest key changes; its report is rolled back.
    #[error("keys changed meanwhile")]
    Behind,
    /// Another Parquote changed the version of the database since it was opened.
    #[error("the database has version {found} now, and had {known} before")]
    Version { found: i64, known: i64 },
}

/// A connection to a state file or a server.
#[derive(Debug)]
pub(super) enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(Box<PostgresConnection>),
}

/// A connection within a write transaction.
#[derive(Debug)]
pub(super) struct Transaction<'a>(&'a Connection);

impl std::ops::Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.0
    }
}

impl Transaction<'_> {
    /// Runs a statement without returning its result. On a server it is sent with the next statement or the commit, which also reports its
    /// error.
    pub(super) fn execute_later(&self, sql: &str, params: &[&dyn ToValue]) -> Result<()> {
        match self.0 {
            Connection::Sqlite(connection) => sqlite::execute(connection, sql, &params.values()).map(drop),
            Connection::Postgres(connection) => connection.execute_later(sql, &params.values()),
        }
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "values are written where they are passed, as an array or `params!`"
)]
impl Connection {
    /// Runs a statement and returns the number of changed rows.
    pub(super) fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        match self {
            Self::Sqlite(connection) => sqlite::execute(connection, sql, &params.values()),
            Self::Postgres(connection) => connection.execute(sql, &params.values()),
        }
    }

    /// Runs a script of several statements without parameters.
    pub(super) fn batch(&self, script: &str) -> Result<()> {
        match self {
            Self::Sqlite(connection) => Ok(connection.execute_batch(script)?),
            Self::Postgres(connection) => connection.batch(script),
        }
    }

    /// Returns the first row of a statement.
    pub(super) fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        match self {
            Self::Sqlite(connection) => sqlite::query_row(connection, sql, &params.values(), read),
            Self::Postgres(connection) => {
                let rows = connection.query(sql, &params.values())?;
                read(&Row::Postgres(rows.first().ok_or(DatabaseError::NoRow)?))
            }
        }
    }

    /// Returns the first row of `sql`, and for each set of values in `each` the first row of `each_sql`, or `None` if it returns no row.
    /// PostgreSQL gets all statements in one round trip.
    pub(super) fn row_and_each<A, B>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<A>,
        each_sql: &str,
        each: &[&[&dyn ToValue]],
        mut read_each: impl FnMut(&Row<'_>) -> Result<B>,
    ) -> Result<(A, Vec<Option<B>>)> {
        match self {
            Self::Sqlite(_) => {
                let first = self.query_row(sql, params, read)?;
                let rows =
                    each.iter().map(|params| self.query_row(each_sql, *params, &mut read_each).optional());
                Ok((first, rows.collect::<Result<_>>()?))
            }
            Self::Postgres(connection) => {
                let values: Vec<_> = each.iter().map(Params::values).collect();
                let first = params.values();
                let each_query = values.iter().map(|values| (each_sql, values.as_slice()));
                let statements: Vec<_> = std::iter::once((sql, first.as_slice())).chain(each_query).collect();
                let rows = connection.query_all(&statements)?;
                let mut first_rows = rows.iter().map(|rows| rows.first().map(Row::Postgres));
                let first = read(&first_rows.next().flatten().ok_or(DatabaseError::NoRow)?)?;
                let rows = first_rows.map(|row| row.map(|row| read_each(&row)).transpose());
                Ok((first, rows.collect::<Result<_>>()?))
            }
        }
    }

    /// Returns the rows of a statement.
    pub(super) fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        match self {
            Self::Sqlite(connection) => sqlite::rows(connection, sql, &params.values(), read),
            Self::Postgres(connection) => {
                connection.query(sql, &params.values())?.iter().map(|row| read(&Row::Postgres(row))).collect()
            }
        }
    }

    /// Runs changes in one transaction, exclusive with all other writers (on a server from the first statement on).
    pub(super) fn write<T>(&self, change: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        match self {
            Self::Sqlite(connection) => {
                // Immediate: a transaction that began with a read cannot wait for the write lock.
                sqlite::transaction(connection, rusqlite::TransactionBehavior::Immediate, || {
                    change(&Transaction(self))
                })
            }
            Self::Postgres(connection) => connection.write(|| change(&Transaction(self))),
        }
    }

    /// Defers foreign-key checks to the end of the transaction.
    pub(super) fn defer_references(&self) -> Result<()> {
        match self {
            Self::Sqlite(connection) => Ok(connection.pragma_update(None, "defer_foreign_keys", true)?),
            Self::Postgres(connection) => connection.batch("SET CONSTRAINTS ALL DEFERRED"),
        }
    }

    /// Returns the highest number that a column of automatic numbers has had, including deleted rows; 0 without one.
    pub(super) fn last_number(&self, table: &str, column: &str) -> Result<i64> {
        let highest = format!("SELECT coalesce(max({column}), 0) FROM {table}");
        let sequence = match self {
            Self::Sqlite(_) => format!("SELECT seq FROM sqlite_sequence WHERE name = '{table}'"),
            Self::Postgres(_) => format!("SELECT last_value FROM {table}_{column}_seq WHERE is_called"),
        };
        let highest: i64 = self.query_row(&highest, params![], |row| row.get(0))?;
        let sequence: Option<i64> = self.query_row(&sequence, params![], |row| row.get(0)).optional()?;
        Ok(sequence.unwrap_or(0).max(highest))
    }

    /// Makes a column of automatic numbers continue after a number.
    pub(super) fn set_last_number(&self, table: &str, column: &str, number: i64) -> Result<()> {
        match self {
            _ if number < 1 => Ok(()),
            Self::Sqlite(_) => {
                self.execute("DELETE FROM sqlite_sequence WHERE name = ?1", [table])?;
                self.execute("INSERT INTO sqlite_sequence VALUES (?1, ?2)", params![table, number]).map(drop)
            }
            Self::Postgres(_) => {
                let sql = format!("SELECT setval('{table}_{column}_seq', ?1)");
                self.query_row(&sql, [number], |row| row.get::<_, i64>(0)).map(drop)
            }
        }
    }

    /// Runs reads on one snapshot, without blocking writers.
    pub(super) fn snapshot<T>(&self, read: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        match self {
            Self::Sqlite(connection) => {
                sqlite::transaction(connection, rusqlite::TransactionBehavior::Deferred, || read(self))
            }
            Self::Postgres(connection) => connection.snapshot(|| read(self)),
        }
    }
}

/// Conversion of a missing row to `None`.
pub(super) trait Optional<T> {
    /// Returns `None` if there is no row.
    fn optional(self) -> Result<Option<T>>;
}

impl<T> Optional<T> for Result<T> {
    fn optional(self) -> Result<Option<T>> {
        match self {
            Ok(row) => Ok(Some(row)),
            Err(DatabaseError::NoRow) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
