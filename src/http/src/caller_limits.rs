//! Limits on one caller's concurrent requests, and on requests that do not count against a quota.
//!
//! Paid answers are bounded by the quota of a key. Free ones - documents, lists, unchanged answers, refusals - are bounded by a token
//! bucket: a request takes a token, and gets it back if it proves to be paid. Callers with a key are identified by its owner, all others by
//! their address.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use dashmap::DashMap;
use dashmap::mapref::one::RefMut;

use parquote_access::network;
use parquote_call::Caller;

/// Capacity of the token bucket, in seconds of free requests.
const BURST_SECONDS: f64 = 20.0;
/// Number of callers at which idle callers are evicted, so that memory stays bounded.
const MOST_CALLERS: usize = 65_536;
/// Period over which pages of guests are counted.
const HOUR: Duration = Duration::from_hours(1);
/// Minimum interval between log lines for refusals of one address.
const LOG_EVERY: Duration = Duration::from_secs(1);
const MIB: usize = 1024 * 1024;

/// Identity of a caller for these limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CallerId {
    /// Number of an owner: all keys of one owner count together.
    Owner(i64),
    /// Network of a caller without an owner.
    Network([u8; 8]),
}

/// Limits per caller and in total.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallerBounds {
    /// Concurrent requests of one caller.
    pub at_once: usize,
    /// Free requests a second of one caller.
    pub free: u32,
    /// Unsent reply bytes of one caller. A single reply may be longer.
    pub reply_bytes: usize,
    /// Unsent reply bytes of all callers.
    pub all_reply_bytes: usize,
    /// Pages an hour of guests from one address.
    pub guest_pages: u32,
}

/// Requests, free tokens and unsent bytes of every caller.
pub(super) struct CallerLimits {
    by_caller: DashMap<CallerId, CallerState>,
    bounds: CallerBounds,
    /// Free requests a second of one caller.
    free: f64,
    /// Unsent reply bytes of all callers.
    reply_bytes: AtomicUsize,
}

struct CallerState {
    requests_in_progress: usize,
    /// Unsent reply bytes.
    reply_bytes: usize,
    /// Time of the last refusal that was logged.
    logged_at: Option<Instant>,
    /// Number of refusals since `logged_at` that were not logged.
    unlogged_refusals: u64,
    /// Pages of guests since `guest_since`.
    guest_pages: u32,
    guest_since: Instant,
    /// Free requests left at `tokens_at`.
    tokens: f64,
    tokens_at: Instant,
}

/// Guard of a request in progress.
pub(super) struct InFlightGuard {
    limits: Arc<CallerLimits>,
    caller_id: CallerId,
    reply_bytes: usize,
}

/// Limit that refuses a request.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub(super) enum LimitExceeded {
    /// More requests are in progress than this limit.
    #[error(
        "{0} requests of this caller are in progress, which is the most allowed; send the next one when one of them is answered"
    )]
    AtOnce(usize),
    /// More free requests than this limit a second.
    #[error(
        "too many free requests, such as those for lists, documents and unchanged answers: {0} a \
         second are answered for one caller; slow down"
    )]
    Free(f64),
    /// The caller reads its replies too slowly: the limit of unsent bytes.
    #[error(
        "replies to this caller that are not read yet have {} MiB, which is the most allowed; read them to their end, or close their \
         connections, before you ask for more",
        .0 / MIB
    )]
    ReplyBytes(usize),
    /// All callers together read their replies too slowly.
    #[error("all callers together have left too many bytes of replies unread; try again in a few seconds")]
    AllReplyBytes,
    /// Guests from one address have used up their pages of this hour.
    #[error(
        "guests from one address see {an_hour} pages an hour; sign in with a key, or come back when the hour is over"
    )]
    GuestPages {
        /// Limit of pages an hour.
        an_hour: u32,
        /// Seconds until the hour is over.
        retry_after_s: i64,
    },
}

impl CallerId {
    /// Returns the identity of a caller; `None` for an unmetered local caller.
    pub(super) fn identify(caller: Option<&Caller>, from: Option<IpAddr>) -> Option<Self> {
        match caller {
            Some(caller) if !caller.is_guest() => caller.owner_number().map(Self::Owner),
            // Guests share a quota, but not the limits per caller.
            _ => from.map(Self::from_address),
        }
    }

    /// Returns the identity of a caller without a key: the network of its address.
    pub(super) fn from_address(from: IpAddr) -> Self {
        Self::Network(network(from))
    }
}

impl CallerLimits {
    pub(super) fn new(bounds: CallerBounds) -> Arc<Self> {
        let free = f64::from(bounds.free);
        Arc::new(Self { by_caller: DashMap::new(), bounds, free, reply_bytes: AtomicUsize::new(0) })
    }

