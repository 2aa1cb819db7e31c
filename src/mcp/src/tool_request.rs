//! The context of a request on its way through the SDK: the caller and its view. The key itself is not included.

use std::sync::Arc;

use super::call_outcome::OutcomeSlot;
use super::view::ToolView;
use parquote_call::Caller;

/// A request in the form for the handler.
#[derive(Debug, Clone)]
pub(super) struct ToolRequest {
    pub caller: Caller,
    pub view: Arc<ToolView>,
    /// Set to which calls are pinned, unless an argument names another.
    pub pin: Option<Arc<str>>,
    pub outcome: OutcomeSlot,
}
