//! The path of every call, whatever door it came through: tier -> arguments -> run -> reply.
//!
//! Doors adapt this; none has rules of its own.

use std::sync::Arc;

use bytes::Bytes;

use crate::engine::{EngineError, Snapshot, Spelling};
use crate::error::{ClientError, ErrorKind};
use crate::operation::{Access, Arguments, Catalogue, Market, Operation, Quota, Tier, Value};

/// What the doors call: the catalogue and the present snapshot.
pub struct Service {
    catalogue: Arc<Catalogue>,
    snapshot: arc_swap::ArcSwap<Snapshot>,
}

/// Who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// The tier of the key.
    pub tier: Tier,
    /// What is left of its allowance.
    pub remaining: Quota,
}

/// A call whose arguments are parsed and admitted; it has done no work yet.
pub struct Call {
    snapshot: Arc<Snapshot>,
    index: usize,
    market: Market,
    arguments: Arguments,
}

impl Service {
    /// A service that answers from this snapshot.
    pub fn new(catalogue: Arc<Catalogue>, snapshot: Snapshot) -> Self {
        Self { catalogue, snapshot: arc_swap::ArcSwap::from_pointee(snapshot) }
    }

    /// All operations and tables.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    /// The present snapshot; a request takes it once and keeps it.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Admits a call of the operation at this place in the catalogue: tier, then arguments.
    ///
    /// # Errors
    /// 400 naming every violation, 404 for a symbol that the market does not have.
    pub fn admit<'a>(
        &self,
        index: usize,
        caller: Caller,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Call, ClientError> {
        let operation = self.operation(index)?;
        if let Access::From(needed) = operation.access
            && !caller.tier.reaches(needed)
        {
            let message =
                format!("this operation needs the tier {needed} or higher; this key has {}", caller.tier);
            return Err(ClientError::new(ErrorKind::Forbidden, message));
        }
        let arguments = Arguments::parse(operation, caller.tier, pairs).map_err(|violations| {
            let messages: Vec<String> = violations.into_iter().map(|violation| violation.message).collect();
            ClientError::new(ErrorKind::BadRequest, messages.join("; "))
        })?;
        let snapshot = self.snapshot();
        let mut call = Call { snapshot, index, market: operation.market, arguments };
        call.check_dates(operation)?;
        call.look_up(operation)?;
        call.check_symbol(operation)?;
        Ok(call)
    }

    /// Runs an admitted call; the bytes are the encoded `data` of the envelope.
    ///
    /// # Errors
    /// 404 where an object is asked for and there is none, 503 for a missing table, a deadline or a memory limit.
    pub async fn run(&self, call: &Call) -> Result<Bytes, ClientError> {
        let operation = self.operation(call.index)?;
        let answer = call.snapshot.answer(call.index, &call.arguments).await.map_err(unanswered)?;
        answer.ok_or_else(|| {
            let what =
                call.arguments.symbol(operation).map_or_else(String::new, |symbol| format!(" for {symbol}"));
            ClientError::new(ErrorKind::NotFound, format!("there is no data{what} here in this snapshot"))
        })
    }

    fn operation(&self, index: usize) -> Result<&Operation, ClientError> {
        self.catalogue
            .operations()
            .get(index)
            .ok_or_else(|| ClientError::new(ErrorKind::Internal, "there is no such operation"))
    }
}

impl Caller {
    /// The caller that everyone is while there are no keys: the highest tier, nothing counted.
    pub const fn unmetered() -> Self {
        Self { tier: Tier::ApiMax, remaining: Tier::ApiMax.quota() }
    }
}

impl Call {
    /// The entity tag: snapshot, operation and arguments, quoted as HTTP wants it.
    pub fn etag(&self) -> String {
        const LENGTH: usize = 24;
        let mut hash = blake3::Hasher::new();
        hash.update(self.snapshot.id().as_bytes());
        hash.update(&self.index.to_le_bytes());
        hash.update(self.arguments.canonical().as_bytes());
        let hex = hash.finalize().to_hex();
        format!("\"{}\"", hex.get(..LENGTH).unwrap_or_default())
    }

    /// The snapshot that answers.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// The market that is asked.
    pub fn market(&self) -> Market {
        self.market
    }

    /// A date after the data or before it is refused with the range that there is; a range from-to only if it is none.
    fn check_dates(&self, operation: &Operation) -> Result<(), ClientError> {
        let refuse = |message| Err(ClientError::new(ErrorKind::BadRequest, message));
        let date = |name: &str| match self.arguments.get(operation, name) {
            Some(Value::Date(date)) => Some(*date),
            _ => None,
        };
        if let (Some(from), Some(to)) = (date("from"), date("to"))
            && from > to
        {
            return refuse(format!("`from`: {from} is after `to`, {to}"));
        }
        let (Some(first), Some(last)) =
            (self.snapshot.first_session(self.market), self.snapshot.as_of(self.market))
        else {
            return Ok(());
        };
        for (param, date) in self.arguments.dates(operation) {
            let bounds = matches!(param.name.as_str(), "from" | "to");
            if !bounds && !(first..=last).contains(&date) {
                return refuse(format!(
                    "`{}`: {date} is outside the data; allowed is {first} to {last}",
                    param.name
                ));
            }
        }
        Ok(())
    }

    /// Values that must stand in a table are spelt as there; unknown ones are refused with the nearest that it has.
    fn look_up(&mut self, operation: &Operation) -> Result<(), ClientError> {
        for (place, param) in operation.params.iter().enumerate() {
            let (Some(lookup), Some(Value::Text(asked))) =
                (&param.lookup, self.arguments.get(operation, &param.name))
            else {
                continue;
            };
            match self.snapshot.spelling(self.market, &lookup.table, asked) {
                Spelling::Unchecked => {}
                Spelling::Known(spelling) => self.arguments.spell(place, spelling),
                Spelling::Unknown => {
                    let near = self.snapshot.nearest(self.market, &lookup.table, asked).join(", ");
                    let hint = if near.is_empty() { String::new() } else { format!("; near it are {near}") };
                    let kind = if lookup.names { ErrorKind::NotFound } else { ErrorKind::BadRequest };
                    let message = format!("`{}`: there is no `{asked}` in this market{hint}", param.name);
                    return Err(ClientError::new(kind, message));
                }
            }
        }
        Ok(())
    }

    /// A symbol that the market does not have is refused with the nearest that it has.
    fn check_symbol(&self, operation: &Operation) -> Result<(), ClientError> {
        let Some(symbol) = self.arguments.symbol(operation) else { return Ok(()) };
        if self.snapshot.has_symbol(self.market, symbol) != Some(false) {
            return Ok(());
        }
        let near = self.snapshot.nearest(self.market, "companies", symbol);
        let search = if self.market == Market::Us { "/us/companies?query=" } else { "/companies?q=" };
        let hint = if near.is_empty() { String::new() } else { format!("; near it are {}", near.join(", ")) };
        let message = format!("`{symbol}` is not a symbol of this market{hint}; search with {search}");
        Err(ClientError::new(ErrorKind::NotFound, message))
    }
}

/// What a client is told when the engine could not answer.
fn unanswered(error: EngineError) -> ClientError {
    let (kind, message) = match &error {
        EngineError::MissingTables { .. } => (ErrorKind::Unavailable, error.to_string()),
        EngineError::Deadline { .. } | EngineError::Memory { .. } => {
            (ErrorKind::Unavailable, format!("{error}; narrow the request or try again later"))
        }
        _ => (
            ErrorKind::Internal,
            "the server failed to answer; the fault is logged under this request's id".to_owned(),
        ),
    };
    ClientError::caused(kind, message, error)
}
