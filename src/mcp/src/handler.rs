//! The server behind the tools: what it answers from, for whichever caller. What of it the SDK asks for is in `protocol`.

use std::sync::Arc;

use rmcp::model::{ErrorCode, ErrorData};
use tokio::sync::watch;

use super::call_outcome::OutcomeSlot;
use super::chat::ChatTools;
use super::local::Local;
use super::paid_drawings::PaidDrawings;
use super::settings::McpSettings;
use super::tool_request::ToolRequest;
use super::tools::ToolList;
use parquote_access::redact;
use parquote_call::Service;

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
    pub(super) drawings: Arc<PaidDrawings>,
    pub(super) local: Option<Arc<Local>>,
    /// What answers as soon as data is there, where it is waited for.
    pub(super) later: Option<LaterService>,
}

/// What answers once data is there.
pub type LaterService = watch::Receiver<Option<Arc<Service>>>;

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
        Self {
            service,
            tools,
            chat,
            mode,
            answer_bytes: settings.answer_bytes,
            public_url,
            drawings: Arc::default(),
            local: None,
            later: None,
        }
    }

    /// The same server for one caller on this machine, whose data comes later.
    pub(super) fn for_local(self, local: Local, later: LaterService) -> Self {
        Self { local: Some(Arc::new(local)), later: Some(later), ..self }
    }

    /// The same server with its data; where that is still loaded, it is waited for.
    pub(super) async fn with_data(&self) -> Self {
        let Some(mut later) = self.later.clone() else { return self.clone() };
        // Whoever loads it ends this process where that fails.
        let service = later.wait_for(Option::is_some).await.ok().and_then(|service| service.clone());
        Self { service: service.unwrap_or_else(|| Arc::clone(&self.service)), later: None, ..self.clone() }
    }

    /// What answers now.
    pub(super) fn service_now(&self) -> Arc<Service> {
        let later = self.later.as_ref().and_then(|later| later.borrow().clone());
        later.unwrap_or_else(|| Arc::clone(&self.service))
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
