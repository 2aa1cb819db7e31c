//! The handler behind the tools, for every caller. `protocol` implements the SDK's trait for it.

use std::sync::Arc;

use arc_swap::ArcSwap;
use rmcp::model::{ErrorCode, ErrorData};
use tokio::sync::watch;

use super::call_outcome::OutcomeSlot;
use super::chat::ChatTools;
use super::local::StdioCaller;
use super::paid_drawings::PaidDrawings;
use super::prompts::Prompts;
use super::settings::McpSettings;
use super::tool_request::ToolRequest;
use super::tools::ToolList;
use parquote_access::redact;
use parquote_call::Service;

/// Selection of listed tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// The tools of operations.
    Whole,
    /// Three tools that find, describe and call the others.
    Discover,
    /// The chat tools, each of which combines several operations.
    Chat,
}

/// The handler; cloning is cheap, as the SDK needs one for each request.
#[derive(Clone)]
pub(super) struct McpHandler {
    pub(super) service: Arc<Service>,
    pub(super) tools: Arc<ToolList>,
    pub(super) chat: Arc<ChatTools>,
    /// The prompts, which may be reloaded.
    pub(super) prompts: Arc<ArcSwap<Prompts>>,
    pub(super) mode: Mode,
    pub(super) answer_bytes: usize,
    /// Public address of this server; `None` if it is not configured.
    pub(super) public_url: Option<Arc<str>>,
    pub(super) drawings: Arc<PaidDrawings>,
    pub(super) local: Option<Arc<StdioCaller>>,
    /// Service to use once data is loaded, over stdio; `None` over HTTP.
    pub(super) service_when_loaded: Option<ServiceReceiver>,
}

/// Receiver of the service once data is loaded.
pub type ServiceReceiver = watch::Receiver<Option<Arc<Service>>>;

impl McpHandler {
    pub(super) fn new(
        service: Arc<Service>,
        tools: Arc<ToolList>,
        settings: &McpSettings,
        mode: Mode,
    ) -> Self {
        // Mistakes in declarations are reported at startup; the list of chat tools is empty then.
        let chat = Arc::new(ChatTools::from_catalogue(service.catalogue()).unwrap_or_default());
        let default_prompts = || {
            Arc::new(ArcSwap::from_pointee(Prompts::from_catalogue(service.catalogue()).unwrap_or_default()))
        };
        let prompts = settings.prompts.clone().unwrap_or_else(default_prompts);
        let public_url = settings.public_url.as_deref().map(|url| url.trim_end_matches('/').into());
        Self {
            service,
            tools,
            chat,
            prompts,
            mode,
            answer_bytes: settings.answer_bytes,
            public_url,
            drawings: Arc::default(),
            local: None,
            service_when_loaded: None,
        }
    }

    /// Returns the handler for a caller over stdio, with data that is loaded later.
    pub(super) fn for_local(self, local: StdioCaller, later: ServiceReceiver) -> Self {
        Self { local: Some(Arc::new(local)), service_when_loaded: Some(later), ..self }
    }

    /// Returns the handler with its data, after waiting until it is loaded.
    pub(super) async fn with_data(&self) -> Self {
        let Some(mut later) = self.service_when_loaded.clone() else { return self.clone() };
        // If loading fails, the loader ends this process.
        let service = later.wait_for(Option::is_some).await.ok().and_then(|service| service.clone());
        Self {
            service: service.unwrap_or_else(|| Arc::clone(&self.service)),
            service_when_loaded: None,
            ..self.clone()
        }
    }

    /// Returns the current service.
    pub(super) fn service_now(&self) -> Arc<Service> {
        let later = self.service_when_loaded.as_ref().and_then(|later| later.borrow().clone());
        later.unwrap_or_else(|| Arc::clone(&self.service))
    }

    /// Returns the request context of the caller over stdio; an error if there is none, or if the key has become invalid.
    pub(super) fn local_tool_request(&self) -> Result<ToolRequest, ErrorData> {
        let local = self.local.as_ref().ok_or_else(|| ErrorData::internal_error("nobody asks", None))?;
        let caller = local.caller(&self.service).map_err(|refused| {
            let code = ErrorCode(i32::from(refused.kind.status()));
            ErrorData::new(code, redact(&refused.message).into_owned(), None)
        })?;
        let (view, outcome) = (Arc::new(local.view()), OutcomeSlot::default());
        Ok(ToolRequest { caller, view, pin: None, outcome })
    }
}
