//! OAuth metadata: the tools as a protected resource (RFC 9728), and the authorization server (RFC 8414).

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, HeaderValue};
use axum::response::Response;
use serde_json::{Value as Json, json};

use super::{ACCOUNT_SCOPE, AUTHORIZE, REGISTER, RESOURCE, REVOKE, SCOPE, TOKEN};
use crate::reply;
use parquote_surface::public_url::PublicUrl;

/// Path of the document about the tools.
pub(super) const RESOURCE_OF_TOOLS: &str = "/.well-known/oauth-protected-resource/mcp";
/// All paths at which apps look for that document.
const RESOURCES: [&str; 4] = [
    RESOURCE_OF_TOOLS,
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp/discover",
    "/.well-known/oauth-protected-resource/mcp/chat",
];
const SERVER: &str = "/.well-known/oauth-authorization-server";

/// Both documents.
pub(super) struct Metadata {
    resource: Bytes,
    server: Bytes,
}

impl Metadata {
    pub(super) fn from_public_url(public_url: &PublicUrl) -> Self {
        Self { resource: bytes(&resource(public_url)), server: bytes(&server(public_url)) }
    }

    /// Returns the documents with their paths.
    pub(super) fn documents(&self) -> Vec<(&'static str, Bytes)> {
        let resources = RESOURCES.into_iter().map(|path| (path, self.resource.clone()));
        resources.chain([(SERVER, self.server.clone())]).collect()
    }
}

/// Returns true if one of the documents is at a path.
pub(super) fn is_at(path: &str) -> bool {
    path == SERVER || RESOURCES.contains(&path)
}

/// Builds the reply with a document.
pub(super) fn metadata_reply(body: Bytes) -> Response {
    let mut response = reply::fresh_json(StatusCode::OK, body);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    response
}

fn bytes(document: &Json) -> Bytes {
    document.to_string().into()
}

fn resource(public_url: &PublicUrl) -> Json {
    json!({
        "resource": public_url.url_of(RESOURCE),
        "authorization_servers": [public_url.as_str()],
        "scopes_supported": [SCOPE, ACCOUNT_SCOPE],
        "bearer_methods_supported": ["header"],
        "resource_name": "Parquote",
        "resource_documentation": public_url.url_of("/v1/docs"),
    })
}

fn server(public_url: &PublicUrl) -> Json {
    json!({
        "issuer": public_url.as_str(),
        "authorization_endpoint": public_url.url_of(AUTHORIZE),
        "token_endpoint": public_url.url_of(TOKEN),
        "registration_endpoint": public_url.url_of(REGISTER),
        "revocation_endpoint": public_url.url_of(REVOKE),
        "scopes_supported": [SCOPE, ACCOUNT_SCOPE],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
        "service_documentation": public_url.url_of("/v1/docs"),
    })
}
