//! A host on the loopback address that replies as a Parquote with OAuth, except where a test replaces its reply.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::demo_market::RUNTIME;

/// The key that the host accepts.
pub(super) const KEY: &str = "pq_0123456789abcdef0123456789abcdef";

/// Returns the replacement of a reply to a path without its slash, if any.
type Replacement = dyn Fn(&str, &Parts) -> Option<Response> + Send + Sync;

/// The host, which ends with this value.
pub(super) struct BrokenHost {
    pub(super) url: String,
    /// The number of calls of tools.
    pub(super) calls: Arc<AtomicUsize>,
    serving: JoinHandle<()>,
}

impl Drop for BrokenHost {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl BrokenHost {
    /// Starts a host with replaced replies.
    pub(super) fn start(
        replacement: impl Fn(&str, &Parts) -> Option<Response> + Send + Sync + 'static,
    ) -> Self {
        let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let replacement: Arc<Replacement> = Arc::new(replacement);
        let calls = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&calls);
        let router = Router::new().fallback(move |request: Request| {
            let (replacement, counted) = (Arc::clone(&replacement), Arc::clone(&counted));
            async move {
                let (parts, body) = request.into_parts();
                let body = to_bytes(body, 1 << 20).await.unwrap();
                let is_call = String::from_utf8_lossy(&body).contains("tools/call");
                counted.fetch_add(usize::from(is_call), Ordering::SeqCst);
                let path = parts.uri.path().trim_end_matches('/').to_owned();
                replacement(&path, &parts).unwrap_or_else(|| sound(address, &path, &parts, &body))
            }
        });
        let serving = RUNTIME.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url: format!("http://{address}"), calls, serving }
    }
}

/// Builds a reply.
pub(super) fn reply(status: StatusCode, kind: &str, body: &str) -> Response {
    Response::builder().status(status).header("content-type", kind).body(Body::from(body.to_owned())).unwrap()
}

/// Builds a reply whose body never ends.
pub(super) fn unfinished() -> Response {
    Response::new(Body::from_stream(futures::stream::pending::<std::io::Result<Vec<u8>>>()))
}

/// Replies as a sound server.
fn sound(address: SocketAddr, path: &str, parts: &Parts, body: &[u8]) -> Response {
    let json = |status: StatusCode, body: Json| reply(status, "application/json", &body.to_string());
    let at = |path: &str| format!("http://{address}{path}");
    match (parts.method.as_str(), path) {
        ("GET", "/v1/status") => json(StatusCode::OK, json!({"service": "parquote"})),
        ("GET", "/v1/market/breadth") if has_key(parts) => json(StatusCode::OK, json!({"data": {}})),
        ("GET", "/.well-known/oauth-protected-resource/mcp") => {
            json(StatusCode::OK, json!({"resource": at("/mcp"), "authorization_servers": [at("")]}))
        }
        ("GET", "/.well-known/oauth-authorization-server") => json(
            StatusCode::OK,
            json!({
                "issuer": at(""), "authorization_endpoint": at("/authorize"), "token_endpoint": at("/oauth/token"),
                "registration_endpoint": at("/oauth/register"), "code_challenge_methods_supported": ["S256"],
            }),
        ),
        ("POST", "/oauth/token") => json(StatusCode::BAD_REQUEST, json!({"error": "invalid_grant"})),
        ("POST", "/oauth/register") => json(StatusCode::CREATED, json!({"client_id": "an app"})),
        ("GET", "/mcp" | "/mcp/chat") => json(StatusCode::METHOD_NOT_ALLOWED, json!({})),
        ("POST", "/mcp" | "/mcp/chat") if has_key(parts) => answered(body),
        ("POST", "/mcp" | "/mcp/chat") => {
            let mut refused = json(StatusCode::UNAUTHORIZED, json!({"message": "an API key is needed"}));
            let named =
                format!("Bearer resource_metadata=\"{}\"", at("/.well-known/oauth-protected-resource/mcp"));
            refused.headers_mut().insert("www-authenticate", named.parse().unwrap());
            refused
        }
        _ => json(StatusCode::NOT_FOUND, json!({"message": "there is no such route"})),
    }
}

/// Returns true if a request has the key, in a header or in its URL.
fn has_key(parts: &Parts) -> bool {
    let headers = ["authorization", "x-api-key"].into_iter().filter_map(|name| parts.headers.get(name));
    headers.map(|value| value.to_str().unwrap()).chain(parts.uri.query()).any(|text| text.ends_with(KEY))
}

/// Answers a message of the protocol.
fn answered(body: &[u8]) -> Response {
    let message: Json = serde_json::from_slice(body).unwrap();
    let result = match message["method"].as_str().unwrap() {
        "initialize" => json!({"protocolVersion": message["params"]["protocolVersion"]}),
        "tools/list" => json!({"tools": [{"name": "status", "inputSchema": {"type": "object"}}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": "{}"}]}),
        _ => return reply(StatusCode::ACCEPTED, "application/json", ""),
    };
    let body = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    reply(StatusCode::OK, "application/json", &body.to_string())
}
