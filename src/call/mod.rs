//! The path of every call, whatever door it came through: key -> tier -> quota -> arguments -> run -> reply.
//!
//! Doors adapt this; none has rules of its own. A door identifies the caller, enters, admits, runs, and settles what the
//! call cost; each step needs what the one before it gave, so that none can be left out.

mod answering;
mod checks;
mod fair_queue;
mod query_threads;
mod tools;
mod visit;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};

use self::answering::Answering;
pub use self::query_threads::{QueryThreadSettings, QueryThreads};
pub use self::tools::Tools;
pub use self::visit::Visit;
use crate::access::{AccessError, Allowance, Gate, Key};
use crate::engine::{Encoded, Snapshot};
use crate::error::{ClientError, ErrorKind};
use crate::native::{Natives, Owner};
use crate::operation::{
    Access, Arguments, Catalogue, Form, Market, Offer, Operation, Presentation, Tier, Violation,
};
use crate::refresh::{Snapshots, Unfound};
use crate::set::Reference;

/// The name of the one operation that is no call: a health payload which is the same for everyone.
pub const STATUS: &str = "status";

/// Whose the things are that a caller without a key keeps: whoever sits at the machine itself.
pub const LOCAL_OWNER: &str = "local";

/// The version of the contract: of routes, parameters and answers. The program has a version of its own.
pub const CONTRACT_VERSION: &str = "1.0.0";

/// The health payload: static, as the contract has it, and the version of the program as `build`.
pub const HEALTH: &str = concat!(
    r#"{"status":"ok","version":"1.0.0","service":"parquote","docs":"/v1/docs","build":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}"#
);

/// What the doors call: the catalogue, the present snapshot, and the gate before them.
pub struct Service {
    catalogue: Arc<Catalogue>,
    snapshots: Arc<Snapshots>,
    gate: Option<Arc<Gate>>,
    natives: Arc<Natives>,
    /// `None` where there is one caller, who has all threads.
    threads: Option<Arc<QueryThreads>>,
}

/// Who calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    tier: Tier,
    /// `None` where nothing is counted.
    key: Option<Arc<Key>>,
}

/// What a door offers for a call, and what it was told beside the call's own arguments.
#[derive(Debug, Clone, Copy)]
pub struct CallOptions<'a> {
    /// The forms that the door can hand out.
    pub offer: Offer,
    /// The set to which the caller is pinned, unless an argument names another.
    pub pin: Option<&'a str>,
}

impl CallOptions<'_> {
    /// A call that is pinned to no set.
    pub const fn of(offer: Offer) -> Self {
        Self { offer, pin: None }
    }
}

/// How the arguments of an operation are read.
type Parse = fn(&Operation, Tier, &[(&str, &str)]) -> Result<Arguments, Vec<Violation>>;

/// A call whose arguments are parsed and admitted; it has done no work yet.
#[derive(Clone)]
pub struct Call {
    snapshot: Arc<Snapshot>,
    index: usize,
    market: Market,
    arguments: Arguments,
    presentation: Presentation,
    caller: Caller,
    /// When it was admitted: what an answer says of the present is said of this moment.
    at: DateTime<Utc>,
}

impl Service {
    /// A service that answers from this snapshot, to whoever asks: it knows no keys.
    pub fn new(catalogue: Arc<Catalogue>, snapshot: Snapshot) -> Self {
        Self::over(catalogue, Arc::new(Snapshots::fixed(snapshot)))
    }

    /// The same over snapshots that somebody replaces.
    pub fn over(catalogue: Arc<Catalogue>, snapshots: Arc<Snapshots>) -> Self {
        Self { catalogue, snapshots, gate: None, natives: Arc::new(Natives::of_tables()), threads: None }
    }

    /// The same service behind a gate: only to those with a key, and as often as that allows.
    #[must_use]
    pub fn behind(self, gate: Arc<Gate>) -> Self {
        Self { gate: Some(gate), ..self }
    }

    /// The same service with the operations that are answered by Rust functions.
    #[must_use]
    pub fn with_natives(self, natives: Arc<Natives>) -> Self {
        Self { natives, ..self }
    }

