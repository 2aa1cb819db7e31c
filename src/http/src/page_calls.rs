//! The calls of one page. Each is admitted, run and settled separately. The first call that has a cost pays for all, because people count
//! pages.

use std::sync::Arc;

use axum::http::StatusCode;
use chrono::NaiveDate;

use super::app_state::AppState;
use super::reply;
use parquote_call::{Call, CallOptions, Caller, MeteredCall, Pin};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Effect, Offer, Tier};
use parquote_engine::Snapshot;
use parquote_explorer::page_rows::{PageRows, PartOutcome};
use parquote_explorer::plan::{PartCall, has_rows_of_stock};
use parquote_explorer::request::PageRequest;

/// The calls of a page, entered and admitted or refused; none has run.
pub(super) struct AdmittedCalls(Vec<(PartCall, CallAdmission)>);

/// State of a call before it runs. A refused call is settled already.
enum CallAdmission {
    Admitted(Box<(MeteredCall, Call)>),
    Refused(ClientError),
}

/// The calls of a page that have run and are not settled yet.
pub(super) struct RunCalls(Vec<(PartCall, Option<MeteredCall>, PartOutcome)>);

/// The calls of a page that have run and are settled.
pub(super) struct DoneCalls {
    pub calls: Vec<(PartCall, PartOutcome)>,
    /// True if any of them had a cost.
    pub is_paid: bool,
}

/// The refusals among the calls of a page.
pub(super) struct Refusals<'a> {
    calls: &'a [(PartCall, PartOutcome)],
    /// Index of the deciding part; `None` if the page has none.
    part: Option<usize>,
    /// True if a call about the stock of the page has rows.
    is_found: bool,
}

impl AdmittedCalls {
    /// Enters and admits all calls on one snapshot: the snapshot of a past day, if the reader chose one.
    pub(super) async fn enter_all(
        state: &AppState,
        caller: &Caller,
        day: Option<NaiveDate>,
        calls: Vec<PartCall>,
    ) -> Self {
        /// Snapshots are swapped seconds apart; admitting a page takes milliseconds.
        const ATTEMPTS: usize = 3;
        let mut entered = Self::enter_once(state, caller, day, calls, false).await;
        for _ in 1..ATTEMPTS {
            if entered.has_one_snapshot() {
                break;
            }
            let calls = entered.refund();
            entered = Self::enter_once(state, caller, day, calls, false).await;
        }
        entered
    }

    /// Enters and admits calls, of a page that is paid already or not.
    pub(super) async fn enter_once(
        state: &AppState,
        caller: &Caller,
        day: Option<NaiveDate>,
        calls: Vec<PartCall>,
        mut is_paid: bool,
    ) -> Self {
        let mut entered = Vec::with_capacity(calls.len());
        for call in calls {
            let admission = admit(state, caller, day, &call, &mut is_paid).await;
            entered.push((call, admission));
        }
        Self(entered)
    }

    fn has_one_snapshot(&self) -> bool {
        let mut ids = self.admitted_calls().map(|call| call.snapshot().id());
        let first = ids.next();
        ids.all(|id| Some(id) == first)
    }

    fn admitted_calls(&self) -> impl Iterator<Item = &Call> {
        self.0.iter().filter_map(|(_, admission)| match admission {
            CallAdmission::Admitted(admitted) => Some(&admitted.1),
            CallAdmission::Refused(_) => None,
        })
    }

    /// Returns the snapshot that answers.
    pub(super) fn snapshot(&self, state: &AppState, caller: &Caller) -> Arc<Snapshot> {
        let current = || state.service.snapshot_for(caller);
        self.admitted_calls().next().map_or_else(current, |call| Arc::clone(call.snapshot()))
    }

    /// Returns the entity tag before any call has run: a hash of the page's address, the tier, and the answers' tags. `None` if one of the
    /// answers may differ the next time.
    pub(super) fn entity_tag(&self, address: &str, tier: Tier) -> Option<String> {
        let mut hash = hash_of_page(address, tier);
        for (_, admission) in &self.0 {
            match admission {
                CallAdmission::Admitted(admitted) => hash.update(admitted.1.entity_tag()?.as_bytes()),
                // A refusal for the tier is stable.
                CallAdmission::Refused(refused) if refused.kind == ErrorKind::Forbidden => {
                    hash.update(refused.message.as_bytes())
                }
                CallAdmission::Refused(_) => return None,
            }
            .update(b"\n");
        }
        Some(entity_tag_text(&hash))
    }

