//! Sets that callers request, by `snapshot=` or by a header. Such a set is open already, or is revalidated by its manifest alone, or is
//! opened.
//!
//! To open a set takes seconds and much memory. It costs requests in addition to the call and happens within the call's deadline. One set
//! is opened at a time, and owners take turns. A set is opened for later callers even if its caller has left.

use std::sync::Arc;

use chrono::Utc;

use super::access_refusal::access_refusal;
use super::admitted::{DataVersion, is_invented};
use super::fair_queue::{QueueFull, QueueLimits, RunPermit};
use super::hints::{Hints, OperationNaming};
use super::query_threads::resume_panic;
use super::unchecked::UncheckedCall;
use super::{CallOptions, Caller, MeteredCall, PublicTiers, Service};
use parquote_catalogue::error::{ClientError, ErrorKind, ReachedLimit};
use parquote_catalogue::operation::{Arguments, Market, Operation, Presentation, Value};
use parquote_engine::{Deadline, Snapshot};
use parquote_refresh::{FoundSet, SnapshotUnavailable, Snapshots};
use parquote_set::{Reference, Set};

/// Cost of opening a set, in requests, in addition to the cost of the call.
const OPENING_COST: u32 = 5;

/// Limits on calls that wait for a set to be opened; one set is opened at a time.
pub(super) const OPENINGS: QueueLimits =
    QueueLimits { running: 1, running_per_key: 1, waiting_per_key: 32, waiting: 128 };

/// A set to which a call is pinned, and the place where it was named, for messages.
#[derive(Debug, Clone, Copy)]
pub struct Pin<'a> {
    reference: &'a str,
    origin: &'static str,
}

/// A parsed reference of a call to a set, and the place where it was named.
pub(super) struct NamedSet {
    reference: Reference,
    origin: &'static str,
}

/// An answer that the caller already has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnchangedAnswer {
    /// Entity tag of the answer, quoted.
    pub entity_tag: String,
    /// Version of the data that answered.
    pub data_version: DataVersion,
}

impl<'a> Pin<'a> {
    /// Pins to the set of a header.
    pub const fn from_header(reference: &'a str) -> Self {
        Self { reference, origin: "the header X-Snapshot" }
    }

    /// Pins to the set of the argument `snapshot`.
    pub const fn from_argument(reference: &'a str) -> Self {
        Self { reference, origin: "`snapshot`" }
    }

    /// Pins to the day that the reader of a page chose.
    pub const fn from_page(day: &'a str) -> Self {
        Self { reference: day, origin: "the chosen day" }
    }

    /// Parses the reference; 400 for a text that names no set.
    fn parse(self) -> Result<NamedSet, ClientError> {
        let Self { reference: text, origin } = self;
        let reference = Reference::parse(text).ok_or_else(|| {
            let message = format!("{origin}: `{text}` is no set; write {}", Reference::FORM);
            ClientError::new(ErrorKind::BadRequest, message)
        })?;
        Ok(NamedSet { reference, origin })
    }
}

/// Returns the markets whose tables a SELECT may read: first the market of names without a schema, then markets that are named as a schema,
/// as in `us.stocks`. The text is only searched, because it is parsed in a separate process.
pub fn markets_of_select(sql: &str, market: Market) -> Vec<Market> {
    let sql = sql.to_lowercase();
    let names = |other: &Market| {
        sql.match_indices(other.word()).any(|(index, word)| {
            let (before, after) = (sql.get(..index), sql.get(index + word.len()..));
            let is_end_of_word =
                before.is_some_and(|text| text.ends_with(|end: char| end.is_alphanumeric() || end == '_'));
            let is_schema = |text: &str| text.trim_start_matches('"').trim_start().starts_with('.');
            !is_end_of_word && after.is_some_and(is_schema)
        })
    };
    let others = Market::ALL.into_iter().filter(|other| *other != market && names(other));
    std::iter::once(market).chain(others).collect()
}

/// Returns the markets whose tables a call reads, the market of the call first.
pub(super) fn markets_read(called: &Operation, arguments: &Arguments, market: Market) -> Vec<Market> {
    match arguments.get(called, "sql") {
        Some(Value::Text(sql)) => markets_of_select(sql, market),
        _ => vec![market],
    }
}

