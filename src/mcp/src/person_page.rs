//! Redirection of a user to a page of this server: a secret sent through a chat would be stored in it and read by a model.
//!
//! The refusal of a call that lacks the secret names the page. A client that can open addresses is requested to open it, and repeats the
//! call when the user is done; that call is answered normally.

use std::collections::BTreeMap;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ElicitRequest, ElicitRequestParams, InputRequest,
    InputRequiredResult,
};
use rmcp::service::RequestContext;

use super::handler::McpHandler;
use super::refused::{ERROR, PAGE};

/// Name of the request in the client's response.
const REQUEST: &str = "page";
const WORDS: &str = "Open this page of the server to save a key of a model provider. The key goes to the server alone, and not through the chat.";

impl McpHandler {
    /// Returns the response of a call: its result, or a request to open a page if the user must go there first and the client can open it.
    pub(super) fn response_or_page(
        &self,
        context: &RequestContext<RoleServer>,
        is_repeated: bool,
        mut result: CallToolResult,
    ) -> CallToolResponse {
        let page = result.meta.as_ref().and_then(|meta| meta.get(ERROR)?.get(PAGE)?.as_str());
        let page = page.map(str::to_owned);
        let (Some(page), Some(server)) = (page, &self.public_url) else { return result.into() };
        let url = format!("{server}{page}");
        let capabilities = context.client_capabilities();
        let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
        let can_open = elicitation.is_some_and(|elicitation| elicitation.url.is_some());
        // Earlier revisions of the protocol do not have this response.
        let has_response = context.protocol_version().is_some_and(|version| !version.has_initialize());
        if !can_open || !has_response || is_repeated {
            result.content.push(ContentBlock::text(format!("Page: {url}")));
            return result.into();
        }
        let params = ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message: WORDS.to_owned(),
            url,
            elicitation_id: String::new(),
        };
        let request = InputRequest::Elicitation(ElicitRequest::new(params));
        let mut required =
            InputRequiredResult::from_input_requests(BTreeMap::from([(REQUEST.to_owned(), request)]));
        required.meta = result.meta;
        required.into()
    }
}
