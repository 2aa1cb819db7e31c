//! A server in this process over a plain folder that a [`Refresher`] watches, with the operators' routes. It has few operations, so that
//! a set is planned and checked quickly; other tests run the real binary with all operations.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use parquote::call::Service;
use parquote::engine::{Engine, QueryLimits};
use parquote::http::{HttpSettings, Metrics, Readiness, RefreshHandle, admin};
use parquote::mcp::McpSettings;
use parquote::operation::{Catalogue, Market};
use parquote::refresh::{
    MarketStatus, RefreshSettings, RefreshStatus, Refresher, SetAdministration, Snapshots,
};
use parquote::routes;
use parquote::set::Root;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value as Json, json};
use tokio::task::JoinHandle;

use crate::demo_market::{RUNTIME, SELECTS, few_operations};
use crate::server::{Reply, listen};

/// The operations of the server: over small tables, over long ones, and over several tables.
static OPERATIONS: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
    let names = [
        "companies", "company/ai-profile", "company/daily-prices", "company/momentum", "market/breadth",
        "market/rs-changes", "market/top-movers", "query", "status",
    ];
    few_operations(&names, &[]).unwrap()
});

/// Timeout for events that should come soon.
const TIMEOUT: Duration = Duration::from_mins(5);

/// A server over a plain folder.
pub(crate) struct Fixture {
    folder: tempfile::TempDir,
    refresher: Refresher,
    snapshots: Arc<Snapshots>,
    status: RefreshStatus,
    addresses: [SocketAddr; 2],
    serving: Vec<JoinHandle<std::io::Result<()>>>,
    client: Client,
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.serving.iter().for_each(JoinHandle::abort);
    }
}

/// Returns settings under which files are loaded as soon as they have been at rest for a moment.
pub(crate) fn at_rest() -> RefreshSettings {
    let pause = Duration::from_millis(50);
    RefreshSettings { quiet: pause, poll: pause, plans_ahead: false, ..RefreshSettings::default() }
}

/// Returns settings under which files are loaded only when a test requests it.
pub(crate) fn on_request() -> RefreshSettings {
    let pause = Duration::from_hours(1);
    RefreshSettings { quiet: pause, poll: pause, plans_ahead: false, ..RefreshSettings::default() }
}

impl Fixture {
    /// Starts a server over a folder that `fill` fills first.
    pub(crate) fn over(settings: RefreshSettings, fill: impl FnOnce(&Path)) -> Self {
        Self::behind(settings, QueryLimits::default(), fill, |service| service)
    }

    /// Starts the same with query limits and with a wrapper around the service.
    pub(crate) fn behind(
        settings: RefreshSettings,
        limits: QueryLimits,
        fill: impl FnOnce(&Path),
        before: impl FnOnce(Service) -> Service,
    ) -> Self {
        Self::with_operations(&OPERATIONS, settings, limits, fill, before)
    }

    /// Starts the same with other operations.
    pub(crate) fn with_operations(
        operations: &Arc<Catalogue>,
        settings: RefreshSettings,
        limits: QueryLimits,
        fill: impl FnOnce(&Path),
        before: impl FnOnce(Service) -> Service,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        fill(&data);
        let status = RefreshStatus::default();
        let engine = Engine::new(Arc::clone(operations), &limits);
        let (cache, progress) = (folder.path().join("cache"), engine.progress().clone());
        let (refresher, first) =
            Refresher::start(Root::folder(&data), cache, engine, settings, status.clone()).unwrap();
        let wait = async { tokio::time::timeout(TIMEOUT, first).await };
        let snapshots = RUNTIME
            .block_on(wait)
            .unwrap_or_else(|_| panic!("no first set: {:?}", status.by_market()))
            .unwrap();
        let service = Service::with_snapshots(Arc::clone(operations), Arc::clone(&snapshots));
        let service = Arc::new(before(service.with_select_processes(Arc::clone(&SELECTS), 4)));
        let readiness = Readiness::default();
        readiness.mark_loaded();
        let metrics = Arc::new(Metrics::new(Arc::default(), status.clone()));
        let refreshing =
            RefreshHandle { status: status.clone(), request: refresher.scan_trigger(), progress };
        let servers = [
            routes(&service, HttpSettings::default(), &McpSettings::default()),
            admin(readiness, metrics, refreshing),
        ];
        let mut serving = Vec::new();
        let addresses = servers.map(|routes| {
            let (address, task) = listen(routes);
            serving.push(task);
            address
        });
        let client = Client::builder().no_proxy().build().unwrap();
        Self { folder, refresher, snapshots, status, addresses, serving, client }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns the operations of the server.
    pub(crate) fn catalogue() -> &'static Arc<Catalogue> {
        &OPERATIONS
    }