    /// Begins a request of a caller; the error is the limit that is exceeded.
    pub(super) fn begin_request(
        self: &Arc<Self>,
        caller_id: CallerId,
    ) -> Result<InFlightGuard, LimitExceeded> {
        let now = Instant::now();
        let mut state = self.state(caller_id, now);
        let CallerBounds { at_once, reply_bytes: bytes, all_reply_bytes, .. } = self.bounds;
        if state.requests_in_progress >= at_once {
            return Err(LimitExceeded::AtOnce(at_once));
        }
        if state.reply_bytes >= bytes {
            return Err(LimitExceeded::ReplyBytes(bytes));
        }
        if self.reply_bytes.load(Ordering::Relaxed) >= all_reply_bytes {
            return Err(LimitExceeded::AllReplyBytes);
        }
        state.tokens = self.tokens(&state, now);
        state.tokens_at = now;
        if state.tokens < 1.0 {
            return Err(LimitExceeded::Free(self.free));
        }
        state.tokens -= 1.0;
        state.requests_in_progress += 1;
        drop(state);
        Ok(InFlightGuard { limits: Arc::clone(self), caller_id, reply_bytes: 0 })
    }

    /// Counts a refusal of an address. Returns the number of its earlier refusals that were not logged, or `None` if this one is not to be
    /// logged either.
    pub(super) fn count_refusal(&self, from: IpAddr) -> Option<u64> {
        let now = Instant::now();
        let mut state = self.state(CallerId::from_address(from), now);
        if state.logged_at.is_some_and(|at| now.saturating_duration_since(at) < LOG_EVERY) {
            state.unlogged_refusals += 1;
            return None;
        }
        state.logged_at = Some(now);
        Some(std::mem::take(&mut state.unlogged_refusals))
    }

    /// Counts a page request of a guest from this address; an error at the limit. Loopback addresses are not counted.
    pub(super) fn begin_guest_page(&self, from: IpAddr) -> Result<(), LimitExceeded> {
        if from.to_canonical().is_loopback() {
            return Ok(());
        }
        let (now, an_hour) = (Instant::now(), self.bounds.guest_pages);
        let mut state = self.state(CallerId::from_address(from), now);
        let since = now.saturating_duration_since(state.guest_since);
        if since >= HOUR {
            (state.guest_pages, state.guest_since) = (0, now);
        }
        if state.guest_pages >= an_hour {
            let retry_after_s = HOUR.saturating_sub(since).as_secs() as i64 + 1;
            return Err(LimitExceeded::GuestPages { an_hour, retry_after_s });
        }
        state.guest_pages += 1;
        Ok(())
    }

    /// Refunds a page that was free: an unchanged page, or a refusal.
    pub(super) fn refund_guest_page(&self, from: IpAddr) {
        if let Some(mut state) = self.by_caller.get_mut(&CallerId::from_address(from)) {
            state.guest_pages = state.guest_pages.saturating_sub(1);
        }
    }

    fn state(&self, caller_id: CallerId, now: Instant) -> RefMut<'_, CallerId, CallerState> {
        self.evict_idle(now);
        self.by_caller.entry(caller_id).or_insert_with(|| CallerState {
            requests_in_progress: 0,
            reply_bytes: 0,
            logged_at: None,
            unlogged_refusals: 0,
            guest_pages: 0,
            guest_since: now,
            tokens: self.free * BURST_SECONDS,
            tokens_at: now,
        })
    }

    fn tokens(&self, state: &CallerState, now: Instant) -> f64 {
        let since = now.saturating_duration_since(state.tokens_at).as_secs_f64();
        since.mul_add(self.free, state.tokens).min(self.free * BURST_SECONDS)
    }

    fn evict_idle(&self, now: Instant) {
        if self.by_caller.len() < MOST_CALLERS {
            return;
        }
        let full = self.free * BURST_SECONDS;
        self.by_caller.retain(|_, state| state.requests_in_progress > 0 || self.tokens(state, now) < full);
        if self.by_caller.len() >= MOST_CALLERS {
            self.by_caller.retain(|_, state| state.requests_in_progress > 0);
        }
    }
}

impl InFlightGuard {
    /// Refunds the token: the request was paid from a quota.
    pub(super) fn refund_token(&self) {
        if let Some(mut state) = self.limits.by_caller.get_mut(&self.caller_id) {
            state.tokens += 1.0;
        }
    }

