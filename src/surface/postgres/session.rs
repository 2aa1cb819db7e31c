//! One connection, from its first message to its last: who calls, then statement after statement, in the simple protocol and the extended
//! one. The key is looked up again at each statement, so that one that was revoked ends here as elsewhere.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use pgwire::messages::extendedquery::{Bind, Execute, Parse, TARGET_TYPE_BYTE_STATEMENT};
use pgwire::messages::response::TransactionStatus;
use pgwire::messages::startup::{Authentication, SecretKey};
use pgwire::messages::{
    PgWireBackendMessage as Told, PgWireFrontendMessage as Asked, data, extendedquery, response, startup,
};

use super::answer::{Asking, StatementAnswer};
use super::catalogue::functions::SERVER_VERSION;
use super::copied::copied;
use super::door::PostgresDoor;
use super::failure::{SqlFailure, warning};
use super::kind::PgKind;
use super::login::{SessionEnd, start};
use super::places::ClientPlace;
use super::prepared::{OpenPortal, Prepared, Ran};
use super::statement::{ClientStatement, split};
use super::wire::{Wire, WireError};
use crate::access::Secret;

/// The most prepared statements of a connection, and the most portals in a transaction.
const MOST_PREPARED: usize = 256;
const MOST_PORTALS: usize = 4;

/// A connection whose caller is known.
pub(super) struct ClientSession<'a> {
    door: &'a PostgresDoor,
    wire: Wire,
    place: ClientPlace,
    peer: IpAddr,
    secret: Secret,
    asking: Asking,
    transaction: TransactionStatus,
    prepared: HashMap<String, Prepared>,
    portals: HashMap<String, OpenPortal>,
}

/// Serves a connection until it ends.
pub(super) async fn serve(
    door: &PostgresDoor,
    mut wire: Wire,
    place: ClientPlace,
    peer: IpAddr,
    is_encrypted: bool,
) {
    let started = start(door, &mut wire, peer, is_encrypted);
    let started = tokio::time::timeout(door.times.start, started).await;
    let session = match started.unwrap_or_else(|_| Err(WireError::Idle.into())) {
        Ok(Some((secret, asking))) => ClientSession::new(door, wire, place, peer, secret, asking),
        Ok(None) => return wire.close().await,
        Err(SessionEnd::Wire(error)) => {
            tracing::debug!(%peer, %error, "a connection ended before the password");
            let refused = SqlFailure::fatal("08P01", error.to_string());
            return tell_and_close(wire, &refused).await;
        }
        Err(SessionEnd::Told(refused)) => return tell_and_close(wire, &refused).await,
    };
    session.run().await;
}

async fn tell_and_close(mut wire: Wire, refused: &SqlFailure) {
    let told = refused.told();
    if wire.send(&told).await.is_ok() {
        let _ = wire.flush().await;
    }
    wire.close().await;
}

impl<'a> ClientSession<'a> {
    fn new(
        door: &'a PostgresDoor,
        wire: Wire,
        place: ClientPlace,
        peer: IpAddr,
        secret: Secret,
        asking: Asking,
    ) -> Self {
        let (prepared, portals) = (HashMap::new(), HashMap::new());
        Self {
            door,
            wire,
            place,
            peer,
            secret,
            asking,
            transaction: TransactionStatus::Idle,
            prepared,
            portals,
        }
    }

    /// Answers until the client leaves.
    async fn run(mut self) {
        match self.messages().await {
            Ok(()) => self.wire.close().await,
            Err(SessionEnd::Told(refused)) => tell_and_close(self.wire, &refused).await,
            Err(SessionEnd::Wire(error)) => {
                tracing::debug!(peer = %self.peer, %error, "a connection ended");
                let refused = match error {
                    WireError::Idle => {
                        SqlFailure::fatal("57P05", "nothing was asked for too long; connect again")
                    }
                    other => SqlFailure::fatal("08P01", other.to_string()),
                };
                tell_and_close(self.wire, &refused).await;
            }
        }
    }

