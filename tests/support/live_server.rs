//! A server with a refresher, as `parquote serve` runs it, and many concurrent clients.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parquote::call::Service;
use parquote::engine::{Engine, QueryLimits};
use parquote::http::HttpSettings;
use parquote::mcp::McpSettings;
use parquote::operation::Catalogue;
use parquote::refresh::{MarketStatus, RefreshSettings, RefreshStatus, Refresher, Snapshots};
use parquote::routes;
use parquote::set::Root;
use reqwest::Client;
use tokio::task::JoinHandle;

use crate::demo_market::RUNTIME;
use crate::server::{NOW, Reply, listen};
use crate::tagged_sets::MARKET;

/// A server that stops, with its refresher, when this value is dropped.
pub(crate) struct LiveServer {
    status: RefreshStatus,
    address: SocketAddr,
    client: Client,
    serving: JoinHandle<io::Result<()>>,
    _refresher: Refresher,
}

/// A client of a server.
#[derive(Clone)]
pub(crate) struct Caller {
    client: Client,
    address: SocketAddr,
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl LiveServer {
    /// Serves a root, beginning with its first admissible set.
    pub(crate) fn start(
        catalogue: &Arc<Catalogue>,
        root: Root,
        cache: &Path,
        settings: RefreshSettings,
    ) -> Self {
        let engine = Engine::new(Arc::clone(catalogue), &QueryLimits::default());
        let status = RefreshStatus::default();
        let (refresher, first) =
            Refresher::start(root, cache.to_owned(), engine, settings, status.clone()).unwrap();
        let snapshots: Arc<Snapshots> = RUNTIME.block_on(first).unwrap();
        let service = Arc::new(Service::with_snapshots(Arc::clone(catalogue), snapshots));
        let settings = HttpSettings { clock: Arc::new(|| NOW), ..HttpSettings::default() };
        let routes = routes(&service, settings, &McpSettings::default());
        let (address, serving) = listen(routes);
        let client = Client::builder().no_proxy().build().unwrap();
        Self { status, address, client, serving, _refresher: refresher }
    }

    /// Returns the status of the tagged market.
    pub(crate) fn status(&self) -> MarketStatus {
        self.status.by_market().remove(&MARKET).unwrap_or_default()
    }

    /// Waits until the set of this number is served.
    pub(crate) fn await_set(&self, number: u64) {
        let standing =
            self.await_status(&format!("set {number} is served"), |status| status.set >= Some(number));
        assert_eq!(standing.set, Some(number));
    }

    /// Waits until the market's status fulfils a condition.
    pub(crate) fn await_status(&self, what: &str, holds: impl Fn(&MarketStatus) -> bool) -> MarketStatus {
        const TIMEOUT: Duration = Duration::from_mins(5);
        let began = Instant::now();
        loop {
            let status = self.status();
            if holds(&status) {
                return status;
            }
            assert!(began.elapsed() < TIMEOUT, "not after {} s: {what}: {status:?}", TIMEOUT.as_secs());
            std::thread::sleep(Duration::from_micros(500));
        }
    }

    pub(crate) fn caller(&self) -> Caller {
        Caller { client: self.client.clone(), address: self.address }
    }

    /// Sends a GET for a path below `/v1/`.
    pub(crate) fn get(&self, path: &str) -> Reply {
        RUNTIME.block_on(self.caller().get(path, None)).unwrap()
    }
}

impl Caller {
    /// Sends a GET for a path below `/v1/`, pinned to the sets of both markets if they are given in the form that an answer uses.
    pub(crate) async fn get(&self, path: &str, pin: Option<&str>) -> reqwest::Result<Reply> {
        let mut request = self.client.get(format!("http://{}/v1/{path}", self.address));
        if let Some(pin) = pin {
            request = request.header("x-snapshot", pin);
        }
        Reply::to(request).await
    }
}
