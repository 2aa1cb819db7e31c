//! Statements on PostgreSQL. One runtime thread does the I/O of all connections; callers block until the answer. A closed connection is
//! reopened by the next statement, except within a transaction.

mod request;
mod row;
mod server;
mod tls;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::runtime::Runtime;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, NoTls, Statement};

use super::value::{DatabaseValue, ValueKind};
use super::{DatabaseError, Result};
use request::{PostgresAnswer, PostgresRequest, owned_values, send_all};
use tls::DatabaseTls;

pub(crate) use row::PostgresRow;
pub(crate) use server::PostgresServer;
pub(crate) use tokio_postgres::Error as PostgresError;

/// Begins a write transaction. The lock admits one over all servers of a schema, as in a file: leases, jobs and bounds rely on it.
const BEGIN_WRITE: &str = "BEGIN; SELECT pg_advisory_xact_lock(1347507028, hashtext(current_schema()))";
/// Begins a read transaction on one snapshot.
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Timeout of a statement; the server's own timeout is shorter.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);
/// Settings of every connection. A server that hangs within a transaction blocks the others for ten seconds at most.
const SETTINGS: &str = "SET lock_timeout = '5s'; SET statement_timeout = '10s'; \
    SET idle_in_transaction_session_timeout = '10s'; SET client_min_messages = 'warning'";
/// Selects the schema version; no row if there are no tables.
const VERSION: &str = "SELECT version FROM parquote_schema";
/// Smaller clock differences are attributed to the round trip.
const CLOCK_JITTER_MS: i64 = 100;

/// Milliseconds by which the clock of the database is ahead of this machine's.
static CLOCK_AHEAD_MS: AtomicI64 = AtomicI64::new(0);

#[cfg(test)]
thread_local! {
    /// Number of round trips of this thread.
    pub(crate) static ROUND_TRIPS: Cell<u32> = const { Cell::new(0) };
}

/// Runtime for the I/O of all connections.
static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(1).thread_name("postgres").enable_all().build()
});

/// Returns the milliseconds by which the clock of the database is ahead of this machine's; 0 without PostgreSQL.
pub fn clock_ahead_ms() -> i64 {
    CLOCK_AHEAD_MS.load(Ordering::Relaxed)
}

/// Returns true if a statement timed out on a lock that another connection held.
pub(crate) fn is_lock_timeout(error: &PostgresError) -> bool {
    error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE)
}

/// A connection that is reopened after it closed.
pub(crate) struct PostgresConnection {
    server: PostgresServer,
    session: RefCell<Option<DatabaseSession>>,
    /// True while a transaction is open: another connection cannot continue it.
    is_in_transaction: Cell<bool>,
    /// Requests that are sent with the next awaited request, before it and in this order.
    queued: RefCell<Vec<PostgresRequest>>,
    /// Schema version that a reopened connection must find; `None` before the first check.
    version: Option<i64>,
}

/// An open connection with its prepared statements.
struct DatabaseSession {
    client: Client,
    statements: HashMap<String, Statement>,
}

impl PostgresConnection {
    /// Connects to a server.
    pub(crate) fn open(server: &PostgresServer) -> Result<Self> {
        let connection = Self {
            server: server.clone(),
            session: RefCell::default(),
            is_in_transaction: Cell::default(),
            queued: RefCell::default(),
            version: None,
        };
        connection.ensure_connected()?;
        Ok(connection)
    }

    /// Requires this schema version on every later connect.
    pub(crate) fn expect_version(&mut self, version: i64) {
        self.version = Some(version);
    }

    /// Runs a script without values.
    pub(crate) fn batch(&self, sql: &str) -> Result<()> {
        self.send(|_| Ok(vec![PostgresRequest::Script(sql.to_owned())])).map(drop)
    }