    async fn messages(&mut self) -> Result<(), SessionEnd> {
        self.welcome().await?;
        let mut is_skipping = false;
        loop {
            let (idle, ending) = (self.door.times.idle, self.door.ending());
            let message = tokio::select! {
                message = self.wire.next(idle) => message?,
                () = ending => return Err(SqlFailure::fatal("57P01", "the server is ending; connect again").into()),
            };
            let Some(message) = message else { return Ok(()) };
            if is_skipping && !matches!(message, Asked::Sync(_) | Asked::Terminate(_)) {
                continue;
            }
            let done = match message {
                Asked::Terminate(_) => return Ok(()),
                Asked::Sync(_) => {
                    is_skipping = false;
                    if self.transaction == TransactionStatus::Idle {
                        self.portals.clear();
                    }
                    self.ready().await?;
                    self.wire.flush().await.map_err(SessionEnd::from)
                }
                Asked::Flush(_) => self.wire.flush().await.map_err(SessionEnd::from),
                Asked::Query(query) => {
                    let ended = self.simple(&query.query).await;
                    self.told(ended).await?;
                    self.ready().await?;
                    self.wire.flush().await.map_err(SessionEnd::from)
                }
                Asked::Parse(parse) => self.parse(parse).await,
                Asked::Bind(bind) => self.bind(bind).await,
                Asked::Describe(asked) => {
                    self.describe(asked.target_type, asked.name.unwrap_or_default()).await
                }
                Asked::Execute(execute) => self.execute(execute).await,
                Asked::Close(close) => {
                    let name = close.name.unwrap_or_default();
                    if close.target_type == TARGET_TYPE_BYTE_STATEMENT {
                        self.prepared.remove(&name);
                    } else {
                        self.portals.remove(&name);
                    }
                    self.wire
                        .send(&Told::CloseComplete(extendedquery::CloseComplete::new()))
                        .await
                        .map_err(SessionEnd::from)
                }
                // What is sent for a COPY that is no longer there.
                Asked::CopyData(_) | Asked::CopyDone(_) | Asked::CopyFail(_) => Ok(()),
                _ => Err(WireError::Unread.into()),
            };
            if done.is_err() {
                is_skipping = true;
            }
            self.told(done).await?;
        }
    }

    /// Tells what was refused; what is fatal ends the session.
    async fn told(&mut self, ended: Result<(), SessionEnd>) -> Result<(), SessionEnd> {
        match ended {
            Err(SessionEnd::Told(refused)) if !refused.is_fatal => {
                if self.transaction == TransactionStatus::Transaction {
                    self.transaction = TransactionStatus::Error;
                }
                self.wire.send(&refused.told()).await?;
                self.wire.flush().await?;
                Ok(())
            }
            other => other,
        }
    }

    async fn welcome(&mut self) -> Result<(), SessionEnd> {
        let mut secret = [0; 4];
        let key = self.asking.caller.key_number();
        if getrandom::fill(&mut secret).is_err() || !self.place.give(key, secret) {
            let message = "this key has as many connections as it may; end some of them, or use a pool";
            return Err(SqlFailure::fatal("53300", message).into());
        }
        self.wire.send(&Told::Authentication(Authentication::Ok)).await?;
        for (name, value) in [
            ("server_version", SERVER_VERSION),
            ("server_encoding", "UTF8"),
            ("client_encoding", "UTF8"),
            ("DateStyle", "ISO, YMD"),
            ("IntervalStyle", "postgres"),
            ("TimeZone", "UTC"),
            ("integer_datetimes", "on"),
            ("standard_conforming_strings", "on"),
            ("default_transaction_read_only", "on"),
            ("in_hot_standby", "off"),
            ("is_superuser", "off"),
            ("session_authorization", "parquote"),
        ] {
            let status = startup::ParameterStatus::new(name.to_owned(), value.to_owned());
            self.wire.send(&Told::ParameterStatus(status)).await?;
        }
        let secret = SecretKey::I32(i32::from_be_bytes(secret));
        self.wire
            .send(&Told::BackendKeyData(startup::BackendKeyData::new(self.place.number, secret)))
            .await?;
        self.ready().await?;
        self.wire.flush().await?;
        Ok(())
    }

    async fn ready(&mut self) -> Result<(), SessionEnd> {
        let ready = response::ReadyForQuery::new(self.transaction);
        Ok(self.wire.send(&Told::ReadyForQuery(ready)).await?)
    }

    /// All statements of a text, one after the other, until one is refused.
    async fn simple(&mut self, text: &str) -> Result<(), SessionEnd> {
        let statements = split(text);
        if statements.is_empty() {
            self.wire.send(&Told::EmptyQueryResponse(response::EmptyQueryResponse::new())).await?;
        }
        for text in statements {
            let statement = ClientStatement::read(text)?;
            let answer = self.answer(&statement, |asking| {
                let statement = statement.clone();
                async move { asking.answer(&statement, &[], None).await }
            });
            let answer = answer.await?;
            if let StatementAnswer::Rows(rows) = &answer {
                let description = description(&rows.columns, &[]);
                self.wire.send(&description).await?;
            }
            self.send_all(&answer).await?;
        }
        Ok(())
    }

