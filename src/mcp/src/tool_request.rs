//! What goes with a request through the SDK: who asks, and what of the list they want to see. The key itself does not go in.

use std::sync::Arc;

use super::call_outcome::OutcomeSlot;
use super::view::ToolView;
use parquote_call::Caller;

/// A request as the handler sees it.
#[derive(Debug, Clone)]
pub(super) struct ToolRequest {
    pub caller: Caller,
    pub view: Arc<ToolView>,
    /// The set to which calls are pinned, unless an argument names another.
    pub pin: Option<Arc<str>>,
    pub outcome: OutcomeSlot,
}
