//! Who pays for work that has a price of its own, by the time that it takes.
//!
//! The most that it may cost is held before it runs, so that no allowance is overdrawn; what it did not take goes back when it ends, also
//! where its caller has left meanwhile.

use std::sync::{Arc, Mutex, PoisonError};

use super::not_let_in::not_let_in;
use super::processor_time::ProcessorTime;
use parquote_access::{AccessControl, Allowance, Key, Reservation};
use parquote_catalogue::error::ClientError;
use parquote_handlers::cost_of_work;

/// Who pays for such work.
#[derive(Clone)]
pub(super) struct Payer {
    pub access: Arc<AccessControl>,
    pub key: Arc<Key>,
    /// What is left, once something was taken on top of the price of the call.
    pub left: Arc<Mutex<Option<Allowance>>>,
}

/// The most that work may cost, held until it ends.
pub(super) struct HeldCost<'a> {
    payer: &'a Payer,
    reservation: Reservation,
    spent: ProcessorTime,
}

impl Drop for HeldCost<'_> {
    fn drop(&mut self) {
        let left = self.payer.access.give_back_rest(&self.reservation, cost_of_work(self.spent.spent()));
        *self.payer.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(left);
    }
}

impl Payer {
    /// Holds the most that work may cost.
    ///
    /// # Errors
    /// 429 where less is left, 503 where nobody knows what is left.
    pub(super) async fn hold(&self, most: u32, spent: &ProcessorTime) -> Result<HeldCost<'_>, ClientError> {
        let reserved = self.access.reserve(&self.key, most).await.map_err(|refused| {
            let refused = not_let_in(&refused);
            let price = format!("a SELECT may cost {most} requests more, by the time that it takes");
            ClientError { message: format!("{price}: {}", refused.message), ..refused }
        })?;
        Ok(HeldCost { payer: self, reservation: reserved.0, spent: spent.clone() })
    }
}