    /// Does what is asked, under a key that still works, until it is cancelled.
    async fn answer<T, F: Future<Output = Result<T, SqlFailure>>>(
        &mut self,
        statement: &ClientStatement,
        ask: impl FnOnce(Asking) -> F,
    ) -> Result<T, SessionEnd> {
        let caller =
            self.door.service.identify([self.secret.reveal()], Some(self.peer)).map_err(|refused| {
                let refused = SqlFailure::of(&refused);
                SqlFailure { is_fatal: true, ..refused }
            })?;
        self.asking.caller = caller;
        if self.transaction == TransactionStatus::Error && !matches!(statement, ClientStatement::End(_)) {
            let message = "a statement of this transaction was refused; end it with ROLLBACK";
            return Err(SqlFailure::new("25P02", message).into());
        }
        let began = Instant::now();
        let asked = tokio::select! {
            asked = ask(self.asking.clone()) => asked,
            () = self.place.cancelled.notified() => {
                Err(SqlFailure::new("57014", "the statement was cancelled; what it took is paid"))
            }
        };
        tracing::info!(
            key = self.asking.caller.key_number(),
            from = %self.peer,
            asked = statement.word(),
            state = asked.as_ref().err().map_or("00000", |refused| refused.state),
            microseconds = began.elapsed().as_micros() as u64,
            "statement"
        );
        let asked = asked?;
        match statement {
            ClientStatement::Begin => self.transaction = TransactionStatus::Transaction,
            ClientStatement::End(_) => {
                self.transaction = TransactionStatus::Idle;
                self.portals.clear();
            }
            ClientStatement::Forget(_) => self.prepared.clear(),
            _ => {}
        }
        Ok(asked)
    }

    /// All rows of an answer as texts, and what ends it.
    async fn send_all(&mut self, answer: &StatementAnswer) -> Result<(), SessionEnd> {
        match answer {
            StatementAnswer::Empty => {
                self.wire.send(&Told::EmptyQueryResponse(response::EmptyQueryResponse::new())).await?;
            }
            StatementAnswer::Done(tag) => self.complete((*tag).to_owned()).await?,
            StatementAnswer::Rows(rows) => {
                let mut ran = Ran::default();
                // Without a bound on them all rows are sent.
                ran.send(&mut self.wire, rows, &[], usize::MAX).await?;
                self.ended(rows.tag, ran.sent, rows.warning.as_deref()).await?;
            }
            StatementAnswer::Copied(rows, form) => {
                let count = copied(&mut self.wire, rows, *form).await?;
                self.ended("COPY", count, rows.warning.as_deref()).await?;
            }
        }
        Ok(())
    }

    async fn ended(&mut self, tag: &str, rows: usize, told: Option<&str>) -> Result<(), SessionEnd> {
        if let Some(told) = told {
            self.wire.send(&warning(told)).await?;
        }
        self.complete(if tag == "SHOW" { tag.to_owned() } else { format!("{tag} {rows}") }).await
    }

    async fn complete(&mut self, tag: String) -> Result<(), SessionEnd> {
        Ok(self.wire.send(&Told::CommandComplete(response::CommandComplete::new(tag))).await?)
    }

    async fn parse(&mut self, parse: Parse) -> Result<(), SessionEnd> {
        let name = parse.name.unwrap_or_default();
        if self.prepared.len() >= MOST_PREPARED && !self.prepared.contains_key(&name) {
            let message =
                format!("{MOST_PREPARED} statements are prepared on this connection; close some of them");
            return Err(SqlFailure::new("53400", message).into());
        }
        let statement = Arc::new(ClientStatement::read(&parse.query)?);
        self.prepared.insert(name, Prepared { statement, oids: parse.type_oids, shape: None, entered: None });
        Ok(self.wire.send(&Told::ParseComplete(extendedquery::ParseComplete::new())).await?)
    }

    async fn bind(&mut self, bind: Bind) -> Result<(), SessionEnd> {
        let name = bind.statement_name.clone().unwrap_or_default();
        let prepared = self.prepared.get(&name).ok_or_else(|| unknown(&name))?;
        if prepared.needs_shape(&bind) {
            self.shape(&name).await?;
        }
        let prepared = self.prepared.get_mut(&name).ok_or_else(|| unknown(&name))?;
        let portal = prepared.bound(&bind)?;
        let place = bind.portal_name.unwrap_or_default();
        if self.portals.len() >= MOST_PORTALS && !self.portals.contains_key(&place) {
            let message = format!("{MOST_PORTALS} portals are open in this transaction; close some of them");
            return Err(SqlFailure::new("53400", message).into());
        }
        self.portals.insert(place, portal);
        Ok(self.wire.send(&Told::BindComplete(extendedquery::BindComplete::new())).await?)
    }

