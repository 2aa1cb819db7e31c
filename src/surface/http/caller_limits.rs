//! How much one caller may have under way, and how much may be asked that costs nothing of an allowance.
//!
//! Answers are paid from the allowance of a key, and that bounds them. What is free - documents, lists, what has not changed,
//! refusals - is bounded by a token bucket: a request takes a token, and gets it back when it proves to be paid. Callers with a key
//! are told apart by its owner, all others by their address.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use dashmap::DashMap;

use crate::access::network;
use crate::call::Caller;

/// Seconds of free requests that may come at once.
const BURST_SECONDS: f64 = 20.0;
/// Beyond so many callers those with nothing under way are forgotten: memory stays bounded.
const CALLERS: usize = 65_536;

/// A caller, as far as bounds tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CallerId {
    /// The number of an owner: all keys of one count together.
    Owner(i64),
    /// The address of a caller without one.
    Network([u8; 8]),
}

/// What callers have under way.
pub(super) struct CallerLimits {
    by_caller: DashMap<CallerId, CallerState>,
    /// Requests under way of one caller.
    at_once: usize,
    /// Requests a second that cost nothing of an allowance.
    free: f64,
}

struct CallerState {
    under_way: usize,
    tokens: f64,
    at: Instant,
}

/// A request of a caller under way.
pub(super) struct InFlight {
    limits: Arc<CallerLimits>,
    who: CallerId,
}

/// Why a caller has to wait.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub(super) enum LimitExceeded {
    /// Too many requests are under way.
    #[error(
        "{at_once} requests of this caller are in progress, which is the most allowed; send the next one when one of them is answered"
    )]
    AtOnce {
        /// The bound.
        at_once: usize,
    },
    /// Too many were free of charge.
    #[error(
        "too many requests that cost nothing of an allowance, such as lists, documents and what has not changed: {a_second} a \
         second are answered for one caller; slow down"
    )]
    Free {
        /// The bound.
        a_second: f64,
    },
}

impl CallerId {
    /// Who asks. `None` for whoever sits at the machine itself: nothing is counted.
    pub(super) fn of(caller: Option<&Caller>, from: Option<IpAddr>) -> Option<Self> {
        match caller {
            Some(caller) if !caller.is_guest() => caller.owner_number().map(Self::Owner),
            // Guests share an allowance, not the bounds of one caller.
            _ => from.map(|from| Self::Network(network(from))),
        }
    }
}

impl CallerLimits {
    pub(super) fn new(at_once: usize, free: u32) -> Arc<Self> {
        Arc::new(Self { by_caller: DashMap::new(), at_once, free: f64::from(free) })
    }

    /// Begins a request of a caller.
    ///
    /// # Errors
    /// Which bound it meets.
    pub(super) fn begin(self: &Arc<Self>, who: CallerId) -> Result<InFlight, LimitExceeded> {
        let now = Instant::now();
        self.forget(now);
        let full = self.free * BURST_SECONDS;
        let mut state =
            self.by_caller.entry(who).or_insert_with(|| CallerState { under_way: 0, tokens: full, at: now });
        if state.under_way >= self.at_once {
            return Err(LimitExceeded::AtOnce { at_once: self.at_once });
        }
        state.tokens = self.tokens(&state, now);
        state.at = now;
        if state.tokens < 1.0 {
            return Err(LimitExceeded::Free { a_second: self.free });
        }
        state.tokens -= 1.0;
        state.under_way += 1;
        drop(state);
        Ok(InFlight { limits: Arc::clone(self), who })
    }

    fn tokens(&self, state: &CallerState, now: Instant) -> f64 {
        let since = now.saturating_duration_since(state.at).as_secs_f64();
        since.mul_add(self.free, state.tokens).min(self.free * BURST_SECONDS)
    }

    fn forget(&self, now: Instant) {
        if self.by_caller.len() < CALLERS {
            return;
        }
        let full = self.free * BURST_SECONDS;
        self.by_caller.retain(|_, state| state.under_way > 0 || self.tokens(state, now) < full);
        if self.by_caller.len() >= CALLERS {
            self.by_caller.retain(|_, state| state.under_way > 0);
        }
    }
}

impl InFlight {
    /// The request was paid from an allowance.
    pub(super) fn paid(&self) {
        if let Some(mut state) = self.limits.by_caller.get_mut(&self.who) {
            state.tokens += 1.0;
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if let Some(mut state) = self.limits.by_caller.get_mut(&self.who) {
            state.under_way = state.under_way.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: CallerId = CallerId::Owner(1);

    #[test]
    fn a_caller_has_so_many_under_way_and_others_as_many() {
        let limits = CallerLimits::new(2, 1_000);
        let under_way = [limits.begin(ONE).unwrap(), limits.begin(ONE).unwrap()];
        assert_eq!(limits.begin(ONE).err(), Some(LimitExceeded::AtOnce { at_once: 2 }));
        assert!(limits.begin(CallerId::Owner(2)).is_ok());
        drop(under_way);
        assert!(limits.begin(ONE).is_ok());
    }

    #[test]
    fn what_is_free_is_bounded_and_what_is_paid_is_not() {
        let limits = CallerLimits::new(9, 1);
        for _ in 0..100 {
            limits.begin(ONE).unwrap().paid();
        }
        let free = (0..100).take_while(|_| limits.begin(ONE).is_ok()).count();
        assert!((20..25).contains(&free), "{free}");
        assert_eq!(limits.begin(ONE).err(), Some(LimitExceeded::Free { a_second: 1.0 }));
        assert!(limits.begin(CallerId::Network([0; 8])).is_ok());
    }
}
