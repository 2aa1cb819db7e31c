//! What a call came to, on its way back through the SDK: it knows what to tell the headers and the log, and no answer.

use std::sync::{Arc, Mutex, PoisonError};

use parquote_access::Allowance;
use parquote_catalogue::error::ClientError;

/// What a call came to, for the headers and the log.
#[derive(Debug, Clone, Default)]
pub(super) struct OutcomeSlot(Arc<Mutex<CallOutcome>>);

/// What a call came to.
#[derive(Debug, Default)]
pub(super) struct CallOutcome {
    /// The operation.
    pub operation: Option<Arc<str>>,
    /// What is left once it is paid.
    pub allowance: Option<Allowance>,
    /// Whether it cost something of the allowance.
    pub is_paid: bool,
    /// Why it was refused.
    pub refused: Option<Arc<ClientError>>,
}

impl OutcomeSlot {
    /// Writes down which operation is called.
    pub(super) fn calls(&self, operation: &str) {
        self.write(|outcome| outcome.operation = Some(operation.into()));
    }

    /// Writes down how it ended.
    pub(super) fn ended(&self, allowance: Allowance, is_paid: bool, refused: Option<ClientError>) {
        self.write(|outcome| {
            outcome.allowance = Some(allowance);
            outcome.is_paid = is_paid;
            outcome.refused = refused.map(Arc::new);
        });
    }

    /// Takes what was written.
    pub(super) fn take(&self) -> CallOutcome {
        let mut taken = CallOutcome::default();
        self.write(|outcome| std::mem::swap(outcome, &mut taken));
        taken
    }

    fn write(&self, write: impl FnOnce(&mut CallOutcome)) {
        write(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