    /// Returns true if the page shows saved state only and runs no queued work: its answers are then read before it is known whether they
    /// changed.
    pub(super) fn shows_only_saved_state(&self, state: &AppState) -> bool {
        let is_saved = |call: &PartCall| {
            call.operation.answers_from_select() || state.service.waits_for_io(&call.operation)
        };
        self.0.iter().all(|(call, _)| is_saved(call) && call.operation.effect == Effect::Reads)
    }

    pub(super) fn refund(self) -> Vec<PartCall> {
        let settled = self.0.into_iter().map(|(call, admission)| {
            if let CallAdmission::Admitted(admitted) = admission {
                let _ = admitted.0.refund();
            }
            call
        });
        settled.collect()
    }

    /// Runs all calls without settling them.
    pub(super) async fn run(self, state: &AppState) -> RunCalls {
        let mut run = Vec::with_capacity(self.0.len());
        for (call, admission) in self.0 {
            let (metered, outcome) = match admission {
                CallAdmission::Refused(refused) => (None, PartOutcome::Refused(refused)),
                CallAdmission::Admitted(admitted) => {
                    let (metered, ready) = *admitted;
                    let outcome = match state.service.run(&ready).await {
                        Ok(answer) => {
                            let coverage = Box::pin(state.service.coverage(&ready)).await;
                            let coverage = coverage.iter().flat_map(|coverage| coverage.figures()).collect();
                            let rows = PageRows::read(&answer, &ready.columns(), ready.picture());
                            let rows = PageRows { coverage, ..rows };
                            order_rows(&call, rows, metered.tier())
                        }
                        Err(refused) => PartOutcome::Refused(refused),
                    };
                    (Some(metered), outcome)
                }
            };
            run.push((call, metered, outcome));
        }
        RunCalls(run)
    }
}

impl RunCalls {
    /// Returns the entity tag from the answers; `None` if a call failed in a way that may not repeat.
    pub(super) fn entity_tag(&self, address: &str, tier: Tier) -> Option<String> {
        let mut hash = hash_of_page(address, tier);
        for (call, _, outcome) in &self.0 {
            match outcome {
                PartOutcome::Answered(rows) => {
                    hash.update(call.operation.name.as_bytes());
                    hash.update(format!("{:?} {:?} {:?}", rows.rows, rows.around, rows.coverage).as_bytes())
                }
                PartOutcome::Refused(refused) if refused.kind == ErrorKind::NotFound => {
                    hash.update(refused.message.as_bytes())
                }
                PartOutcome::Refused(_) => return None,
            };
        }
        Some(entity_tag_text(&hash))
    }

    pub(super) fn refund(self) {
        for metered in self.0.into_iter().filter_map(|(_, metered, _)| metered) {
            let _ = metered.refund();
        }
    }

    pub(super) fn settle_all(self) -> DoneCalls {
        let mut done = DoneCalls { calls: Vec::with_capacity(self.0.len()), is_paid: false };
        for (call, metered, outcome) in self.0 {
            if let Some(metered) = metered {
                let refused = match &outcome {
                    PartOutcome::Answered(_) => None,
                    PartOutcome::Refused(refused) => Some(refused),
                };
                let (counts, costs) = (refused.is_none_or(|refused| refused.kind.counts()), metered.costs());
                let _ = if counts { metered.commit() } else { metered.refund() };
                done.is_paid |= counts && costs;
            }
            done.calls.push((call, outcome));
        }
        done
    }
}

/// Returns the rows of a call in the order and the range that the page shows.
fn order_rows(call: &PartCall, rows: PageRows, tier: Tier) -> PartOutcome {
    let Some(order) = &call.order else { return PartOutcome::Answered(rows) };
    let cap = call.operation.param("limit").and_then(|limit| limit.cap_for(tier));
    match order.apply(rows, cap.and_then(|cap| usize::try_from(cap).ok())) {
        Ok(rows) => PartOutcome::Answered(rows),
        Err(refused) => PartOutcome::Refused(refused),
    }
}

