//! The context of a request on its way through the SDK: the caller and its view. The key itself is not included.

use std::sync::Arc;

use super::call_outcome::OutcomeSlot;
use super::view::ToolView;
use parquote_call::{Caller, Pin};

/// A request in the form for the handler.
#[derive(Debug, Clone)]
pub(super) struct ToolRequest {
    pub caller: Caller,
    pub view: Arc<ToolView>,
    /// Set to which calls are pinned, unless an argument names another.
    pub pin: Option<Arc<str>>,
    pub outcome: OutcomeSlot,
}

impl ToolRequest {
    /// Returns the pin of its calls.
    pub(super) fn pin(&self) -> Option<Pin<'_>> {
        self.pin.as_deref().map(Pin::from_header)
    }
}
