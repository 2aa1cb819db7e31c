//! A call of a caller who was let in: of which operation, and what was taken of the allowance for it.
//!
//! The cost is taken before the work, so that no allowance is overdrawn however many calls run at once. A call that
//! proves free of charge is refunded. One that is neither committed nor refunded has been paid: the caller hung up after the
//! work began.

use std::sync::{Arc, Mutex, PoisonError};

use super::caller::Caller;
use super::payer::Payer;
use parquote_access::{AccessControl, AccessError, Allowance, CallEnd, Reservation};
use parquote_catalogue::operation::{Operation, Tier};

/// A call of a caller who was let in.
pub struct MeteredCall {
    operation: Arc<Operation>,
    caller: Caller,
    allowance: Allowance,
    taken: Option<(Arc<AccessControl>, Reservation)>,
    /// What was left once something was taken on top.
    left: Arc<Mutex<Option<Allowance>>>,
}

impl MeteredCall {
    pub(super) fn free(operation: Arc<Operation>, caller: Caller, allowance: Allowance) -> Self {
        Self { operation, caller, allowance, taken: None, left: Arc::default() }
    }

    pub(super) fn counted(
        operation: Arc<Operation>,
        caller: Caller,
        access: Arc<AccessControl>,
        (reservation, allowance): (Reservation, Allowance),
    ) -> Self {
        Self { operation, caller, allowance, taken: Some((access, reservation)), left: Arc::default() }
    }

    /// The operation.
    pub fn operation(&self) -> &Arc<Operation> {
        &self.operation
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
        self.left.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or(self.allowance)
    }

    /// Takes a cost on top, which is paid however the call ends.
    pub(super) async fn charge(&self, cost: u32) -> Result<(), AccessError> {
        if let Some((access, reservation)) = &self.taken {
            let (_, left) = access.reserve(reservation.key(), cost).await?;
            *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(left);
        }
        Ok(())
    }

    /// Who pays for what is taken on top; `None` where nothing is counted.
    pub(super) fn payer(&self) -> Option<Payer> {
        let (access, reservation) = self.taken.as_ref()?;
        let (access, key) = (Arc::clone(access), Arc::clone(reservation.key()));
        Some(Payer { access, key, left: Arc::clone(&self.left) })
    }

    /// Whether the call costs something of an allowance, if it is paid.
    pub fn costs(&self) -> bool {
        self.taken.as_ref().is_some_and(|(_, reservation)| reservation.costs())
    }

    /// Ends the call without charge: what was taken goes back. What is left then comes back.
    pub fn refund(mut self) -> Allowance {
        self.taken.take().map_or(self.allowance(), |(access, reservation)| access.give_back(&reservation))
    }

    /// Ends the call: it is paid. What is left comes back.
    pub fn commit(mut self) -> Allowance {
        if let Some((access, reservation)) = self.taken.take() {
            access.count_use(reservation.key(), &self.operation.name, CallEnd::Answered);
        }
        self.allowance()
    }
}

impl Drop for MeteredCall {
    /// A call that fails by a panic is a fault of ours, and costs nothing.
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some((access, reservation)) = self.taken.take()
        {
            access.give_back(&reservation);
        }
    }
}
