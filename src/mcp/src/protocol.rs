//! The SDK's server trait, answered from the catalogue. Permissions are decided by the call.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt as _;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value as Json;

use super::handler::{McpHandler, Mode};
use super::prompts::PromptTools;
use super::tool_request::ToolRequest;
use super::{chart_app, discover, endpoint, instructions, refused};
use parquote_access::redact;

/// Time to live of a list in the client: it changes when another version of the program starts, or when a set brings the first data of a
/// tool or removes the last.
const LIST_LIFETIME: Duration = Duration::from_mins(5);
/// Methods that are answered here; others are not found.
const KNOWN_METHODS: &str = "initialize ping server/discover tools/list tools/call prompts/list \
    prompts/get resources/list resources/templates/list resources/read completion/complete";
/// Methods that revisions since 2026-07-28 do not have.
const EARLIER_METHODS: [&str; 2] = ["initialize", "ping"];

impl McpHandler {
    /// Returns the request context: the caller and its view. An error over stdio if the key has become invalid.
    fn tool_request(&self, context: &RequestContext<RoleServer>) -> Result<ToolRequest, ErrorData> {
        match endpoint::tool_request(&context.extensions) {
            Some(tool_call) => Ok(tool_call.clone()),
            None => self.local_tool_request(),
        }
    }

    /// Returns the request context as [`McpHandler::tool_request`], after checking its view.
    fn request_in_view(&self, context: &RequestContext<RoleServer>) -> Result<ToolRequest, ErrorData> {
        let tool_call = self.tool_request(context)?;
        tool_call
            .view
            .check(&self.tools, self.mode == Mode::Chat)
            .map_err(|error| refused::invalid_params(&error.to_string()))?;
        Ok(tool_call)
    }

    /// Returns the tools that prompts name in this mode.
    fn prompt_tools(&self) -> PromptTools<'_> {
        if self.mode == Mode::Chat { PromptTools::Chat(&self.chat) } else { PromptTools::Whole(&self.tools) }
    }

    fn implementation() -> Implementation {
        Implementation::new("parquote", env!("CARGO_PKG_VERSION"))
            .with_title("Parquote")
            .with_description(parquote_surface::wording::PROGRAM)
    }
}

/// Returns true if a request uses a revision without a handshake.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

/// Adds the name and version of this server, which newer revisions require on every result.
fn add_server_info(context: &RequestContext<RoleServer>, meta: &mut Option<MetaObject>) {
    const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    if is_modern(context)
        && let Ok(info) = serde_json::to_value(McpHandler::implementation())
    {
        meta.get_or_insert_default().insert(SERVER_INFO.to_owned(), info);
    }
}

/// Refuses a cursor: all lists have one page, as some clients drop the second.
fn one_page(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor.as_ref()) {
        Some(_) => Err(refused::invalid_params(
            "`cursor`: lists come in one page, so that there is none to go on from",
        )),
        None => Ok(()),
    }
}

