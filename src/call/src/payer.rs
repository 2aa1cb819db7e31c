//! The payer of work that is priced by its time.
//!
//! The maximum cost is reserved before the work runs, so that no quota is overdrawn; the unused part is refunded when the work ends, even
//! if its caller has left.

use std::sync::{Arc, Mutex, PoisonError};

use super::access_refusal::access_refusal;
use super::processor_time::ProcessorTime;
use parquote_access::{AccessControl, Allowance, Key, Reservation};
use parquote_catalogue::error::ClientError;
use parquote_handlers::cost_of_work;

/// A key that pays for work, with the access control that counts its quota.
#[derive(Clone)]
pub(super) struct Payer {
    pub access: Arc<AccessControl>,
    pub key: Arc<Key>,
    /// Quota left after a charge in addition to the price of the call; `None` before one.
    pub quota_left: Arc<Mutex<Option<Allowance>>>,
}

/// The maximum cost of work, reserved until it ends.
pub(super) struct HeldCost<'a> {
    payer: &'a Payer,
    reservation: Reservation,
    spent: ProcessorTime,
}

impl Drop for HeldCost<'_> {
    fn drop(&mut self) {
        let left = self.payer.access.refund_rest(&self.reservation, cost_of_work(self.spent.time_used()));
        *self.payer.quota_left.lock().unwrap_or_else(PoisonError::into_inner) = Some(left);
    }
}

impl Payer {
    /// Reserves the maximum cost of work; 429 if less is left, 503 if the quota is unknown.
    pub(super) async fn reserve_maximum(
        &self,
        most: u32,
        spent: &ProcessorTime,
    ) -> Result<HeldCost<'_>, ClientError> {
        let reserved = self.access.reserve(&self.key, most).await.map_err(|refused| {
            let refused = access_refusal(&refused);
            let price = format!("a SELECT may cost {most} requests more, by the time that it takes");
            ClientError { message: format!("{price}: {}", refused.message), ..refused }
        })?;
        Ok(HeldCost { payer: self, reservation: reserved.0, spent: spent.clone() })
    }
}