impl Service {
    /// Returns the answer of a call on a set that is not open, if the caller `has` its entity tag already. The set is not opened and no
    /// call is refused: a call for which this returns `None` goes on to [`Service::admit`].
    pub fn unchanged<'a>(
        &self,
        metered: &MeteredCall,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        options: CallOptions<'_>,
        has: impl Fn(&str) -> bool,
    ) -> Option<UnchangedAnswer> {
        let called = metered.operation();
        let (arguments, presentation) = self.parse_call(metered, pairs, options.offer, |_| true).ok()?;
        let market = called.market_of(&arguments);
        let NamedSet { reference, .. } = reference_of(&presentation, options.pin).ok()??;
        if reference.is_of_both_markets() && markets_read(called, &arguments, market).len() > 1 {
            return None;
        }
        let audience = self.audience_of(metered.caller());
        let FoundSet::Available(set) = self.snapshots.find(audience, market, &reference).ok()? else {
            return None;
        };
        let snapshot = self.snapshots.snapshot_for(audience);
        let operation = Arc::clone(snapshot.prepared_operation(called, market)?);
        let hints = Hints { naming: OperationNaming::Rest, catalogue: &self.catalogue };
        let served = &snapshot;
        let unchecked =
            UncheckedCall { snapshot: &snapshot, served, hints, operation, arguments, presentation };
        let entity_tag = unchecked.without_lookup(metered.tier(), Utc::now()).ok()?.entity_tag_on(&set)?;
        let data_version = || DataVersion {
            snapshot: snapshot.id_with(market, &set.id),
            market,
            as_of: set.as_of,
            is_invented: is_invented(&snapshot, market),
        };
        has(&entity_tag).then(|| UnchangedAnswer { data_version: data_version(), entity_tag })
    }

    /// Returns the service for the parts of one call that is admitted and metered as a whole: they are answered from one snapshot without
    /// further cost. A pin holds for all `markets` of the call. Tiers are still checked.
    ///
    /// # Errors
    /// As [`Service::admit`], for a set that is gone or cannot be opened.
    pub async fn for_parts(
        &self,
        metered: &MeteredCall,
        markets: &[Market],
        pin: Option<Pin<'_>>,
    ) -> Result<Self, ClientError> {
        let snapshot = match reference_of(&Presentation::default(), pin)? {
            Some(named) => Box::pin(self.pinned_snapshot(metered, markets, &named)).await?.0,
            None => self.snapshot_for(metered.caller()),
        };
        Ok(Self {
            catalogue: Arc::clone(&self.catalogue),
            snapshots: Arc::new(Snapshots::from_snapshot(Snapshot::clone(&snapshot))),
            // This caller's audience has been applied to the snapshot already.
            public: PublicTiers::default(),
            terms: Arc::clone(&self.terms),
            guests: self.guests,
            access: None,
            handlers: Arc::clone(&self.handlers),
            coverages: Arc::clone(&self.coverages),
            threads: self.threads.clone(),
            pngs: self.pngs.clone(),
            openings: Arc::clone(&self.openings),
            files: Arc::clone(&self.files),
            selects: self.selects.clone(),
            payer: metered.payer(),
            served: Some(self.seen_without_pin(metered.caller())),
            past: Some(self.earlier_sets(metered.caller())),
        })
    }

    /// Returns the snapshot that a caller sees without a pin, also for the parts of a pinned call.
    pub(super) fn seen_without_pin(&self, caller: &Caller) -> Arc<Snapshot> {
        self.served.clone().unwrap_or_else(|| self.snapshot_for(caller))
    }

    /// Returns the snapshot of the requested sets, and the deadline of the call if one had to be opened. A reference to a set of each
    /// market holds for all `markets` that have data, so that no table is of a later day; any other reference holds for the first.
    pub(super) async fn pinned_snapshot(
        &self,
        metered: &MeteredCall,
        markets: &[Market],
        named: &NamedSet,
    ) -> Result<(Arc<Snapshot>, Option<Deadline>), ClientError> {
        let mut snapshot = self.snapshot_for(metered.caller());
        let mut deadline = None;
        for (position, market) in markets.iter().enumerate() {
            let has_data = || snapshot.as_of(*market).is_some();
            if position > 0 && !(named.reference.is_of_both_markets() && has_data()) {
                continue;
            }
            let (found, opening_deadline) = self.pinned_market(metered, *market, named).await?;
            deadline = deadline.or(opening_deadline);
            snapshot = match found.market(*market) {
                Some(tables) if position > 0 => Arc::new(snapshot.with_market(Arc::clone(tables))),
                _ => found,
            };
        }
        Ok((snapshot, deadline))
    }

    /// Returns a snapshot with the requested set of one market, and the deadline of the call if it had to be opened.
    async fn pinned_market(
        &self,
        metered: &MeteredCall,
        market: Market,
        named: &NamedSet,
    ) -> Result<(Arc<Snapshot>, Option<Deadline>), ClientError> {
        let NamedSet { reference, origin } = named;
        let to_error = |error| snapshot_error(origin, error);
        let audience = self.audience_of(metered.caller());
        let set = match self.snapshots.find(audience, market, reference).map_err(to_error)? {
            FoundSet::Open(snapshot) => return Ok((snapshot, None)),
            FoundSet::Available(set) => set,
        };
        let deadline = self.snapshot().engine().deadline();
        let opened = tokio::time::timeout_at(deadline.at(), async {
            let turn = self
                .openings
                .wait_for_permit(metered.caller().owner_number())
                .await
                .map_err(full_queue_error)?;
            // An earlier call in the queue may have opened the same set.
            match self.snapshots.find(audience, market, reference).map_err(to_error)? {
                FoundSet::Open(snapshot) => Ok(snapshot),
                FoundSet::Available(_) => self.open_set(metered, set, turn).await?.map_err(to_error),
            }
        });
        let snapshot = opened.await.unwrap_or_else(|_| Err(deadline.timeout_error().into()))?;
        Ok((snapshot, Some(deadline)))
    }

    /// Opens a set while holding the permit `turn`; the caller pays for it.
    async fn open_set(
        &self,
        metered: &MeteredCall,
        set: Set,
        turn: RunPermit,
    ) -> Result<Result<Arc<Snapshot>, SnapshotUnavailable>, ClientError> {
        let market = set.market;
        metered.charge(OPENING_COST).await.map_err(|refused| {
            let refused = access_refusal(&refused);
            let name = self.snapshots.name_in_words(&set);
            let price = format!("to open {name} of {market} costs {OPENING_COST} requests more");
            ClientError { message: format!("{price}: {}", refused.message), ..refused }
        })?;
        let (snapshots, audience) = (Arc::clone(&self.snapshots), self.audience_of(metered.caller()));
        // The permit is released when the set is open, even if the caller leaves earlier.
        let opening = tokio::spawn(async move {
            let _turn = turn;
            snapshots.open(audience, &set).await
        });
        opening.await.map_err(resume_panic)
    }
}