    /// Returns the served snapshots.
    pub(crate) fn snapshots(&self) -> Arc<Snapshots> {
        Arc::clone(&self.snapshots)
    }

    /// Returns the administration of the sets.
    pub(crate) fn administration(&self) -> SetAdministration {
        SetAdministration::new(self.snapshots(), self.status.clone(), self.refresher.scan_trigger())
    }

    /// Requests a page of the explorer with headers.
    pub(crate) fn page(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let request = self.client.get(format!("http://{}{path}", self.addresses[0]));
        reply(headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)))
    }

    /// Returns a path below the folder of the Indian market.
    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.data().join("india").join(path)
    }

    /// Sends a GET for a path below `/v1/`.
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.pinned(path, None)
    }

    /// Sends the same, pinned to the set in the `x-snapshot` header.
    pub(crate) fn pinned(&self, path: &str, snapshot: Option<&str>) -> Reply {
        let pin: Vec<(&str, &str)> = snapshot.map(|snapshot| ("x-snapshot", snapshot)).into_iter().collect();
        reply(self.asking(path, &pin))
    }

    /// Returns a GET request for a path below `/v1/` with headers, not yet sent.
    pub(crate) fn asking(&self, path: &str, headers: &[(&str, &str)]) -> RequestBuilder {
        let request = self.client.get(format!("http://{}/v1/{path}", self.addresses[0]));
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
    }

    /// Calls a tool and returns its result.
    pub(crate) fn tool(&self, name: &str, arguments: &Json) -> Json {
        self.tool_as(&[], name, arguments)
    }

    /// Calls a tool with headers.
    pub(crate) fn tool_as(&self, headers: &[(&str, &str)], name: &str, arguments: &Json) -> Json {
        self.message(headers, "tools/call", &json!({"name": name, "arguments": arguments}))
    }

    /// Sends a message to the tools and returns its result.
    pub(crate) fn message(&self, headers: &[(&str, &str)], method: &str, params: &Json) -> Json {
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let request = self.client.post(format!("http://{}/mcp", self.addresses[0]));
        let request = request
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25")
            .body(message.to_string());
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        reply(request).json()["result"].take()
    }

    /// Returns the answer of `/readyz` on the operators' address.
    pub(crate) fn ready(&self) -> Json {
        reply(self.client.get(format!("http://{}/readyz", self.addresses[1]))).json()
    }

    /// Sends a POST to `/refresh` on the operators' address.
    pub(crate) async fn ask_to_refresh(&self, headers: &[(&str, &str)]) -> Reply {
        let asked = self.client.post(format!("http://{}/refresh", self.addresses[1]));
        let asked = headers.iter().fold(asked, |asked, (name, value)| asked.header(*name, *value));
        Reply::to(asked.timeout(TIMEOUT)).await.unwrap()
    }

    /// Makes the refresher check the folder at once.
    pub(crate) fn refresh(&self) {
        RUNTIME.block_on(self.refresher.scan_trigger().refresh());
    }

    /// Returns the status of the Indian market.
    pub(crate) fn now(&self) -> MarketStatus {
        self.status.by_market().remove(&Market::India).unwrap_or_default()
    }

    /// Returns the number of the served set.
    pub(crate) fn set(&self) -> u64 {
        self.now().set.unwrap()
    }

    /// Waits until the market's status fulfils a condition.
    pub(crate) fn wait(&self, what: &str, so: impl Fn(&MarketStatus) -> bool) {
        let began = Instant::now();
        while !so(&self.now()) {
            assert!(began.elapsed() < TIMEOUT, "{what} did not come: {:#?}", self.now());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns all refusals as one text.
    pub(crate) fn refused(&self) -> String {
        self.now().refused.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    /// Returns the file `refused.json` in the data folder.
    pub(crate) fn refusal(&self) -> Option<Json> {
        let text = fs::read(self.file("refused.json")).ok()?;
        Some(serde_json::from_slice(&text).unwrap())
    }
}

/// Sends a request on the runtime shared by all tests.
pub(crate) fn reply(request: RequestBuilder) -> Reply {
    RUNTIME.block_on(Reply::to(request.timeout(TIMEOUT))).unwrap()
}