/// Adds the fields that newer revisions require to a list.
macro_rules! complete_list {
    ($context:expr, $list:expr, $scope:expr) => {{
        let mut list = $list;
        if is_modern($context) {
            list = list.with_ttl_ms(LIST_LIFETIME.as_millis() as u64).with_cache_scope($scope);
        }
        add_server_info($context, &mut list.meta);
        Ok(list)
    }};
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_tools()
            .enable_extensions_with(chart_app::extension())
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Self::implementation())
            .with_instructions(instructions::text(&self.tools, self.mode))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.request_in_view(&context)?;
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        self.request_in_view(&context)?;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(LIST_LIFETIME.as_millis() as u64)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        one_page(request.as_ref())?;
        let tool_call = self.request_in_view(&context)?;
        let (tools, scope) = match self.mode {
            Mode::Discover => (discover::tools(), CacheScope::Public),
            // Tools that a key may not call are left out, so that the list depends on the caller.
            Mode::Chat => (
                self.chat.listed_tools(&tool_call.view, tool_call.caller.tier()).collect(),
                CacheScope::Private,
            ),
            Mode::Whole => {
                let snapshot = self.service_now().snapshot_for(&tool_call.caller);
                let seen = tool_call.view.tools_to_list(&self.tools, &snapshot).cloned().collect();
                // A shared cache knows a list by its method only, and would return a partial list to callers who want all. Callers may also
                // see another snapshot than the public.
                let is_for_all = snapshot.id() == self.service.shared_snapshot().id();
                let scope = if tool_call.view.is_default() && is_for_all {
                    CacheScope::Public
                } else {
                    CacheScope::Private
                };
                (seen, scope)
            }
        };
        complete_list!(&context, ListToolsResult::with_all_items(tools), scope)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let is_repeated = request.input_responses.is_some();
        let arguments = request.arguments.unwrap_or_default();
        let call = async {
            let server = self.with_data().await;
            let tool_call = server.tool_request(&context)?;
            match server.mode {
                Mode::Whole => server.call(&tool_call, &request.name, &arguments).await,
                Mode::Discover => server.call_discover(&tool_call, &request.name, &arguments).await,
                Mode::Chat => match server.chat.find(&request.name) {
                    Some(tool) => Ok(Box::pin(server.call_chat(&tool_call, tool, &arguments)).await),
                    None => Err(server.chat.unknown(&request.name)),
                },
            }
        };
        // The SDK runs this in a separate task: without its token the call would go on after the caller hung up, and a panic would leave
        // the caller waiting.
        let called = tokio::select! {
            called = AssertUnwindSafe(call).catch_unwind() => called,
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("the caller hung up", None)),
        };
        let mut result = called.unwrap_or_else(|_| {
            tracing::error!(tool = &*redact(&request.name), "a call failed by a panic");
            Err(ErrorData::internal_error("the server failed on this request", None))
        })?;
        add_server_info(&context, &mut result.meta);
        Ok(self.response_or_page(&context, is_repeated, result))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        one_page(request.as_ref())?;
        let list = ListPromptsResult::with_all_items(self.prompts.load().list());
        complete_list!(&context, list, CacheScope::Public)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let mut prompt = self.prompts.load().get(self.prompt_tools(), &request.name, &arguments)?;
        add_server_info(&context, &mut prompt.meta);
        Ok(prompt.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        one_page(request.as_ref())?;
        let list = ListResourcesResult::with_all_items(Self::resources());
        complete_list!(&context, list, CacheScope::Public)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        one_page(request.as_ref())?;
        let list = ListResourceTemplatesResult::with_all_items(Self::resource_templates());
        complete_list!(&context, list, CacheScope::Public)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.with_data().await.resource(&request.uri)?;
        let result: Result<_, ErrorData> = complete_list!(&context, read, CacheScope::Public);
        Ok(result?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let server = self.with_data().await;
        let mut result = CompleteResult::new(
            server
                .completion(&request, &server.service.snapshot_for(&server.tool_request(&context)?.caller))?,
        );
        add_server_info(&context, &mut result.meta);
        Ok(result)
    }

    /// The SDK treats a method whose parameters it cannot parse as unknown.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method.as_str();
        let is_gone = is_modern(&context) && EARLIER_METHODS.contains(&method);
        if KNOWN_METHODS.split(' ').any(|known| known == method) && !is_gone {
            return Err(refused::invalid_params(&params_fault(method, request.params.as_ref())));
        }
        let message = format!("Method not found: {method}");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, redact(&message).into_owned(), None))
    }

    fn supported_protocol_versions(&self) -> std::borrow::Cow<'static, [ProtocolVersion]> {
        ProtocolVersion::KNOWN_VERSIONS.into()
    }
}

/// Returns the fault in the parameters of a method.
fn params_fault(method: &str, params: Option<&Json>) -> String {
    let needed: &[(&str, &str)] = match method {
        "initialize" => &[("protocolVersion", "text"), ("capabilities", "object"), ("clientInfo", "object")],
        "tools/call" | "prompts/get" => &[("name", "text")],
        "resources/read" => &[("uri", "text")],
        "completion/complete" => &[("ref", "object"), ("argument", "object")],
        _ => &[],
    };
    let Some(params) = params.filter(|params| !params.is_null()) else {
        let names: Vec<&str> = needed.iter().map(|(name, _)| *name).collect();
        return format!("{method}: `params` is missing; it has {}", names.join(", "));
    };
    let Some(fields) = params.as_object() else { return format!("{method}: `params` is an object") };
    for (name, kind) in needed {
        let fits = fields
            .get(*name)
            .is_some_and(|value| if *kind == "text" { value.is_string() } else { value.is_object() });
        if !fits {
            return format!("{method}: `{name}` is a required {kind}");
        }
    }
    match fields.get("arguments") {
        Some(arguments) if !arguments.is_object() => format!("{method}: `arguments` is an object"),
        _ => format!("{method}: the parameters are not those of this method"),
    }
}