    /// Finds out what a prepared statement takes and answers, once.
    async fn shape(&mut self, name: &str) -> Result<(), SessionEnd> {
        let prepared = self.prepared.get(name).ok_or_else(|| unknown(name))?;
        if prepared.shape.is_some() {
            return Ok(());
        }
        let statement = Arc::clone(&prepared.statement);
        let asked = Arc::clone(&statement);
        let (shape, entered) =
            self.answer(&statement, |asking| async move { asking.shape(&asked).await }).await?;
        if let Some(prepared) = self.prepared.get_mut(name) {
            prepared.shape = Some(shape);
            prepared.entered = entered;
        }
        Ok(())
    }

    async fn describe(&mut self, target: u8, name: String) -> Result<(), SessionEnd> {
        if target == TARGET_TYPE_BYTE_STATEMENT {
            self.shape(&name).await?;
            let prepared = self.prepared.get(&name).ok_or_else(|| unknown(&name))?;
            let oids = data::ParameterDescription::new(prepared.value_types());
            let columns = prepared.shape.as_ref().and_then(|shape| shape.columns.as_deref());
            let description = columns.map_or_else(no_data, |columns| description(columns, &[]));
            self.wire.send(&Told::ParameterDescription(oids)).await?;
            return Ok(self.wire.send(&description).await?);
        }
        self.started(&name).await?;
        let portal = self.portals.get(&name).ok_or_else(|| unknown(&name))?;
        let description = match &portal.answer {
            Some(StatementAnswer::Rows(rows)) => description(&rows.columns, &portal.formats),
            _ => no_data(),
        };
        Ok(self.wire.send(&description).await?)
    }

    /// Runs the statement of a portal, unless it ran already: whoever asks for its columns gets those that its rows have.
    async fn started(&mut self, name: &str) -> Result<(), SessionEnd> {
        let portal = self.portals.get_mut(name).ok_or_else(|| unknown(name))?;
        if portal.answer.is_some() {
            return Ok(());
        }
        let (statement, values) = (Arc::clone(&portal.statement), std::mem::take(&mut portal.values));
        let entered = portal.entered.take();
        let asked = Arc::clone(&statement);
        let answer = self
            .answer(&statement, |asking| async move { asking.answer(&asked, &values, entered).await })
            .await?;
        // The end of a transaction closes its portals, this one too.
        let portal = self.portals.entry(name.to_owned()).or_insert_with(|| OpenPortal::of(statement));
        portal.answer = Some(answer);
        Ok(())
    }

    async fn execute(&mut self, execute: Execute) -> Result<(), SessionEnd> {
        let name = execute.name.unwrap_or_default();
        self.started(&name).await?;
        let mut portal = self.portals.remove(&name).ok_or_else(|| unknown(&name))?;
        let most = usize::try_from(execute.max_rows).ok().filter(|most| *most > 0).unwrap_or(usize::MAX);
        match &portal.answer {
            Some(StatementAnswer::Rows(rows)) => {
                let before = portal.ran.sent;
                let ended = portal.ran.send(&mut self.wire, rows, &portal.formats, most).await?;
                if ended {
                    self.ended(rows.tag, portal.ran.sent - before, rows.warning.as_deref()).await?;
                } else {
                    self.wire.send(&Told::PortalSuspended(extendedquery::PortalSuspended::new())).await?;
                }
            }
            Some(answer) => self.send_all(answer).await?,
            None => {}
        }
        self.portals.insert(name, portal);
        Ok(())
    }
}

fn unknown(name: &str) -> SqlFailure {
    let name: String = name.chars().take(64).collect();
    SqlFailure::new("26000", format!("there is no prepared statement or portal `{name}` on this connection"))
}

fn no_data() -> Told {
    Told::NoData(data::NoData::new())
}

/// The columns of rows, in these formats: none for text, one for all, or one of each.
fn description(columns: &[(String, PgKind)], formats: &[i16]) -> Told {
    let fields = columns.iter().enumerate().map(|(at, (name, kind))| {
        let format = super::prepared::format_of(formats, at);
        data::FieldDescription::new(name.clone(), 0, 0, kind.oid(), kind.length(), -1, format)
    });
    Told::RowDescription(data::RowDescription::new(fields.collect()))
}

impl Ran {
    /// Sends so many of the rows that were not sent yet. Whether those were all.
    pub(super) async fn send(
        &mut self,
        wire: &mut Wire,
        rows: &super::answer::AnsweredRows,
        formats: &[i16],
        most: usize,
    ) -> Result<bool, WireError> {
        let mut left = rows.from(self.sent);
        for _ in 0..most {
            let Some(row) = left.next() else { return Ok(true) };
            let mut cells = BytesMut::new();
            for (at, (cell, (_, kind))) in row.iter().zip(&rows.columns).enumerate() {
                kind.write(cell, super::prepared::format_of(formats, at) == 1, &mut cells);
            }
            wire.send(&Told::DataRow(data::DataRow::new(cells, rows.columns.len() as i16))).await?;
            self.sent += 1;
        }
        Ok(left.next().is_none())
    }
}
