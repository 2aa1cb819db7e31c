//! The result of a call, passed back through the SDK for headers and log; it does not contain the answer.

use std::sync::{Arc, Mutex, PoisonError};

use parquote_access::Allowance;
use parquote_catalogue::error::ClientError;

/// Slot into which a call writes its outcome.
#[derive(Debug, Clone, Default)]
pub(super) struct OutcomeSlot(Arc<Mutex<CallOutcome>>);

#[derive(Debug, Default)]
pub(super) struct CallOutcome {
    /// Name of the operation.
    pub operation: Option<Arc<str>>,
    /// Quota left after the call.
    pub allowance: Option<Allowance>,
    /// True if the call was charged.
    pub is_paid: bool,
    /// Refusal of the call.
    pub refused: Option<Arc<ClientError>>,
}

impl OutcomeSlot {
    pub(super) fn record_call(&self, operation: &str) {
        self.write(|outcome| outcome.operation = Some(operation.into()));
    }

    pub(super) fn record_result(&self, allowance: Allowance, is_paid: bool, refused: Option<ClientError>) {
        self.write(|outcome| {
            outcome.allowance = Some(allowance);
            outcome.is_paid = is_paid;
            outcome.refused = refused.map(Arc::new);
        });
    }

    /// Takes the outcome and leaves an empty one.
    pub(super) fn take_outcome(&self) -> CallOutcome {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn write(&self, write: impl FnOnce(&mut CallOutcome)) {
        write(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