    /// The same service with its queries on threads of their own, where callers take turns.
    #[must_use]
    pub fn on_threads(self, threads: Arc<QueryThreads>) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// All operations and tables.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    /// The present snapshot; a request takes it once and keeps it.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshots.current()
    }

    /// Who presents these keys, from this address if it is known.
    ///
    /// # Errors
    /// 401 for no key or one that does not work, 400 for several that differ, 429 for too many wrong ones.
    pub fn identify(
        &self,
        keys: impl IntoIterator<Item: AsRef<str>>,
        from: Option<IpAddr>,
    ) -> Result<Caller, ClientError> {
        let Some(gate) = &self.gate else { return Ok(Caller::unmetered()) };
        let key = gate.identify(keys, from).map_err(|refused| not_let_in(&refused))?;
        Ok(Caller { tier: key.tier, key: Some(key) })
    }

    /// The allowance of a caller now.
    pub fn allowance(&self, caller: &Caller) -> Allowance {
        match (&self.gate, &caller.key) {
            (Some(gate), Some(key)) => gate.allowance(key),
            _ => Allowance { limit: caller.tier.quota(), left: caller.tier.quota() },
        }
    }

    /// Lets a caller in to the operation at this place in the catalogue, and takes what a call costs.
    ///
    /// # Errors
    /// 403 naming the tier that is needed, 429 with the time after which there is room again.
    pub fn enter(&self, index: usize, caller: &Caller) -> Result<Visit, ClientError> {
        let operation = self.operation(index)?;
        if let Access::From(needed) = operation.access
            && !caller.tier.reaches(needed)
        {
            let message =
                format!("this operation needs the tier {needed} or higher; this key has {}", caller.tier);
            return Err(ClientError::new(ErrorKind::Forbidden, message));
        }
        let (Some(gate), Some(key)) = (&self.gate, &caller.key) else {
            return Ok(Visit::free(index, caller.clone(), self.allowance(caller)));
        };
        let reserved = gate.reserve(key, operation.cost).map_err(|refused| not_let_in(&refused))?;
        Ok(Visit::counted(index, caller.clone(), Arc::clone(gate), reserved))
    }

    /// Counts a request that reached no operation and was told so, as one; where nothing is left, it is told all the same.
    pub fn count_lost(&self, caller: &Caller) {
        if let (Some(gate), Some(key)) = (&self.gate, &caller.key) {
            let _ = gate.reserve(key, 1);
        }
    }

    /// Admits the arguments of a visitor's call, among them the form and the fields of the answer; the door says which
    /// forms it can hand out.
    ///
    /// # Errors
    /// 400 naming every violation, 410 for a set that is not kept, 403 for a symbol that the key does not see, 404 for one
    /// that the market does not have.
    pub async fn admit<'a>(
        &self,
        visit: &Visit,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        asked: CallOptions<'_>,
    ) -> Result<Call, ClientError> {
        let parse: Parse = |operation, tier, pairs| Arguments::parse(operation, tier, pairs.iter().copied());
        let (operation, arguments, presentation) = self.parsed(visit, pairs, asked.offer, parse)?;
        self.admitted(visit, operation, arguments, presentation, asked.pin).await
    }

    /// As [`Service::admit`] for the operation as a tool: what is REST's alone is no parameter of it.
    ///
    /// # Errors
    /// As [`Service::admit`].
    pub async fn admit_tool<'a>(
        &self,
        visit: &Visit,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        asked: CallOptions<'_>,
    ) -> Result<Call, ClientError> {
        let parse: Parse =
            |operation, tier, pairs| Arguments::parse_tool(operation, tier, pairs.iter().copied());
        let (operation, arguments, presentation) = self.parsed(visit, pairs, asked.offer, parse)?;
        self.admitted(visit, operation, arguments, presentation, asked.pin).await
    }

    fn parsed<'a>(
        &self,
        visit: &Visit,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        offer: Offer,
        parse: Parse,
    ) -> Result<(&Operation, Arguments, Presentation), ClientError> {
        let operation = self.operation(visit.index())?;
        let (shared, own): (Vec<_>, Vec<_>) =
            pairs.into_iter().partition(|(name, _)| operation.is_presented_with(name));
        let read = (parse(operation, visit.tier(), &own), Presentation::parse(&shared, offer));
        match read {
            (Ok(arguments), Ok(presentation)) => Ok((operation, arguments, presentation)),
            (arguments, presentation) => {
                let of_both = [arguments.err(), presentation.err()];
                Err(invalid(of_both.into_iter().flatten().flatten()))
            }
        }
    }

    async fn admitted(
        &self,
        visit: &Visit,
        operation: &Operation,
        arguments: Arguments,
        presentation: Presentation,
        pin: Option<&str>,
    ) -> Result<Call, ClientError> {
        let market = operation.market_of(&arguments);
        let asked = presentation.snapshot().map(|asked| reference("`snapshot`", asked)).transpose()?;
        // A header that is wrong is refused even where the argument wins.
        let pin = pin.map(|pin| reference("the header X-Snapshot", pin)).transpose()?;
        let snapshot = match asked.or(pin) {
            // Boxed: few calls ask for a set, and all would carry the room for it.
            Some(asked) => Box::pin(self.pinned(market, asked)).await?,
            None => self.snapshot(),
        };
        let mut call = Call {
            snapshot,
            index: visit.index(),
            market,
            arguments,
            presentation,
            caller: visit.caller().clone(),
            at: Utc::now(),
        };
        call.check_fields(operation)?;
        call.check_dates(operation)?;
        call.check_free_symbol(operation, visit.tier())?;
        call.look_up(operation)?;
        call.check_symbols(operation)?;
        Ok(call)
    }

    /// The snapshot of the set that a caller asks for.
    async fn pinned(
        &self,
        market: Market,
        (told_by, reference): (&str, Reference),
    ) -> Result<Arc<Snapshot>, ClientError> {
        self.snapshots.find(market, &reference).await.map_err(|unfound| match &unfound {
            Unfound::Gone { .. } => ClientError::new(ErrorKind::Gone, format!("{told_by}: {unfound}")),
            Unfound::Broken { .. } => {
                ClientError::caused(ErrorKind::Unavailable, format!("{told_by}: {unfound}"), unfound)
            }
        })
    }

    /// As [`Service::run`], given up after a time, which the wait in a queue is part of.
    ///
    /// # Errors
    /// As [`Service::run`], and 503 when the time is over.
    pub async fn run_within(&self, call: &Call, deadline: Duration) -> Result<Encoded, ClientError> {
        tokio::time::timeout(deadline, self.run(call)).await.unwrap_or_else(|elapsed| {
            let message = format!(
                "the answer took longer than {} s; ask for less or try again",
                deadline.as_secs_f64()
            );
            Err(ClientError::caused(ErrorKind::Overrun, message, elapsed))
        })
    }

    /// Runs an admitted call; its answer comes in the form that was asked for. One that is kept is answered at once, a quick
    /// query where the caller is, and all others on the threads of queries.
    ///
    /// # Errors
    /// 404 where an object is asked for and there is none, 503 for a missing table, a deadline, a memory limit or a queue that
    /// is full.
    pub async fn run(&self, call: &Call) -> Result<Encoded, ClientError> {
        if let Some(kept) = call.kept() {
            return Ok(kept);
        }
        let answering = Answering {
            catalogue: Arc::clone(&self.catalogue),
            natives: Arc::clone(&self.natives),
            call: call.clone(),
        };
        let Some(threads) = &self.threads else { return answering.answer().await };
        if call.is_quick()
            && let Some(_turn) = threads.quick()
        {
            return answering.answer().await;
        }
        if answering.waits_for_others() {
            return threads.run_waiting(async move { answering.answer().await }).await;
        }
        let key = call.caller.key.as_ref().map(|key| key.id);
        threads.run(key, async move { answering.answer().await }).await
    }

    fn operation(&self, index: usize) -> Result<&Operation, ClientError> {
        self.catalogue
            .operations()
            .get(index)
            .ok_or_else(|| ClientError::new(ErrorKind::Internal, "there is no such operation"))
    }
}

