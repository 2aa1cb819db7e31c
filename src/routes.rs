//! Combines the routes of REST and MCP at one address.

use std::sync::Arc;

use crate::call::Service;
use crate::{http, mcp};

/// Builds the routes of a service for REST and MCP. No other code depends on both protocols.
pub fn routes(service: &Arc<Service>, http: http::HttpSettings, mcp: &mcp::McpSettings) -> http::Routes {
    let endpoint = mcp::Endpoint::new(service, mcp);
    let reader = endpoint.clone();
    let read_body = move |request| reader.clone().read_body(request);
    let answer = move |request| endpoint.clone().answer(request);
    let mount = http::Mount::new(&mcp::PATHS, read_body, answer, mcp::refusal, mcp.body_bytes as u64);
    // Web pages of origins that the endpoint allows can also read its responses (CORS).
    let readers = match mcp.allowed_origins() {
        Some(origins) => http::CrossOrigin::Origins(origins.into()),
        None => http::CrossOrigin::Everyone,
    };
    http::router_with(Arc::clone(service), http, vec![mount.with_allowed_origins(readers)])
}