    /// Records the size of the reply, whose bytes count until they are handed over; the error is the limit that is exceeded. A reply that
    /// is longer than a limit passes if nothing else is unsent.
    pub(super) fn add_reply_bytes(&mut self, bytes: usize) -> Result<(), LimitExceeded> {
        let limits = &self.limits;
        let Some(mut state) = limits.by_caller.get_mut(&self.caller_id) else { return Ok(()) };
        let CallerBounds { reply_bytes: most, all_reply_bytes, .. } = limits.bounds;
        if state.reply_bytes > 0 && state.reply_bytes.saturating_add(bytes) > most {
            return Err(LimitExceeded::ReplyBytes(most));
        }
        let before = limits.reply_bytes.fetch_add(bytes, Ordering::Relaxed);
        if before > 0 && before.saturating_add(bytes) > all_reply_bytes {
            limits.reply_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return Err(LimitExceeded::AllReplyBytes);
        }
        state.reply_bytes += bytes;
        self.reply_bytes = bytes;
        Ok(())
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.limits.reply_bytes.fetch_sub(self.reply_bytes, Ordering::Relaxed);
        if let Some(mut state) = self.limits.by_caller.get_mut(&self.caller_id) {
            state.requests_in_progress = state.requests_in_progress.saturating_sub(1);
            state.reply_bytes = state.reply_bytes.saturating_sub(self.reply_bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: CallerId = CallerId::Owner(1);
    const TWO: CallerId = CallerId::Owner(2);
    const BOUNDS: CallerBounds = CallerBounds {
        at_once: 9,
        free: 1_000,
        reply_bytes: 2 * MIB,
        all_reply_bytes: 3 * MIB,
        guest_pages: 2,
    };

    #[test]
    fn a_caller_has_so_many_under_way_and_others_as_many() {
        let limits = CallerLimits::new(CallerBounds { at_once: 2, ..BOUNDS });
        let under_way = [limits.begin_request(ONE).unwrap(), limits.begin_request(ONE).unwrap()];
        assert_eq!(limits.begin_request(ONE).err(), Some(LimitExceeded::AtOnce(2)));
        assert!(limits.begin_request(TWO).is_ok());
        drop(under_way);
        assert!(limits.begin_request(ONE).is_ok());
    }

    #[test]
    fn what_is_free_is_bounded_and_what_is_paid_is_not() {
        let limits = CallerLimits::new(CallerBounds { free: 1, ..BOUNDS });
        for _ in 0..100 {
            limits.begin_request(ONE).unwrap().refund_token();
        }
        let free = (0..100).take_while(|_| limits.begin_request(ONE).is_ok()).count();
        assert!((20..25).contains(&free), "{free}");
        assert_eq!(limits.begin_request(ONE).err(), Some(LimitExceeded::Free(1.0)));
        assert!(limits.begin_request(CallerId::Network([0; 8])).is_ok());
    }

    #[test]
    fn bytes_that_are_not_read_are_bounded_of_one_and_of_all() {
        let limits = CallerLimits::new(BOUNDS);
        let hold = |caller_id, bytes| {
            let mut reply = limits.begin_request(caller_id)?;
            reply.add_reply_bytes(bytes).map(|()| reply)
        };
        let first = hold(ONE, MIB).unwrap();
        assert_eq!(hold(ONE, MIB + 1).err(), Some(LimitExceeded::ReplyBytes(2 * MIB)));
        let second = hold(ONE, MIB).unwrap();
        // Refused before any work is done.
        assert_eq!(limits.begin_request(ONE).err(), Some(LimitExceeded::ReplyBytes(2 * MIB)));
        assert_eq!(hold(TWO, MIB + 1).err(), Some(LimitExceeded::AllReplyBytes));
        let third = hold(TWO, MIB).unwrap();
        assert_eq!(limits.begin_request(CallerId::Owner(3)).err(), Some(LimitExceeded::AllReplyBytes));
        drop((first, second, third));
        // A single reply may be longer than the limit.
        assert!(hold(ONE, 4 * MIB).is_ok());
        assert_eq!(limits.reply_bytes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn refusals_of_an_address_have_a_line_a_second_and_the_others_are_counted() {
        let limits = CallerLimits::new(BOUNDS);
        let [one, two] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().unwrap());
        let logged = [one, one, one, two].map(|from| limits.count_refusal(from));
        assert_eq!(logged, [Some(0), None, None, Some(0)]);
        let id = CallerId::from_address(one);
        limits.by_caller.get_mut(&id).unwrap().logged_at = Instant::now().checked_sub(LOG_EVERY);
        assert_eq!([limits.count_refusal(one), limits.count_refusal(one)], [Some(2), None]);
    }

    #[test]
    fn guests_from_an_address_have_so_many_pages_that_cost_something() {
        let limits = CallerLimits::new(BOUNDS);
        let [one, two, home] = ["192.0.2.1", "192.0.2.2", "127.0.0.1"].map(|text| text.parse().unwrap());
        assert!(limits.begin_guest_page(one).is_ok());
        limits.refund_guest_page(one);
        assert!(limits.begin_guest_page(one).is_ok() && limits.begin_guest_page(one).is_ok());
        let Err(LimitExceeded::GuestPages { an_hour: 2, retry_after_s }) = limits.begin_guest_page(one)
        else {
            panic!("a third page is shown");
        };
        assert!((3_590..=3_601).contains(&retry_after_s), "{retry_after_s}");
        assert!(limits.begin_guest_page(two).is_ok());
        assert!((0..9).all(|_| limits.begin_guest_page(home).is_ok()));
    }
}