impl Caller {
    /// A caller of the highest tier of whom nothing is counted: whoever sits at the machine itself.
    pub const fn unmetered() -> Self {
        Self { tier: Tier::ApiMax, key: None }
    }

    /// The tier of the key.
    pub const fn tier(&self) -> Tier {
        self.tier
    }

    /// The number of the key; `None` for whoever sits at the machine itself.
    pub fn key_number(&self) -> Option<i64> {
        self.key.as_ref().map(|key| key.id)
    }

    /// Who owns what the caller keeps here.
    pub(crate) fn owner(&self) -> Owner {
        match &self.key {
            Some(key) => Owner { name: Arc::clone(&key.owner), key: Some(key.id), tier: self.tier },
            None => Owner { name: LOCAL_OWNER.into(), key: None, tier: self.tier },
        }
    }
}

impl Call {
    /// The entity tag: snapshot, operation, arguments and presentation, quoted as HTTP wants it.
    pub fn etag(&self) -> String {
        const LENGTH: usize = 24;
        let mut hash = blake3::Hasher::new();
        hash.update(&self.index.to_le_bytes());
        hash.update(self.snapshot.answer_tag(self.index, &self.arguments).as_bytes());
        hash.update(self.arguments.canonical().as_bytes());
        hash.update(self.snapshot.clock_facts(self.index, &self.arguments, self.at).as_bytes());
        hash.update(self.presentation.canonical().as_bytes());
        let hex = hash.finalize().to_hex();
        format!("\"{}\"", hex.get(..LENGTH).unwrap_or_default())
    }

