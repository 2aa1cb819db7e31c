//! An HTTP request around the SDK's transport: it reads the caller's view from the URL, removes everything that could contain a key, and
//! turns plain-text errors of the SDK into JSON-RPC errors.
//!
//! The key does not get past this file: the SDK sees a path without a query, and no header with a key.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::header::{self, HeaderName};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::Response;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use rmcp::model::Extensions;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value as Json, json};
use tokio::time::timeout;
use tower::ServiceExt as _;

use super::call_outcome::OutcomeSlot;
use super::guarded::PanicGuard;
use super::handler::{McpHandler, Mode};
use super::message;
use super::settings::McpSettings;
use super::tool_request::ToolRequest;
use super::tools::ToolList;
use super::view::ToolView;
use parquote_access::redact;
use parquote_call::{Caller, Service};
use parquote_surface::log_fields::LogFields;

/// Path that lists all tools.
const ALL_TOOLS_PATH: &str = "/mcp";
/// Path of three tools that find and call the others.
const DISCOVER: &str = "/mcp/discover";
/// Path of the chat tools, each of which combines several operations.
const CHAT: &str = "/mcp/chat";
/// Paths of the endpoint.
pub const PATHS: [&str; 3] = [ALL_TOOLS_PATH, DISCOVER, CHAT];

const X_SNAPSHOT: HeaderName = HeaderName::from_static("x-snapshot");
const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// Headers equivalent to the query parameters of the view.
const OPTIONS: [(&str, &str); 3] =
    [("x-mcp-toolsets", "toolsets"), ("x-mcp-tools", "tools"), ("x-mcp-exclude-tools", "exclude_tools")];
/// Longest plain-text reply of the SDK that is converted.
const SENTENCE_BYTES: usize = 64 * 1024;

type Transport = StreamableHttpService<PanicGuard<McpHandler>, NeverSessionManager>;

/// The HTTP endpoint.
#[derive(Clone)]
pub struct Endpoint {
    whole: Transport,
    discover: Transport,
    chat: Transport,
    tools: Arc<ToolList>,
    body_bytes: usize,
    body_time: Duration,
}

impl Endpoint {
    /// Builds an endpoint for the tools of a service.
    pub fn new(service: &Arc<Service>, settings: &McpSettings) -> Self {
        let tools = Arc::new(ToolList::new(service));
        let transport = |mode| {
            let handler = McpHandler::new(Arc::clone(service), Arc::clone(&tools), settings, mode);
            let sessions = Arc::new(NeverSessionManager::default());
            StreamableHttpService::new(
                move || Ok(PanicGuard(handler.clone())),
                sessions,
                transport_settings(settings),
            )
        };
        Self {
            whole: transport(Mode::Whole),
            discover: transport(Mode::Discover),
            chat: transport(Mode::Chat),
            tools: Arc::clone(&tools),
            body_bytes: settings.body_bytes,
            body_time: settings.body_time,
        }
    }

    /// Reads the body of a request and checks that it is a message.
    pub fn read_body(self, request: Request) -> BoxFuture<'static, Result<Request, Response>> {
        let read = async move {
            let (parts, body) = request.into_parts();
            let body = if parts.method == Method::POST { self.read(body).await? } else { Body::empty() };
            Ok(Request::from_parts(parts, body))
        };
        read.boxed()
    }

    /// Answers a request whose extensions contain the caller, and whose body was read.
    pub fn answer(self, request: Request) -> BoxFuture<'static, Response> {
        self.answer_request(request).boxed()
    }

    async fn answer_request(self, request: Request) -> Response {
        let (mut parts, body) = request.into_parts();
        let Some(caller) = parts.extensions.get::<Caller>().cloned() else {
            return http_refusal(StatusCode::UNAUTHORIZED, "an API key is needed");
        };
        let view = ToolView::read(&options(&parts));
        let path = parts.uri.path().trim_end_matches('/');
        let is_discover = path == DISCOVER;
        let is_chat = path == CHAT || (path == ALL_TOOLS_PATH && view.is_chat(&self.tools));
        let outcome = OutcomeSlot::default();
        let pin = parts.headers.get(X_SNAPSHOT).map(|value| value.to_str().unwrap_or("?").into());
        parts.extensions.insert(ToolRequest { caller, view: Arc::new(view), pin, outcome: outcome.clone() });
        remove_keys(&mut parts);
        let transport = match (is_chat, is_discover) {
            (true, _) => self.chat,
            (_, true) => self.discover,
            _ => self.whole,
        };
        let Ok(response) = transport.oneshot(Request::from_parts(parts, body)).await;
        complete_reply(response.map(Body::new), &outcome).await
    }

    /// Reads the body within the timeout, and checks that it is one JSON-RPC message.
    async fn read(&self, body: Body) -> Result<Body, Response> {
        let Ok(read) = timeout(self.body_time, to_bytes(body, self.body_bytes)).await else {
            let message = format!("the body took longer than {} s to come", self.body_time.as_secs_f64());
            return Err(http_refusal(StatusCode::REQUEST_TIMEOUT, &message));
        };
        let Ok(bytes) = read else {
            let message = format!("the body is longer than {} bytes, or incomplete", self.body_bytes);
            return Err(http_refusal(StatusCode::PAYLOAD_TOO_LARGE, &message));
        };
        match message::check(&bytes) {
            Ok(()) => Ok(bytes.into()),
            Err(malformed) => Err(json_reply(StatusCode::BAD_REQUEST, malformed.body())),
        }
    }
}

