//! A server without data: keys and routes are checked as usual, and only requests that need tables must be repeated later.

use std::net::SocketAddr;
use std::sync::Arc;

use parquote::access::{AccessControl, Secret};
use parquote::call::Service;
use parquote::engine::{Engine, QueryLimits, Snapshot};
use parquote::handlers::{AccountUsage, Handlers};
use parquote::http::HttpSettings;
use parquote::mcp::McpSettings;
use parquote::operation::Tier;
use parquote::routes;
use parquote::state::Store;

use crate::demo_market::{CATALOGUE, RUNTIME};
use crate::issued_key::{NOON, key};
use crate::server::{Reply, listen};

/// Starts a server without data; returns its folder, its address and a key that it knows.
fn start() -> (tempfile::TempDir, SocketAddr, Secret) {
    let _inside = RUNTIME.enter();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.db");
    let mut store = Store::open(&file).unwrap();
    let (secret, row) = key("Anu", Tier::Free);
    store.insert_key(&row).unwrap();
    let clock = Arc::new(|| NOON);
    let access = AccessControl::open(&store, 1_000, Arc::clone(&clock) as _).unwrap();
    let engine = Engine::new(Arc::clone(&CATALOGUE), &QueryLimits::default());
    let snapshot = RUNTIME.block_on(Snapshot::before_data(&engine)).unwrap();
    let handlers = Handlers::for_snapshot().with_account_usage(AccountUsage::new(store, clock));
    let service = Service::new(Arc::clone(&CATALOGUE), snapshot)
        .with_handlers(Arc::new(handlers))
        .with_access_control(Arc::new(access));
    let (address, _) = listen(routes(&Arc::new(service), HttpSettings::default(), &McpSettings::default()));
    (folder, address, secret)
}

#[test]
fn before_there_is_data_keys_and_routes_are_known_and_what_needs_no_table_answers() {
    let (_folder, address, secret) = start();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let ask = |path: &str, key: &str| {
        let request = client.get(format!("http://{address}/{path}")).header("x-api-key", key);
        RUNTIME.block_on(Reply::to(request)).unwrap()
    };
    let wrong = format!("pq_{}", "0".repeat(32));
    for path in
        ["v1/companies", "v1/market/breadth", "v1/account/usage", "v1/query?sql=SELECT%201", "v1/nowhere"]
    {
        let reply = ask(path, &wrong);
        assert_eq!(reply.status, 401, "{path}");
    }
    for (path, status) in [
        ("v1/companies", 503),
        ("v1/company/profile?symbol=TCS", 503),
        ("v1/market/trader-scan", 403),
        ("v1/nowhere", 404),
        ("v1/account/usage", 200),
        ("v1/openapi.json", 200),
        ("v1/status", 200),
    ] {
        let reply = ask(path, secret.reveal());
        let body = String::from_utf8_lossy(&reply.body).into_owned();
        assert_eq!(reply.status, status, "{path}: {body}");
        let allowed: u32 = reply.headers["x-ratelimit-limit-daily"].to_str().unwrap().parse().unwrap();
        assert_eq!(allowed, Tier::Free.quota().day, "{path}");
        assert_eq!(reply.headers.contains_key("retry-after"), status == 503, "{path}");
        assert_eq!(body.contains("no data is served yet"), status == 503, "{path}: {body}");
    }
}

#[test]
fn a_key_in_the_address_of_the_tools_counts_where_the_bearer_is_the_id_of_an_app() {
    let (_folder, address, secret) = start();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let hello = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "suite", "version": "1"}}}"#;
    let status = |request: reqwest::RequestBuilder| {
        let request =
            request.header("authorization", "Bearer client-7f3a").header("content-type", "application/json");
        let request = request.header("accept", "application/json, text/event-stream");
        RUNTIME.block_on(Reply::to(request)).unwrap().status
    };
    let key = secret.reveal();
    for path in ["mcp", "mcp/chat", "mcp/discover"] {
        let post = |query: &str| client.post(format!("http://{address}/{path}{query}")).body(hello);
        assert_eq!(status(post(&format!("?apiKey={key}"))), 200, "{path}");
        assert_eq!(status(post("")), 401, "{path}: the id of an app is no key");
        assert_eq!(status(post(&format!("?apiKey={key}")).header("x-api-key", "pq_other")), 400, "{path}");
    }
    assert_eq!(status(client.get(format!("http://{address}/v1/account/usage?apiKey={key}"))), 400);
}
