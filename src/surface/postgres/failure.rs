//! What a client of Postgres is told of a refusal: its code of SQL, and the words that every other door has.

use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::response::{ErrorResponse, NoticeResponse};

use crate::error::{ClientError, ErrorKind};

/// A refusal.
#[derive(Debug)]
pub(super) struct SqlFailure {
    /// The code of SQL.
    pub state: &'static str,
    /// The words.
    pub message: String,
    /// Whether the connection ends with it.
    pub is_fatal: bool,
}

impl SqlFailure {
    /// A refusal of a statement.
    pub(super) fn new(state: &'static str, message: impl Into<String>) -> Self {
        Self { state, message: message.into(), is_fatal: false }
    }

    /// A refusal that ends the connection.
    pub(super) fn fatal(state: &'static str, message: impl Into<String>) -> Self {
        Self { state, message: message.into(), is_fatal: true }
    }

    /// A refusal of a call.
    pub(super) fn of(refused: &ClientError) -> Self {
        let state = refused.sql_state.unwrap_or(match refused.kind {
            ErrorKind::BadRequest => "22023",
            ErrorKind::Unauthorized => "28P01",
            ErrorKind::Forbidden => "42501",
            ErrorKind::NotFound | ErrorKind::NoData | ErrorKind::Gone | ErrorKind::MethodNotAllowed => {
                "42P01"
            }
            ErrorKind::TooManyRequests => "53400",
            ErrorKind::Unavailable => "53000",
            ErrorKind::Overrun => "57014",
            ErrorKind::Internal => "XX000",
        });
        Self::new(state, &*refused.message)
    }

    /// The message of the protocol.
    pub(super) fn told(&self) -> PgWireBackendMessage {
        let severity = if self.is_fatal { "FATAL" } else { "ERROR" };
        PgWireBackendMessage::ErrorResponse(ErrorResponse::new(fields(severity, self.state, &self.message)))
    }
}

/// A warning, which stops nothing.
pub(super) fn warning(message: &str) -> PgWireBackendMessage {
    PgWireBackendMessage::NoticeResponse(NoticeResponse::new(fields("WARNING", "01000", message)))
}

fn fields(severity: &str, state: &str, message: &str) -> Vec<(u8, String)> {
    /// What a message holds at most, so that every client takes it.
    const LONGEST: usize = 4_000;
    let message = message.chars().filter(|c| *c != '\0').take(LONGEST).collect();
    let severity = severity.to_owned();
    vec![(b'S', severity.clone()), (b'V', severity), (b'C', state.to_owned()), (b'M', message)]
}