    /// Whether the same call gives the same answer until the data changes, so that who has it need not get it again.
    pub fn is_repeatable(&self, catalogue: &Catalogue) -> bool {
        catalogue.operations().get(self.index).is_some_and(Operation::is_read)
    }

    /// Its answer, if it is kept from an earlier call.
    fn kept(&self) -> Option<Encoded> {
        self.snapshot.kept(self.index, &self.arguments, &self.presentation, self.at)
    }

    /// Whether calls like it were quick lately.
    fn is_quick(&self) -> bool {
        self.snapshot.is_quick(self.index, &self.arguments, &self.presentation)
    }

    /// The form of its answer.
    pub fn form(&self) -> Form {
        self.presentation.form()
    }

    /// The snapshot that answers.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// The market that is asked.
    pub fn market(&self) -> Market {
        self.market
    }
}

/// The set that a text names, with the words for where it stands.
fn reference<'a>(told_by: &'a str, asked: &str) -> Result<(&'a str, Reference), ClientError> {
    let reference = Reference::parse(asked).ok_or_else(|| {
        let message = format!("{told_by}: `{asked}` is no set; write {}", Reference::FORM);
        ClientError::new(ErrorKind::BadRequest, message)
    })?;
    Ok((told_by, reference))
}

/// What a client is told of arguments that are not right: all of it at once.
fn invalid(violations: impl Iterator<Item = Violation>) -> ClientError {
    let violations: Vec<_> = violations.map(|Violation { param, message }| (param, message)).collect();
    let messages: Vec<&str> = violations.iter().map(|(_, message)| message.as_str()).collect();
    let error = ClientError::new(ErrorKind::BadRequest, messages.join("; "));
    ClientError { violations, ..error }
}

/// What a client is told whom the gate does not let in.
fn not_let_in(refused: &AccessError) -> ClientError {
    let (kind, after) = match refused {
        AccessError::Missing | AccessError::Unknown | AccessError::Revoked | AccessError::Expired => {
            (ErrorKind::Unauthorized, None)
        }
        AccessError::Differ => (ErrorKind::BadRequest, None),
        AccessError::Failures { retry_after_s }
        | AccessError::Day { retry_after_s, .. }
        | AccessError::Hour { retry_after_s, .. } => (ErrorKind::TooManyRequests, Some(*retry_after_s)),
    };
    ClientError { retry_after_s: after, ..ClientError::new(kind, refused.to_string()) }
}
