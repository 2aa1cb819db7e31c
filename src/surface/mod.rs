//! Adapters without rules: each turns its protocol into a call and back.

pub(crate) mod asset;
pub(crate) mod embedded_pages;
pub(crate) mod example_request;
pub(crate) mod groups;
pub(crate) mod guides;
pub(crate) mod html_page;
pub(crate) mod json_schema;
pub mod manual;
pub mod openapi;
pub mod pages;
pub mod sample;
pub mod tls;
pub(crate) mod table_reference;
pub(crate) mod wording;
pub(crate) mod trail;
pub(crate) mod worked_example;

pub mod http;
pub mod mcp;

use std::sync::Arc;

use crate::call::Service;

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
