//! The path of every call, whatever door it came through: tier -> arguments -> run -> reply.
//!
//! Doors adapt this; none has rules of its own.

use std::sync::Arc;

use bytes::Bytes;

use crate::engine::Snapshot;
use crate::error::{ClientError, ErrorKind};
use crate::operation::{Access, Arguments, Catalogue, Operation, Quota, Tier};

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
            return Err(ClientError::new(
                ErrorKind::Internal,
                format!("this operation needs the tier {needed}"),
            ));
        }
        let _ = pairs;
        Err(ClientError::new(ErrorKind::Internal, "not built yet"))
    }

    /// Runs an admitted call; the bytes are the encoded `data` of the envelope.
    ///
    /// # Errors
    /// 404 where an object is asked for and there is none, 503 for a missing table, a deadline or a memory limit.
    pub async fn run(&self, call: &Call) -> Result<Bytes, ClientError> {
        let _ = (&call.snapshot, call.index, &call.arguments);
        Err(ClientError::new(ErrorKind::Internal, "not built yet"))
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
        String::new()
    }

    /// The snapshot that answers.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }
}
