//! A caller who was let in: for which operation, and what was taken for it.
//!
//! The cost is taken before the work, so that no allowance is overdrawn however many calls run at once. A call that
//! proves free of charge is settled so. One that is never settled has been paid: the caller hung up after the work began.

use std::sync::Arc;

use super::Caller;
use crate::access::{Allowance, Gate, Reservation};
use crate::operation::Tier;

/// A caller who was let in.
pub struct Visit {
    index: usize,
    caller: Caller,
    allowance: Allowance,
    taken: Option<(Arc<Gate>, Reservation)>,
}

impl Visit {
    pub(super) fn free(index: usize, caller: Caller, allowance: Allowance) -> Self {
        Self { index, caller, allowance, taken: None }
    }

    pub(super) fn counted(
        index: usize,
        caller: Caller,
        gate: Arc<Gate>,
        (reservation, allowance): (Reservation, Allowance),
    ) -> Self {
        Self { index, caller, allowance, taken: Some((gate, reservation)) }
    }

    /// The place of the operation in the catalogue.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Who was let in.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The caller's tier.
    pub fn tier(&self) -> Tier {
        self.caller.tier()
    }

    /// What is left once this call is paid.
    pub fn allowance(&self) -> Allowance {
        self.allowance
    }

    /// Whether the call costs something of an allowance, if it is paid.
    pub fn costs(&self) -> bool {
        self.taken.as_ref().is_some_and(|(_, reservation)| reservation.costs())
    }

    /// Ends the visit without charge: what was taken goes back. What is left then comes back.
    pub fn waive(mut self) -> Allowance {
        self.taken.take().map_or(self.allowance, |(gate, reservation)| gate.give_back(&reservation))
    }

    /// Ends the visit: the call is paid. What is left comes back.
    pub fn pay(mut self) -> Allowance {
        self.taken = None;
        self.allowance
    }
}

impl Drop for Visit {
    /// A call that fails by a panic is a fault of ours, and costs nothing.
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some((gate, reservation)) = self.taken.take()
        {
            gate.give_back(&reservation);
        }
    }
}
