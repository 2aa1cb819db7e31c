//! Requests to the routes of a server: every one is answered, none with a server fault.

use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use parquote::call::Service;
use parquote::http::{HttpSettings, Routes};
use parquote::mcp::McpSettings;
use parquote::routes;
use serde_json::json;

use super::harness::run;
use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, SELECTS, open};

/// Returns the routes over the little market, without connections.
fn server() -> Routes {
    let service = Service::new(Arc::clone(&CATALOGUE), open(&LITTLE.data).unwrap());
    let service = Arc::new(service.with_select_processes(Arc::clone(&SELECTS), 2));
    routes(&service, HttpSettings::default(), &McpSettings::default())
}

/// Returns the status and the body of a reply.
fn ask(routes: &Routes, request: Request<Body>) -> (u16, String) {
    RUNTIME.block_on(async {
        let reply = routes.answer(request).await;
        let status = reply.status().as_u16();
        let body = reply.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8_lossy(&body).into_owned())
    })
}

/// A request target of any bytes, with `Accept` after a line end.
#[test]
fn requests_of_operations() {
    let routes = server();
    let examples = CATALOGUE.operations().iter().filter(|operation| operation.has_route).map(|operation| {
        let example = operation.examples.first().cloned().unwrap_or_default();
        format!("/v1/{}?{example}\ntext/csv;q=0.5, */*", operation.name).into_bytes()
    });
    run("operations", &examples.collect::<Vec<_>>(), |bytes| {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let target = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
        let mut request = Request::get(target).header("host", "localhost");
        for line in lines {
            request = request.header("accept", line);
        }
        // An invalid request is refused by the HTTP library.
        let Ok(request) = request.body(Body::empty()) else { return };
        let (status, body) = ask(&routes, request);
        // Operations on stored user data report the missing state file.
        assert!(status < 500 || status == 503 && body.contains("state file"), "{status}: {body}");
    });
}

#[test]
fn messages_of_tools() {
    let call = |name: &str, arguments: serde_json::Value| json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "fuzz", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {"cursor": "10"}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": "parquote://catalogue"}}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "prompts/get", "params": {"name": "stock_deep_dive", "arguments": {"symbol": "TCS"}}}),
        json!({"jsonrpc": "2.0", "id": 4, "method": "completion/complete", "params": {"ref": {"type": "ref/prompt", "name": "stock_deep_dive"},
            "argument": {"name": "symbol", "value": "T"}}}),
        call("get_company_profile", json!({"symbol": "TCS"})),
        call("get_market_sectors", json!({})),
        call("screen_stocks", json!({"min_roce": 10, "sort_by": "roce", "fields": ["symbol", "roce"]})),
    ];
    let seeds: Vec<Vec<u8>> = messages.iter().map(|it| it.to_string().into_bytes()).collect();
    let routes = server();
    let send = |bytes: &[u8]| {
        let request = Request::post("/mcp")
            .header("host", "127.0.0.1")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25");
        ask(&routes, request.body(Body::from(bytes.to_vec())).unwrap())
    };
    // Unchanged seeds succeed, so changed ones reach the handlers.
    for seed in [&seeds[0], &seeds[7], &seeds[8]] {
        let (status, body) = send(seed);
        assert!(status == 200 && body.contains("\"result\""), "{status}: {body}");
    }
    run("messages", &seeds, |bytes| {
        let (status, body) = send(bytes);
        assert!(status < 500, "{status}: {body}");
        assert!(!body.contains("-32603"), "{body}");
    });
}