    pub(super) fn execute(&self, sql: &str, values: &[DatabaseValue<'_>]) -> Result<usize> {
        let answers = self.send(|session| Ok(vec![session.change(sql, values)?]))?;
        Ok(answers.iter().map(|answer| answer.changed as usize).sum())
    }

    /// Queues a statement, to be sent with the next awaited request.
    pub(super) fn execute_later(&self, sql: &str, values: &[DatabaseValue<'_>]) -> Result<()> {
        let change = self.with_session(|session| session.change(sql, values))?;
        self.queued.borrow_mut().push(change);
        Ok(())
    }

    pub(super) fn query(&self, sql: &str, values: &[DatabaseValue<'_>]) -> Result<Vec<PostgresRow>> {
        Ok(self.query_all(&[(sql, values)])?.pop().unwrap_or_default())
    }

    /// Returns the rows of statements that are all sent before the first answer arrives.
    pub(super) fn query_all(
        &self,
        statements: &[(&str, &[DatabaseValue<'_>])],
    ) -> Result<Vec<Vec<PostgresRow>>> {
        let answers = self.send(|session| {
            statements.iter().map(|(sql, values)| session.query(sql, values)).collect::<Result<Vec<_>>>()
        })?;
        Ok(answers.into_iter().map(|answer| answer.rows.into_iter().map(PostgresRow).collect()).collect())
    }

    /// Runs changes in one exclusive transaction.
    pub(super) fn write<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        self.transaction(BEGIN_WRITE, run)
    }

    /// Runs reads on one snapshot.
    pub(super) fn snapshot<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        self.transaction(BEGIN_READ, run)
    }

    /// Runs a transaction; its `BEGIN` is sent with the first request.
    fn transaction<T>(&self, begin: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
        self.ensure_connected()?;
        self.is_in_transaction.set(true);
        self.queued.replace(vec![PostgresRequest::Script(begin.to_owned())]);
        let result = run().and_then(|value| self.batch("COMMIT").map(|()| value));
        if result.is_err() {
            self.queued.take();
            // A transaction that cannot be rolled back ends with its connection.
            if self.batch("ROLLBACK").is_err() {
                self.session.take();
            }
        }
        self.is_in_transaction.set(false);
        result
    }

    /// Sends the queued requests and then `requests`, and waits for all answers; returns those to `requests`.
    fn send(
        &self,
        requests: impl FnOnce(&mut DatabaseSession) -> Result<Vec<PostgresRequest>>,
    ) -> Result<Vec<PostgresAnswer>> {
        self.with_session(|session| {
            let requests = requests(session)?;
            let mut all = self.queued.take();
            let queued = all.len();
            all.extend(requests);
            Ok(wait(send_all(&session.client, &all))??.split_off(queued))
        })
    }

    /// Records the difference between the clock of the database, `database_ms` in an answer, and the time `sent_at` of its request.
    pub(crate) fn note_clock(sent_at: (Instant, SystemTime), database_ms: i64) {
        let took_ms = sent_at.0.elapsed().as_millis() as i64;
        let sent_ms = sent_at.1.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64);
        if let Some(ahead) = changed_clock_difference(sent_ms, took_ms, database_ms, clock_ahead_ms()) {
            tracing::info!(ahead_ms = ahead, "the clock of the database is another one than this machine's");
            CLOCK_AHEAD_MS.store(ahead, Ordering::Relaxed);
        }
    }

    /// Connects if no connection is open.
    fn ensure_connected(&self) -> Result<()> {
        self.with_session(|_| Ok(()))
    }

    fn with_session<T>(&self, run: impl FnOnce(&mut DatabaseSession) -> Result<T>) -> Result<T> {
        let mut slot = self.session.borrow_mut();
        slot.take_if(|session| session.client.is_closed());
        if slot.is_none() && self.is_in_transaction.get() {
            return Err(DatabaseError::Lost);
        }
        let session = match &mut *slot {
            Some(session) => session,
            none => none.insert(self.connect()?),
        };
        let result = run(session);
        if matches!(result, Err(DatabaseError::TimedOut)) {
            *slot = None;
        }
        result
    }

    fn connect(&self) -> Result<DatabaseSession> {
        let unreachable = |error: DatabaseError| DatabaseError::Unreachable(error.into());
        let client = if self.server.is_encrypted() {
            connect_with(&self.server, DatabaseTls::for_server(&self.server)?)?
        } else {
            connect_with(&self.server, NoTls)?
        };
        wait(client.batch_execute(SETTINGS)).and_then(|set| Ok(set?)).map_err(unreachable)?;
        if let Some(known) = self.version {
            let found = wait(client.query_one(VERSION, &[]))??.try_get(0)?;
            if found != known {
                return Err(DatabaseError::Version { found, known });
            }
        }
        Ok(DatabaseSession { client, statements: HashMap::new() })
    }
}

impl DatabaseSession {
    /// Returns a statement, prepared once per connection. A `?` in statements is always a parameter.
    fn prepare_once(&mut self, sql: &str, values: &[DatabaseValue<'_>]) -> Result<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let types: Vec<Type> = values.iter().map(|value| postgres_type(value.kind())).collect();
        let statement = wait(self.client.prepare_typed(&sql.replace('?', "$"), &types))??;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn change(&mut self, sql: &str, values: &[DatabaseValue<'_>]) -> Result<PostgresRequest> {
        Ok(PostgresRequest::Change(self.prepare_once(sql, values)?, owned_values(values)))
    }

    fn query(&mut self, sql: &str, values: &[DatabaseValue<'_>]) -> Result<PostgresRequest> {
        Ok(PostgresRequest::Query(self.prepare_once(sql, values)?, owned_values(values)))
    }
}

fn connect_with<T>(server: &PostgresServer, tls: T) -> Result<Client>
where
    T: tokio_postgres::tls::MakeTlsConnect<tokio_postgres::Socket, Stream: Send + 'static>,
{
    let connecting = wait(server.config.connect(tls));
    let connecting = connecting.map_err(|error| DatabaseError::Unreachable(error.into()))?;
    let (client, connection) = connecting.map_err(tls::connect_error)?;
    runtime()?.spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(cause = &error as &dyn std::error::Error, "a connection to the database ended");
        }
    });
    Ok(client)
}

/// Returns the milliseconds by which the database clock is ahead, if they differ from `previous`; `None` within the jitter.
fn changed_clock_difference(sent_ms: i64, took_ms: i64, database_ms: i64, previous: i64) -> Option<i64> {
    let ahead = database_ms - sent_ms - took_ms / 2;
    ((ahead - previous).abs() > CLOCK_JITTER_MS + took_ms).then_some(ahead)
}

fn runtime() -> Result<&'static Runtime> {
    RUNTIME.as_ref().map_err(|error| DatabaseError::Unreachable(error.to_string().into()))
}

/// Blocks the calling thread until the answer; the runtime thread delivers it.
fn wait<F: Future>(answer: F) -> Result<F::Output> {
    let _timer = runtime()?.enter();
    #[cfg(test)]
    ROUND_TRIPS.set(ROUND_TRIPS.get() + 1);
    let answer = futures::executor::block_on(async { tokio::time::timeout(ANSWER_TIMEOUT, answer).await });
    answer.map_err(|_| DatabaseError::TimedOut)
}

const fn postgres_type(kind: ValueKind) -> Type {
    match kind {
        ValueKind::Integer => Type::INT8,
        ValueKind::Text => Type::TEXT,
        ValueKind::Bytes => Type::BYTEA,
        ValueKind::OfColumn => Type::UNKNOWN,
    }
}

impl fmt::Debug for PostgresConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresConnection").field(&self.server).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_clock_is_followed_and_the_time_of_an_answer_is_none() {
        // Sent at 1,000, answered 40 ms later: the midpoint is 1,020.
        assert_eq!(changed_clock_difference(1_000, 40, 1_020, 0), None);
        assert_eq!(changed_clock_difference(1_000, 40, 1_120, 0), None);
        assert_eq!(changed_clock_difference(1_000, 40, 61_020, 0), Some(60_000));
        assert_eq!(changed_clock_difference(1_000, 40, 61_020, 60_000), None);
        assert_eq!(changed_clock_difference(100_000, 0, 40_000, 0), Some(-60_000));
        // After a slow answer the difference is too imprecise to be used.
        assert_eq!(changed_clock_difference(1_000, 8_000, 1_000, 0), None);
    }
}
