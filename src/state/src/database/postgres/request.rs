//! Requests to PostgreSQL and the encoding of values. Several requests are pipelined, so that they cost one round trip.

use std::pin::Pin;

use bytes::BytesMut;
use futures::future::{MaybeDone, maybe_done};
use tokio_postgres::types::{IsNull, ToSql, Type};
use tokio_postgres::{Client, Error, Row, Statement};

use super::super::value::{AnyValue, DatabaseValue, FromValue as _, ToValue};

pub(super) enum PostgresRequest {
    /// A script without values.
    Script(String),
    /// A statement of which only the number of changed rows is needed.
    Change(Statement, Vec<AnyValue>),
    /// A statement that returns rows.
    Query(Statement, Vec<AnyValue>),
}

#[derive(Default)]
pub(super) struct PostgresAnswer {
    /// Number of changed rows.
    pub(super) changed: u64,
    pub(super) rows: Vec<Row>,
}

/// Sends requests in a pipeline and waits for all answers. Of several errors it returns the first, which caused the others.
pub(super) async fn send_all(
    client: &Client,
    requests: &[PostgresRequest],
) -> Result<Vec<PostgresAnswer>, Error> {
    let mut sent: Vec<_> =
        requests.iter().map(|request| maybe_done(Box::pin(request.answer(client)))).collect();
    for request in &mut sent {
        // The first poll sends it.
        let _ = futures::poll!(request);
    }
    let mut answers = Vec::with_capacity(sent.len());
    for request in &mut sent {
        let mut request: Pin<&mut MaybeDone<_>> = Pin::new(request);
        request.as_mut().await;
        answers.extend(request.take_output());
    }
    answers.into_iter().collect()
}

impl PostgresRequest {
    async fn answer(&self, client: &Client) -> Result<PostgresAnswer, Error> {
        match self {
            Self::Script(sql) => client.batch_execute(sql).await.map(|()| PostgresAnswer::default()),
            Self::Change(statement, values) => {
                let changed = client.execute_raw(statement, values_to_bind(values)).await?;
                Ok(PostgresAnswer { changed, rows: Vec::new() })
            }
            Self::Query(statement, values) => {
                let bound = values_to_bind(values);
                let bound: Vec<_> = bound.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
                Ok(PostgresAnswer { changed: 0, rows: client.query(statement, &bound).await? })
            }
        }
    }
}

fn values_to_bind(values: &[AnyValue]) -> Vec<DatabaseValue<'_>> {
    values.iter().map(AnyValue::value).collect()
}

/// Copies values so that they live until they are sent.
pub(super) fn owned_values(values: &[DatabaseValue<'_>]) -> Vec<AnyValue> {
    values.iter().filter_map(|value| AnyValue::from_value(*value)).collect()
}

impl ToSql for DatabaseValue<'_> {
    fn to_sql(
        &self,
        target: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null(_) => Ok(IsNull::Yes),
            Self::Integer(integer) => integer.to_sql(target, out),
            // PostgreSQL text cannot contain NUL; SQLite's can.
            Self::Text(text) if text.contains('\0') => text.replace('\0', "\u{FFFD}").to_sql(target, out),
            Self::Text(text) => text.to_sql(target, out),
            Self::Bytes(bytes) => bytes.to_sql(target, out),
        }
    }

    fn accepts(target: &Type) -> bool {
        [Type::INT8, Type::TEXT, Type::BYTEA].contains(target)
    }

    tokio_postgres::types::to_sql_checked!();
}
