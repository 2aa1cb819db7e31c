//! A state file with keys, and a server over the shipped demo market with access control whose clock the test sets.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use parquote::access::{AccessControl, Secret};
use parquote::call::Service;
use parquote::http::HttpSettings;
use parquote::mcp::McpSettings;
use parquote::operation::Tier;
use parquote::routes;
use parquote::state::{NewKey, Store};
use reqwest::{Client, Method, Response};
use serde_json::Value as Json;

use crate::demo_market::{CATALOGUE, RUNTIME, SELECTS, SNAPSHOTS};
pub(super) use crate::issued_key::NOON;
use crate::issued_key::key;
use crate::server::listen;

/// A text in the form of a key that was never issued.
pub(super) const UNKNOWN: &str = "pq_00000000000000000000000000000000";

/// A server over the demo market, and its state file.
pub(super) struct Fixture {
    pub service: Arc<Service>,
    pub store: Store,
    wrong_keys: u32,
    settings: HttpSettings,
    clock: Arc<AtomicI64>,
    address: SocketAddr,
    client: Client,
    folder: tempfile::TempDir,
}

/// A reply as received.
#[derive(Debug)]
pub(super) struct Reply {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: String,
}

/// Returns a new key of this tier.
pub(super) fn new(tier: Tier) -> (Secret, NewKey) {
    key("Test", tier)
}

impl Fixture {
    /// Starts a server whose state file contains these keys.
    pub(super) fn with(keys: &[&NewKey], wrong_keys: u32, settings: HttpSettings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("state.db")).unwrap();
        for key in keys {
            store.insert_key(key).unwrap();
        }
        Self::over(store, folder, wrong_keys, settings)
    }

    /// Returns the fixture with a new server that has just read the state file.
    pub(super) fn reopened(self) -> Self {
        Self::over(self.store, self.folder, self.wrong_keys, self.settings)
    }

    fn over(store: Store, folder: tempfile::TempDir, wrong_keys: u32, settings: HttpSettings) -> Self {
        let clock = Arc::new(AtomicI64::new(NOON));
        let now = Arc::clone(&clock);
        let access =
            AccessControl::open(&store, wrong_keys, Arc::new(move || now.load(Ordering::Relaxed))).unwrap();
        let service = Service::with_snapshots(Arc::clone(&CATALOGUE), Arc::clone(&SNAPSHOTS));
        let service = service.with_select_processes(Arc::clone(&SELECTS), 4);
        let service = Arc::new(service.with_access_control(Arc::new(access)));
        let tools = McpSettings { public_url: Some("https://m.example".into()), ..McpSettings::default() };
        let routes = routes(&service, settings.clone(), &tools);
        let (address, _) = listen(routes);
        let client = Client::builder().no_proxy().build().unwrap();
        Self { service, store, wrong_keys, settings, clock, address, client, folder }
    }

    /// Starts a server for one key.
    pub(super) fn for_key(key: &NewKey) -> Self {
        Self::with(&[key], 1_000, HttpSettings::default())
    }

    /// Sets the server's clock.
    pub(super) fn at(&self, now: i64) {
        self.clock.store(now, Ordering::Relaxed);
    }

    /// Sends a request for a path below `/v1/`.
    pub(super) fn ask(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Reply {
        RUNTIME.block_on(self.send(method, path, headers))
    }

    /// Sends a GET with a key in the recommended header.
    pub(super) fn get(&self, key: &Secret, path: &str) -> Reply {
        self.ask(Method::GET, path, &[("x-api-key", key.reveal())])
    }

    /// Requests a page of the explorer.
    pub(super) fn page(&self, key: &Secret, path: &str) -> Reply {
        let request =
            self.client.get(format!("http://{}{path}", self.address)).header("x-api-key", key.reveal());
        RUNTIME.block_on(async { Reply::read(request.send().await.unwrap()).await })
    }

    /// Sends a POST of a message to the MCP endpoint; `behind` is appended to its path.
    pub(super) fn post(&self, behind: &str, headers: &[(&str, &str)], message: &Json) -> Reply {
        let url = format!("http://{}/mcp{behind}", self.address);
        let mut request =
            self.client.post(url).header("content-type", "application/json").body(message.to_string());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        RUNTIME.block_on(async { Reply::read(request.send().await.unwrap()).await })
    }

    /// Sends a POST of a message to the MCP endpoint, as a future that can be dropped.
    pub(super) async fn send_message(&self, key: &Secret, message: &Json) -> reqwest::Result<Response> {
        let request =
            self.client.post(format!("http://{}/mcp", self.address)).header("x-api-key", key.reveal());
        request.header("content-type", "application/json").body(message.to_string()).send().await
    }

    pub(super) async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Reply {
        let mut request = self.client.request(method, format!("http://{}/v1/{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Reply::read(request.send().await.unwrap()).await
    }
}

impl Reply {
    pub(super) async fn read(response: Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { status, headers, body: response.text().await.unwrap() }
    }

    pub(super) fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Returns the message of a refusal from the contract's envelope.
    pub(super) fn message(&self) -> String {
        let body = self.json();
        assert_eq!(body.as_object().unwrap().len(), 3, "{body}");
        assert_eq!((&body["error"], &body["status"]), (&Json::from(true), &Json::from(self.status)));
        body["message"].as_str().unwrap().to_owned()
    }

    pub(super) fn header(&self, name: &str) -> Option<i64> {
        self.headers.get(name)?.to_str().unwrap().parse().ok()
    }

    /// Returns the remaining allowance of the day and of the hour, from the headers.
    pub(super) fn left(&self) -> Option<(i64, i64)> {
        let left = (self.header("x-ratelimit-remaining-daily"), self.header("x-ratelimit-remaining-hourly"));
        let limits = (self.header("x-ratelimit-limit-daily"), self.header("x-ratelimit-limit-hourly"));
        assert_eq!(left.0.is_some(), limits.0.is_some() && limits.1.is_some());
        Some((left.0?, left.1?))
    }
}
