//! A call of an admitted caller: its operation, and the quota that is reserved for it.
//!
//! The cost is reserved before the work, so that concurrent calls overdraw no quota. A call that proves free is refunded. One that is
//! neither committed nor refunded stays paid: the caller hung up after the work began.

use std::sync::{Arc, Mutex, PoisonError};

use super::caller::Caller;
use super::payer::Payer;
use parquote_access::{AccessControl, AccessError, Allowance, CallEnd, Reservation};
use parquote_catalogue::operation::{Operation, Tier};

/// A call of an admitted caller.
pub struct MeteredCall {
    operation: Arc<Operation>,
    caller: Caller,
    allowance: Allowance,
    /// The reservation, until it is committed or refunded; `None` for an unmetered call.
    reservation: Option<(Arc<AccessControl>, Reservation)>,
    /// Quota left after an additional charge; `None` before one.
    quota_left: Arc<Mutex<Option<Allowance>>>,
}

impl MeteredCall {
    pub(super) fn unmetered(operation: Arc<Operation>, caller: Caller, allowance: Allowance) -> Self {
        Self { operation, caller, allowance, reservation: None, quota_left: Arc::default() }
    }

    pub(super) fn with_reservation(
        operation: Arc<Operation>,
        caller: Caller,
        access: Arc<AccessControl>,
        reservation: Reservation,
        allowance: Allowance,
    ) -> Self {
        let reservation = Some((access, reservation));
        Self { operation, caller, allowance, reservation, quota_left: Arc::default() }
    }

    /// Returns the operation.
    pub fn operation(&self) -> &Arc<Operation> {
        &self.operation
    }

    /// Returns the caller.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns the caller's tier.
    pub fn tier(&self) -> Tier {
        self.caller.tier()
    }

    /// Returns the quota left after this call is paid.
    pub fn allowance(&self) -> Allowance {
        self.quota_left.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or(self.allowance)
    }

    /// Takes an additional cost, which is paid however the call ends.
    pub(super) async fn charge(&self, cost: u32) -> Result<(), AccessError> {
        if let Some((access, reservation)) = &self.reservation {
            let (_, left) = access.reserve(reservation.key(), cost).await?;
            *self.quota_left.lock().unwrap_or_else(PoisonError::into_inner) = Some(left);
        }
        Ok(())
    }

    /// Returns the payer of additional costs; `None` if calls are not counted.
    pub(super) fn payer(&self) -> Option<Payer> {
        let (access, reservation) = self.reservation.as_ref()?;
        let (access, key) = (Arc::clone(access), Arc::clone(reservation.key()));
        Some(Payer { access, key, quota_left: Arc::clone(&self.quota_left) })
    }

    /// Returns true if the call costs quota once it is committed.
    pub fn costs(&self) -> bool {
        self.reservation.as_ref().is_some_and(|(_, reservation)| reservation.costs())
    }

    /// Ends the call without charge, and returns the quota left after the refund.
    pub fn refund(mut self) -> Allowance {
        self.reservation.take().map_or(self.allowance(), |(access, reservation)| access.refund(&reservation))
    }

    /// Ends the call as paid, and returns the quota left.
    pub fn commit(mut self) -> Allowance {
        if let Some((access, reservation)) = self.reservation.take() {
            access.count_use(reservation.key(), &self.operation.name, CallEnd::Answered);
        }
        self.allowance()
    }
}

impl Drop for MeteredCall {
    /// A panic is a fault of the server, so its call is refunded.
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some((access, reservation)) = self.reservation.take()
        {
            access.refund(&reservation);
        }
    }
}
