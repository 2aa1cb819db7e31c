//! What goes with a request through the SDK and back: who asks and what of the list they want to see on the way in, and
//! what the call came to on the way out. The key itself does not go in.

use std::sync::{Arc, Mutex, PoisonError};

use super::view::View;
use crate::access::Allowance;
use crate::call::Caller;
use crate::error::ClientError;

/// A request as the handler sees it.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub caller: Caller,
    pub view: Arc<View>,
    /// The set to which calls are pinned, unless an argument names another.
    pub pin: Option<Arc<str>>,
    pub slip: Slip,
}

/// What a call came to, for the headers and the log.
#[derive(Debug, Clone, Default)]
pub(super) struct Slip(Arc<Mutex<Came>>);

/// What a call came to.
#[derive(Debug, Default)]
pub(super) struct Came {
    /// The operation.
    pub operation: Option<Arc<str>>,
    /// What is left once it is paid.
    pub allowance: Option<Allowance>,
    /// Whether it cost something of the allowance.
    pub is_paid: bool,
    /// Why it was refused.
    pub refused: Option<Arc<ClientError>>,
}

impl Slip {
    /// Writes down which operation is called.
    pub(super) fn calls(&self, operation: &str) {
        self.write(|came| came.operation = Some(operation.into()));
    }

    /// Writes down how it ended.
    pub(super) fn ended(&self, allowance: Allowance, is_paid: bool, refused: Option<ClientError>) {
        self.write(|came| {
            came.allowance = Some(allowance);
            came.is_paid = is_paid;
            came.refused = refused.map(Arc::new);
        });
    }

    /// Takes what was written.
    pub(super) fn take(&self) -> Came {
        let mut taken = Came::default();
        self.write(|came| std::mem::swap(came, &mut taken));
        taken
    }

    fn write(&self, write: impl FnOnce(&mut Came)) {
        write(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