fn hash_of_page(address: &str, tier: Tier) -> blake3::Hasher {
    let mut hash = blake3::Hasher::new();
    for part in [env!("CARGO_PKG_VERSION"), address, tier.word()] {
        hash.update(part.as_bytes()).update(b"\n");
    }
    // The answers may be equal while the assets and forms around them changed.
    for asset in parquote_explorer::assets() {
        hash.update(asset.path.as_bytes());
    }
    hash
}

fn entity_tag_text(hash: &blake3::Hasher) -> String {
    const HASH_LENGTH: usize = 24;
    let text: String = hash.finalize().to_hex().chars().take(HASH_LENGTH).collect();
    format!("\"{text}\"")
}

/// Enters and admits a call; a refusal is settled as the same refusal over REST is.
async fn admit(
    state: &AppState,
    caller: &Caller,
    day: Option<NaiveDate>,
    call: &PartCall,
    is_paid: &mut bool,
) -> CallAdmission {
    let entered = if *is_paid {
        state.service.enter_beside(&call.operation, caller)
    } else {
        state.service.enter(&call.operation, caller).await
    };
    let metered = match entered {
        Ok(metered) => metered,
        Err(refused) => return CallAdmission::Refused(refused),
    };
    let pairs = call.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    // Saved items have no past.
    let reads_tables = !call.operation.selects.is_empty() && !state.service.waits_for_io(&call.operation);
    let day = day.filter(|_| reads_tables).map(|day| day.to_string());
    let options = CallOptions {
        is_whole: call.order.is_some(),
        pin: day.as_deref().map(Pin::from_page),
        ..CallOptions::new(Offer::ENVELOPED)
    };
    match state.service.admit(&metered, pairs, options).await {
        Ok(ready) => {
            *is_paid |= metered.costs();
            CallAdmission::Admitted(Box::new((metered, ready)))
        }
        Err(refused) => {
            *is_paid |= metered.costs() && refused.kind.counts();
            let _ = if refused.kind.counts() { metered.commit() } else { metered.refund() };
            CallAdmission::Refused(refused)
        }
    }
}

impl DoneCalls {
    /// Returns the rows of a part; `None` if it was refused.
    pub(super) fn rows(&self, part: Option<usize>) -> Option<&PageRows> {
        self.calls.iter().find_map(|(call, outcome)| match outcome {
            PartOutcome::Answered(rows) if Some(call.part) == part => Some(rows),
            _ => None,
        })
    }
}

impl<'a> Refusals<'a> {
    /// Selects the refusals of a page's calls; only those of the deciding part count.
    pub(super) fn new(request: &PageRequest, calls: &'a [(PartCall, PartOutcome)]) -> Self {
        let part = request.page.deciding_part(request.market);
        Self { calls, part, is_found: has_rows_of_stock(request, calls) }
    }

    /// Returns the status of the page: the status of the first refusal if all calls of the deciding part were refused. A 404 of that part
    /// does not decide if another call about the page's stock has rows.
    pub(super) fn status(&self) -> StatusCode {
        self.first_refusal().map_or(StatusCode::OK, reply::status)
    }

    /// Returns the seconds after which the page may be retried, if known.
    pub(super) fn retry_after_s(&self) -> Option<i64> {
        self.first_refusal().and_then(ClientError::after_s)
    }

    fn first_refusal(&self) -> Option<&'a ClientError> {
        let outcomes =
            self.calls.iter().filter(|(call, _)| Some(call.part) == self.part).map(|(_, outcome)| {
                match outcome {
                    PartOutcome::Answered(_) => None,
                    PartOutcome::Refused(refused) => Some(refused),
                }
            });
        let outcomes: Vec<Option<&ClientError>> = outcomes.collect();
        let first =
            if outcomes.iter().all(Option::is_some) { outcomes.into_iter().flatten().next() } else { None };
        first.filter(|refused| !self.is_found || refused.kind.status() != 404)
    }
}