/// Returns the set that a call names: in its arguments, or else by its pin.
pub(super) fn reference_of(
    presentation: &Presentation,
    pin: Option<Pin<'_>>,
) -> Result<Option<NamedSet>, ClientError> {
    let name = presentation.snapshot().map(|name| Pin::from_argument(name).parse()).transpose()?;
    // An invalid header is refused even if the argument wins.
    let pin = pin.map(Pin::parse).transpose()?;
    Ok(name.or(pin))
}

/// Builds the error for a set that cannot be used; `origin` is the place where it was named.
pub(super) fn snapshot_error(origin: &str, error: SnapshotUnavailable) -> ClientError {
    let message = format!("{origin}: {error}");
    match &error {
        SnapshotUnavailable::Gone { .. } => ClientError::new(ErrorKind::Gone, message),
        SnapshotUnavailable::Withheld(_) => ClientError::new(ErrorKind::Forbidden, message),
        SnapshotUnavailable::Broken { .. } => ClientError::from_cause(ErrorKind::Unavailable, message, error),
    }
}

/// Builds the error for a call that may not wait for a set to be opened.
pub(super) fn full_queue_error(full: QueueFull) -> ClientError {
    /// Retry delay, which is about the time of opening a set.
    const RETRY_AFTER_S: i64 = 2;
    let (kind, bound, most, of_owner) = match full {
        QueueFull::Key(most) => {
            (ErrorKind::TooManyRequests, ReachedLimit::OwnerQueue, most, " of this owner")
        }
        QueueFull::All(most) => (ErrorKind::Unavailable, ReachedLimit::Queue, most, ""),
    };
    let message = format!(
        "{most} calls{of_owner} wait for earlier sets to be opened, which is the most that may wait; try again in a few seconds"
    );
    ClientError::new(kind, message).with_retry_after(RETRY_AFTER_S).with_limit(bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_of_the_other_market_is_found_however_it_is_written() {
        for sql in
            ["SELECT * FROM us.stocks", "select * from US . stocks", "SELECT * FROM stocks,\"us\".\"stocks\""]
        {
            assert_eq!(markets_of_select(sql, Market::India), [Market::India, Market::Us], "{sql}");
            assert_eq!(markets_of_select(sql, Market::Us), [Market::Us], "{sql}");
        }
        for sql in ["SELECT us FROM stocks", "SELECT bonus.x FROM bonus", "SELECT 'us' FROM india.stocks"] {
            assert_eq!(markets_of_select(sql, Market::India), [Market::India], "{sql}");
        }
    }
}
