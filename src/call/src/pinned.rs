//! Sets that callers request, by `snapshot=` or by a header: found open, revalidated by their manifest only, or opened.
//!
//! Opening one takes seconds and much memory. It has a price in addition to that of the call, happens within the call's deadline, and is
//! queued: one set is opened at a time, and owners take turns. An opening goes on even if its caller is gone, for later callers.

use std::sync::Arc;

use chrono::Utc;

use super::admitted::{DataVersion, is_invented};
use super::fair_queue::{FairQueue, QueueFull, QueueLimits, RunPermit};
use super::hints::{Hints, OperationNaming};
use super::not_let_in::not_let_in;
use super::unchecked::UncheckedCall;
use super::{CallOptions, MeteredCall, Parse, PublicTiers, Service};
use parquote_catalogue::error::{ClientError, ErrorKind, LimitMet};
use parquote_catalogue::operation::{Arguments, Market, Presentation};
use parquote_engine::{Deadline, Snapshot};
use parquote_refresh::{FoundSet, SnapshotUnavailable, Snapshots};
use parquote_set::{Reference, Set};

/// Cost of opening a set in addition to that of the call, in requests.
const OPENING_COST: u32 = 5;

/// Limits on calls that open sets and wait for that.
const OPENINGS: QueueLimits =
    QueueLimits { running: 1, running_per_key: 1, waiting_per_key: 32, waiting: 128 };

/// A call whose answer its caller has already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnchangedAnswer {
    /// Entity tag of the answer, quoted.
    pub entity_tag: String,
    /// Version of the data that answered.
    pub provenance: DataVersion,
}

/// Builds the queue of calls that wait for sets to be opened.
pub(super) fn opening_queue() -> Arc<FairQueue> {
    FairQueue::new(OPENINGS)
}

impl Service {
    /// Checks if the caller has the entity tag of a call on a set that is not open. The set is not opened, and nothing is refused:
    /// undecided calls go on to [`Service::admit`].
    pub fn unchanged<'a>(
        &self,
        metered: &MeteredCall,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        asked: CallOptions<'_>,
        has: impl Fn(&str) -> bool,
    ) -> Option<UnchangedAnswer> {
        let called = metered.operation();
        let parse: Parse = |operation, tier, pairs| Arguments::parse(operation, tier, pairs.iter().copied());
        let (arguments, presentation) = self.parsed(metered, pairs, asked.offer, parse).ok()?;
        let market = called.market_of(&arguments);
        let (_, reference) = reference_of(&presentation, asked.pin).ok()??;
        let audience = self.audience_of(metered.caller());
        let FoundSet::Kept(set) = self.snapshots.find(audience, market, &reference).ok()? else {
            return None;
        };
        let snapshot = self.snapshots.seen_by(audience);
        let operation = Arc::clone(snapshot.prepared(called, market)?);
        let hints = Hints { door: OperationNaming::Rest, catalogue: &self.catalogue };
        let unchecked = UncheckedCall { snapshot: &snapshot, hints, operation, arguments, presentation };
        let entity_tag = unchecked.unresolved(metered.tier(), Utc::now()).ok()?.entity_tag_on(&set)?;
        let provenance = || DataVersion {
            snapshot: snapshot.id_with(market, &set.id),
            market,
            as_of: set.as_of,
            is_invented: is_invented(&snapshot, market),
        };
        has(&entity_tag).then(|| UnchangedAnswer { provenance: provenance(), entity_tag })
    }

    /// Returns the service for the parts of one call that is admitted and metered as a whole: they are answered from one snapshot without
    /// further cost. Tiers are still checked.
    ///
    /// # Errors
    /// As [`Service::admit`], for a set that is gone or cannot be opened.
    pub async fn for_parts(
        &self,
        metered: &MeteredCall,
        market: Market,
        pin: Option<&str>,
    ) -> Result<Self, ClientError> {
        let snapshot = match reference_of(&Presentation::default(), pin)? {
            Some((told_by, reference)) => Box::pin(self.pinned(metered, market, told_by, reference)).await?.0,
            None => self.seen_by(metered.caller()),
        };
        Ok(Self {
            catalogue: Arc::clone(&self.catalogue),
            snapshots: Arc::new(Snapshots::fixed(Snapshot::clone(&snapshot))),
            // This caller's audience has been applied to the snapshot already.
            public: PublicTiers::default(),
            terms: Arc::clone(&self.terms),
            guests: self.guests,
            access: None,
            handlers: Arc::clone(&self.handlers),
            threads: self.threads.clone(),
            pngs: self.pngs.clone(),
            openings: Arc::clone(&self.openings),
            files: Arc::clone(&self.files),
            own_work: self.own_work.clone(),
            payer: metered.payer(),
        })
    }

    /// Returns the snapshot of the requested set, and the deadline of the call if it had to be opened.
    pub(super) async fn pinned(
        &self,
        metered: &MeteredCall,
        market: Market,
        told_by: &str,
        reference: Reference,
    ) -> Result<(Arc<Snapshot>, Option<Deadline>), ClientError> {
        let told = |unfound| unavailable(told_by, unfound);
        let audience = self.audience_of(metered.caller());
        let set = match self.snapshots.find(audience, market, &reference).map_err(told)? {
            FoundSet::Open(snapshot) => return Ok((snapshot, None)),
            FoundSet::Kept(set) => set,
        };
        let deadline = self.snapshot().engine().deadline();
        let opened = tokio::time::timeout_at(deadline.at(), async {
            let turn = self.openings.enter(metered.caller().owner_number()).await.map_err(too_many)?;
            // An earlier call in the queue may have opened the same set.
            match self.snapshots.find(audience, market, &reference).map_err(told)? {
                FoundSet::Open(snapshot) => Ok(snapshot),
                FoundSet::Kept(_) => self.opened(metered, set, turn).await?.map_err(told),
            }
        });
        let snapshot = opened.await.unwrap_or_else(|_| Err(deadline.overrun().into()))?;
        Ok((snapshot, Some(deadline)))
    }

    /// Opens a set in this turn for a caller, who pays for it.
    async fn opened(
        &self,
        metered: &MeteredCall,
        set: Set,
        turn: RunPermit,
    ) -> Result<Result<Arc<Snapshot>, SnapshotUnavailable>, ClientError> {
        let market = set.market;
        metered.charge(OPENING_COST).await.map_err(|refused| {
            let refused = not_let_in(&refused);
            let price = format!("to open set {} of {market} costs {OPENING_COST} requests more", set.number);
            ClientError { message: format!("{price}: {}", refused.message), ..refused }
        })?;
        let (snapshots, audience) = (Arc::clone(&self.snapshots), self.audience_of(metered.caller()));
        // The turn ends when the set is open, not when its caller has left.
        let opening = tokio::spawn(async move {
            let _turn = turn;
            snapshots.open(audience, &set).await
        });
        opening.await.map_err(|ended| match ended.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(ended) => ClientError::caused(ErrorKind::Unavailable, "the server is ending", ended),
        })
    }
}

