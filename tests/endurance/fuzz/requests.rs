//! Requests to the routes of a server: every one is answered, none with a fault of the server.

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

/// The routes over the little market, without connections around them.
fn server() -> Routes {
    let service = Service::new(Arc::clone(&CATALOGUE), open(&LITTLE.data).unwrap());
    let service = Arc::new(service.with_select_processes(Arc::clone(&SELECTS), 2));
    routes(&service, HttpSettings::default(), &McpSettings::default())
}

/// The status and the body of a reply.
fn ask(routes: &Routes, request: Request<Body>) -> (u16, String) {
    RUNTIME.block_on(async {
        let reply = routes.answer(request).await;
        let status = reply.status().as_u16();
        let body = reply.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8_lossy(&body).into_owned())
    })
}

/// A target of any bytes, and `Accept` after a line's end.
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
        // What is no request at all does not come so far.
        let Ok(request) = request.body(Body::empty()) else { return };
        let (status, body) = ask(&routes, request);
        // What needs a state file says that there is none.
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
    // Unchanged, they are answered: what is changed comes as far.
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