/// Returns the context that the endpoint attached to a request; `None` for stdio.
pub(super) fn tool_request(extensions: &Extensions) -> Option<&ToolRequest> {
    extensions.get::<Parts>()?.extensions.get()
}

fn transport_settings(settings: &McpSettings) -> StreamableHttpServerConfig {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(settings.allowed_hosts())
        .with_max_request_body_bytes(settings.body_bytes);
    match settings.allowed_origins() {
        Some(origins) => config.with_allowed_origins(origins).enforce_origin_validation(),
        None => config.disable_allowed_origins(),
    }
}

/// Returns the options of the view: query pairs, and the equivalent headers.
fn options(parts: &Parts) -> Vec<(String, String)> {
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    let mut options: Vec<(String, String)> = url::form_urlencoded::parse(query).into_owned().collect();
    for (header, name) in OPTIONS {
        // A value that is no text is refused as an unknown name: ignored, it would list tools that the client excludes.
        for value in parts.headers.get_all(header) {
            options.push((name.to_owned(), value.to_str().unwrap_or("?").to_owned()));
        }
    }
    options
}

/// Removes everything that can contain a key. Accepts both forms of a reply, even if the client names none or only one.
fn remove_keys(parts: &mut Parts) {
    for name in
        [header::AUTHORIZATION, header::PROXY_AUTHORIZATION, header::COOKIE, header::REFERER, X_API_KEY]
    {
        parts.headers.remove(name);
    }
    // An authority in the URL, as in HTTP/2, overrides `Host`; the SDK reads the header.
    let host = parts.uri.authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok());
    if let Some(host) = host {
        parts.headers.insert(header::HOST, host);
    }
    if let Ok(path) = Uri::builder().path_and_query(parts.uri.path()).build() {
        parts.uri = path;
    }
    if parts.method == Method::POST {
        let both = HeaderValue::from_static("application/json, text/event-stream");
        parts.headers.insert(header::ACCEPT, both);
    }
}

/// Adds headers and log fields of the call to a reply, and converts errors of the SDK to JSON.
async fn complete_reply(response: Response, slot: &OutcomeSlot) -> Response {
    let mut response = if response.status().is_client_error() || response.status().is_server_error() {
        refusal_as_json(response).await
    } else {
        response
    };
    let outcome = slot.take_outcome();
    if let Some(seconds) = outcome.refused.as_ref().and_then(|refused| refused.after_s()) {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    let bytes = response.body().size_hint().exact().unwrap_or_default() as usize;
    if let Some(allowance) = outcome.allowance {
        response.extensions_mut().insert(allowance);
    }
    response.extensions_mut().insert(LogFields {
        operation: outcome.operation,
        cause: outcome.refused,
        bytes,
        is_paid: outcome.is_paid,
    });
    forbid_caching(response.headers_mut());
    response
}

/// Converts a refusal of the SDK to a JSON-RPC error, with keys redacted.
async fn refusal_as_json(response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, SENTENCE_BYTES).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&body);
    let mut reply = match serde_json::from_slice::<Json>(&body) {
        Ok(_) => json_reply(parts.status, redact(&text).into_owned().into_bytes()),
        // The message was checked before: if the SDK cannot deserialize it, it is not a message of this protocol.
        Err(_) if parts.status == StatusCode::UNSUPPORTED_MEDIA_TYPE && text.contains("deserialize") => {
            http_refusal(StatusCode::BAD_REQUEST, "the body is not a message of this protocol")
        }
        Err(_) => http_refusal(parts.status, hint(parts.status).unwrap_or(&text)),
    };
    if let Some(allow) = parts.headers.get(header::ALLOW) {
        reply.headers_mut().insert(header::ALLOW, allow.clone());
    }
    reply
}

/// Returns a hint at the remedy, for refusals of the SDK, which have none.
fn hint(status: StatusCode) -> Option<&'static str> {
    match status {
        StatusCode::METHOD_NOT_ALLOWED => Some("only POST is answered here, with one JSON-RPC message"),
        StatusCode::FORBIDDEN => Some(
            "the Host or the Origin of this request is not one that is answered to; whoever runs the server names them with \
             --mcp-hosts and --mcp-origins",
        ),
        _ => None,
    }
}

/// Builds a refusal of the HTTP request itself, independent of its message.
fn http_refusal(status: StatusCode, message: &str) -> Response {
    let code = if status.is_server_error() { -32603 } else { -32600 };
    let data = json!({"status": status.as_u16()});
    json_reply(status, message::error(code, &redact(message), None, Some(&data)))
}

fn json_reply(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    forbid_caching(response.headers_mut());
    response
}

fn forbid_caching(headers: &mut HeaderMap) {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
