//! A demo market, a state file with keys, and a server behind a gate whose clock the test moves.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};

use parquote::access::{Gate, Secret};
use parquote::call::Service;
use parquote::demo::{DemoOptions, Size};
use parquote::derive::raw::Silent;
use parquote::derive::{DeriveOptions, derive};
use parquote::engine::{Limits, Snapshot, Wanted};
use parquote::operation::{Catalogue, Market, Tier};
use parquote::state::{NewKey, Store};
use parquote::surface::http::{HttpSettings, router, serve};
use reqwest::{Client, Method, Response};
use serde_json::Value as Json;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// Noon of 30 October 2026 in India.
pub(crate) const NOON: i64 = 1_793_341_800;
/// A text of the form of a key that nobody was given.
pub(crate) const UNKNOWN: &str = "pq_00000000000000000000000000000000";

/// Where asynchronous work of all tests runs.
pub(crate) static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
/// The built-in query files.
pub(crate) static CATALOGUE: LazyLock<Arc<Catalogue>> =
    LazyLock::new(|| Arc::new(Catalogue::with_overlay(&[]).unwrap()));
/// Tables of a few companies, more of them than a free key sees.
pub(crate) static DATA: LazyLock<PathBuf> = LazyLock::new(make);

fn make() -> PathBuf {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap().keep();
    let size = Some(Size { companies: 40, sessions: 80 });
    let options = DemoOptions { india: size, us: size, ..DemoOptions::small() };
    let (raw, data) = (folder.join("raw"), folder.join("data"));
    parquote::demo::write(&raw, &options, &mut |_, _, _| {}).unwrap();
    for market in Market::ALL {
        let options = DeriveOptions { raw: raw.clone(), data: data.clone(), as_of: None, lists_as_of: None };
        RUNTIME.block_on(derive(&CATALOGUE, market, &options, &Silent)).unwrap();
    }
    data
}

/// A server over the demo market, and its state file.
pub(crate) struct House {
    pub service: Arc<Service>,
    pub store: Store,
    wrong_keys: u32,
    settings: HttpSettings,
    clock: Arc<AtomicI64>,
    address: SocketAddr,
    client: Client,
    folder: tempfile::TempDir,
}

/// A reply as it came.
#[derive(Debug)]
pub(crate) struct Reply {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: String,
}

/// A key to be issued.
pub(crate) fn new(tier: Tier) -> (Secret, NewKey) {
    let secret = Secret::generate().unwrap();
    let key = NewKey {
        hash: secret.hash(),
        hint: secret.hint().to_owned(),
        tier: tier.word().to_owned(),
        owner: "Test".to_owned(),
        note: String::new(),
        quota_day: None,
        quota_hour: None,
        created_at: NOON,
        expires_at: None,
    };
    (secret, key)
}

impl House {
    /// A server whose state file holds these keys.
    pub(crate) fn with(keys: &[&NewKey], wrong_keys: u32, settings: HttpSettings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("state.db")).unwrap();
        for key in keys {
            store.insert_key(key).unwrap();
        }
        Self::over(store, folder, wrong_keys, settings)
    }

    /// The same house with a server that has just read the state file.
    pub(crate) fn reopened(self) -> Self {
        Self::over(self.store, self.folder, self.wrong_keys, self.settings)
    }

    fn over(store: Store, folder: tempfile::TempDir, wrong_keys: u32, settings: HttpSettings) -> Self {
        let clock = Arc::new(AtomicI64::new(NOON));
        let now = Arc::clone(&clock);
        let gate = Gate::open(&store, wrong_keys, Arc::new(move || now.load(Ordering::Relaxed))).unwrap();
        let data = DATA.to_string_lossy();
        let limits = Limits::default();
        let snapshot = Snapshot::open(Arc::clone(&CATALOGUE), &data, Wanted::Served, &limits);
        let snapshot = RUNTIME.block_on(snapshot).unwrap();
        let service = Arc::new(Service::new(Arc::clone(&CATALOGUE), snapshot).behind(Arc::new(gate)));
        let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let routes = router(Arc::clone(&service), settings.clone());
        RUNTIME.spawn(serve(listener, routes, std::future::pending()));
        let client = Client::builder().no_proxy().build().unwrap();
        Self { service, store, wrong_keys, settings, clock, address, client, folder }
    }

    /// A server for one key.
    pub(crate) fn of(key: &NewKey) -> Self {
        Self::with(&[key], 1_000, HttpSettings::default())
    }

    /// Sets the server's clock.
    pub(crate) fn at(&self, now: i64) {
        self.clock.store(now, Ordering::Relaxed);
    }

    /// A request for a path below `/v1/`.
    pub(crate) fn ask(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Reply {
        RUNTIME.block_on(self.send(method, path, headers))
    }

    /// GET with a key in the recommended place.
    pub(crate) fn get(&self, key: &Secret, path: &str) -> Reply {
        self.ask(Method::GET, path, &[("x-api-key", key.reveal())])
    }

    pub(crate) async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Reply {
        let mut request = self.client.request(method, format!("http://{}/v1/{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Reply::read(request.send().await.unwrap()).await
    }
}

impl Reply {
    pub(crate) async fn read(response: Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { status, headers, body: response.text().await.unwrap() }
    }

    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The message of a refusal, which is in the envelope of the contract.
    pub(crate) fn message(&self) -> String {
        let body = self.json();
        assert_eq!(body.as_object().unwrap().len(), 3, "{body}");
        assert_eq!((&body["error"], &body["status"]), (&Json::from(true), &Json::from(self.status)));
        body["message"].as_str().unwrap().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<i64> {
        self.headers.get(name)?.to_str().unwrap().parse().ok()
    }

    /// What is left of the day and of the hour, as the headers say it.
    pub(crate) fn left(&self) -> Option<(i64, i64)> {
        let left = (self.header("x-ratelimit-remaining-daily"), self.header("x-ratelimit-remaining-hourly"));
        let limits = (self.header("x-ratelimit-limit-daily"), self.header("x-ratelimit-limit-hourly"));
        assert_eq!(left.0.is_some(), limits.0.is_some() && limits.1.is_some());
        Some((left.0?, left.1?))
    }
}