/// Returns the set that a call names, with the place for messages: its arguments, or else the header that pins it.
pub(super) fn reference_of(
    presentation: &Presentation,
    pin: Option<&str>,
) -> Result<Option<(&'static str, Reference)>, ClientError> {
    let asked = presentation.snapshot().map(|asked| reference("`snapshot`", asked)).transpose()?;
    // An invalid header is refused even if the argument wins.
    let pin = pin.map(|pin| reference("the header X-Snapshot", pin)).transpose()?;
    Ok(asked.or(pin))
}

/// Parses the reference to a set.
fn reference(told_by: &'static str, asked: &str) -> Result<(&'static str, Reference), ClientError> {
    let reference = Reference::parse(asked).ok_or_else(|| {
        let message = format!("{told_by}: `{asked}` is no set; write {}", Reference::FORM);
        ClientError::new(ErrorKind::BadRequest, message)
    })?;
    Ok((told_by, reference))
}

fn unavailable(told_by: &str, unfound: SnapshotUnavailable) -> ClientError {
    let message = format!("{told_by}: {unfound}");
    match &unfound {
        SnapshotUnavailable::Gone { .. } => ClientError::new(ErrorKind::Gone, message),
        SnapshotUnavailable::Withheld(_) => ClientError::new(ErrorKind::Forbidden, message),
        SnapshotUnavailable::Broken { .. } => ClientError::caused(ErrorKind::Unavailable, message, unfound),
    }
}

fn too_many(full: QueueFull) -> ClientError {
    /// Opening takes a few seconds.
    const AGAIN_S: i64 = 2;
    let (kind, bound, most, whose) = match full {
        QueueFull::Key(most) => (ErrorKind::TooManyRequests, LimitMet::OwnerQueue, most, " of this owner"),
        QueueFull::All(most) => (ErrorKind::Unavailable, LimitMet::Queue, most, ""),
    };
    let message = format!(
        "{most} calls{whose} wait for earlier sets to be opened, which is the most that may wait; try again in a few seconds"
    );
    ClientError::new(kind, message).after(AGAIN_S).at(bound)
}
