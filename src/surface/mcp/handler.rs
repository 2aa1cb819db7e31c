//! The server behind the tools: what it answers from, for whichever caller. What of it the SDK asks for is in `protocol`.

use std::sync::Arc;

use rmcp::model::{ErrorCode, ErrorData};

use super::call_outcome::OutcomeSlot;
use super::chat::ChatTools;
use super::local::Local;
use super::settings::McpSettings;
use super::tool_request::ToolRequest;
use super::tools::ToolList;
use crate::access::redact;
use crate::call::Service;

/// Which tools are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// All.
    Whole,
    /// Three that find and call the others.
    Discover,
    /// Some that answer questions, each from several operations.
    Chat,
}

/// The server, as cheap to copy as a few pointers: the SDK wants one for each request.
#[derive(Clone)]
pub(super) struct McpHandler {
    pub(super) service: Arc<Service>,
    pub(super) tools: Arc<ToolList>,
    pub(super) chat: Arc<ChatTools>,
    pub(super) mode: Mode,
    pub(super) answer_bytes: usize,
    /// Where people reach the pages of this server, if that is known.
    pub(super) public_url: Option<Arc<str>>,
    pub(super) local: Option<Arc<Local>>,
}

impl McpHandler {
    pub(super) fn new(
        service: Arc<Service>,
        tools: Arc<ToolList>,
        settings: &McpSettings,
        mode: Mode,
    ) -> Self {
        // A mistake in a declaration is told when the program starts; here there are no such tools then.
        let chat = Arc::new(ChatTools::of(service.catalogue()).unwrap_or_default());
        let public_url = settings.public_url.as_deref().map(|url| url.trim_end_matches('/').into());
        Self { service, tools, chat, mode, answer_bytes: settings.answer_bytes, public_url, local: None }
    }

    /// The same server for one caller on this machine.
    pub(super) fn for_local(self, local: Local) -> Self {
        Self { local: Some(Arc::new(local)), ..self }
    }

    /// The request of the one caller on this machine.
    ///
    /// # Errors
    /// A server for callers elsewhere, or a key that does not work any more.
    pub(super) fn asked_locally(&self) -> Result<ToolRequest, ErrorData> {
        let local = self.local.as_ref().ok_or_else(|| ErrorData::internal_error("nobody asks", None))?;
        let caller = local.caller(&self.service).map_err(|refused| {
            let code = ErrorCode(i32::from(refused.kind.status()));
            ErrorData::new(code, redact(&refused.message).into_owned(), None)
        })?;
        let (view, outcome) = (Arc::new(local.view()), OutcomeSlot::default());
        Ok(ToolRequest { caller, view, pin: None, outcome })
    }
}
