//! REST and the tools behind one address.

use std::sync::Arc;

use crate::call::Service;
use crate::{http, mcp};

/// REST and MCP of a service behind one address. They meet here alone; neither knows of the other.
pub fn routes(service: &Arc<Service>, http: http::HttpSettings, mcp: &mcp::McpSettings) -> http::Routes {
    let endpoint = mcp::Endpoint::new(service, mcp);
    let reader = endpoint.clone();
    let take_in = move |request| reader.clone().take_in(request);
    let answer = move |request| endpoint.clone().answer(request);
    let mount = http::Mount::new(&mcp::PATHS, take_in, answer, mcp::refusal, mcp.body_bytes as u64);
    // A page that the endpoint answers to also reads what it is answered.
    let readers = match mcp.allowed_origins() {
        Some(origins) => http::CrossOrigin::Origins(origins.into()),
        None => http::CrossOrigin::Everyone,
    };
    http::router_with(Arc::clone(service), http, vec![mount.read_by(readers)])
}
