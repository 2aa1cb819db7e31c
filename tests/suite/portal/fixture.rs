//! A server over the shipped demo market with a portal, and browsers: with cookies, without following redirects.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::future::BoxFuture;
use parquote::access::{AccessControl, Administration, Clock, Secret, StateSync};
use parquote::call::Service;
use parquote::handlers::{AccountUsage, Handlers, SavedItemStore};
use parquote::http::{AppSettings, ClientDocuments, HttpSettings, SessionCookie};
use parquote::mcp::McpSettings;
use parquote::routes;
use parquote::state::{GUEST_HINT, NewKey, Store};
use reqwest::header::HeaderMap;
use reqwest::{Client, Method};
use serde_json::Value as Json;

use crate::demo_market::{CATALOGUE, RUNTIME, SNAPSHOTS};
pub(super) use crate::issued_key::{NOON, key};
use crate::server::listen;

/// The public address under which apps are authorized.
pub(super) const PUBLIC: &str = "https://quotes.example";

/// Documents of apps, without a download.
struct KnownDocuments(BTreeMap<String, String>);

impl ClientDocuments for KnownDocuments {
    fn fetch(&self, url: url::Url) -> BoxFuture<'static, Result<Bytes, String>> {
        let found =
            self.0.get(url.as_str()).cloned().map(Bytes::from).ok_or_else(|| "there is none".to_owned());
        Box::pin(std::future::ready(found))
    }
}

pub(super) struct Fixture {
    pub store: Mutex<Store>,
    clock: Arc<AtomicI64>,
    address: SocketAddr,
    client: Client,
    sync: Option<StateSync>,
    folder: tempfile::TempDir,
}

/// A browser of the server's pages.
pub(super) struct Browser<'a> {
    fixture: &'a Fixture,
    pub cookie: Option<String>,
    pub agent: &'a str,
}

/// A reply as received.
pub(super) struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Fixture {
    /// Starts a server whose state file contains these keys, numbered from 1.
    pub(super) fn with(keys: &[&NewKey]) -> Self {
        Self::with_cookie(keys, SessionCookie::Loopback, 1_000)
    }

    /// Starts the same with another cookie and a limit of wrong keys per minute.
    pub(super) fn with_cookie(keys: &[&NewKey], cookie: SessionCookie, wrong_keys: u32) -> Self {
        Self::built(keys, HttpSettings { cookie, ..HttpSettings::default() }, wrong_keys)
    }

    /// Starts a server that authorizes apps, with these documents by address.
    pub(super) fn with_apps(keys: &[&NewKey], wrong_keys: u32, documents: &[(&str, Json)]) -> Self {
        let documents = documents.iter().map(|(url, text)| ((*url).to_owned(), text.to_string())).collect();
        let apps = AppSettings {
            public_url: PUBLIC.parse().unwrap(),
            documents: Arc::new(KnownDocuments(documents)),
        };
        let cookie = SessionCookie::Loopback;
        Self::built(keys, HttpSettings { cookie, apps: Some(apps), ..HttpSettings::default() }, wrong_keys)
    }

    /// Starts a server with these settings.
    pub(super) fn built(keys: &[&NewKey], settings: HttpSettings, wrong_keys: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.db");
        let open_store = || Store::open(&file).unwrap();
        let mut store = open_store();
        for key in keys {
            store.insert_key(key).unwrap();
        }
        let now = Arc::new(AtomicI64::new(NOON));
        let told = Arc::clone(&now);
        let clock: Clock = Arc::new(move || told.load(Ordering::Relaxed));
        let access = Arc::new(AccessControl::open(&store, wrong_keys, Arc::clone(&clock)).unwrap());
        let sync = StateSync::start(Arc::clone(&access), open_store(), Arc::default()).unwrap();
        let handlers =
            Handlers::for_snapshot().with_account_usage(AccountUsage::new(open_store(), Arc::clone(&clock)));
        let handlers = handlers.with_lists(SavedItemStore::new(open_store(), clock));
        let service = Service::with_snapshots(Arc::clone(&CATALOGUE), Arc::clone(&SNAPSHOTS))
            .with_access_control(Arc::clone(&access))
            .with_handlers(Arc::new(handlers));
        let guests = keys.iter().zip(1..).filter(|(key, _)| key.hint == GUEST_HINT);
        let service =
            guests.fold(service, |service, (key, id)| service.with_guests(id, key.tier.parse().unwrap()));
        let administration = Some(Arc::new(Administration::new(open_store(), access)));
        let settings = HttpSettings { administration, ..settings };
        let routes = routes(&Arc::new(service), settings, &McpSettings::default());
        let (address, _) = listen(routes);
        let client =
            Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Self { store: Mutex::new(store), clock: now, address, client, sync: Some(sync), folder }
    }

    /// Sets the server's clock.
    pub(super) fn at(&self, now: i64) {
        self.clock.store(now, Ordering::Relaxed);
    }

    /// Returns the path of the state file.
    pub(super) fn file(&self) -> PathBuf {
        self.folder.path().join("state.db")
    }

    /// Returns its address in the form of `Host`.
    pub(super) fn host(&self) -> String {
        self.address.to_string()
    }

    /// Writes all counters; nothing is written after it.
    pub(super) fn written(&mut self) {
        drop(self.sync.take());
    }

    /// Returns the numbers of the valid keys.
    pub(super) fn working(&self) -> Vec<i64> {
        let now = self.clock.load(Ordering::Relaxed);
        let keys = self.store.lock().unwrap().keys().unwrap();
        let works = |key: &&parquote::state::KeyRow| {
            key.revoked_at.is_none() && key.expires_at.is_none_or(|at| at > now)
        };
        keys.iter().filter(works).map(|key| key.id).collect()
    }

    /// Sends a request, with a form if it is not empty.
    pub(super) fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        form: &[(&str, &str)],
    ) -> Reply {
        let mut request = self.client.request(method, format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !form.is_empty() {
            let mut text = url::form_urlencoded::Serializer::new(String::new());
            text.extend_pairs(form);
            request = request.header("content-type", "application/x-www-form-urlencoded").body(text.finish());
        }
        Self::reply(request)
    }

    /// Sends a POST of a JSON text.
    pub(super) fn post_json(&self, path: &str, headers: &[(&str, &str)], body: &Json) -> Reply {
        let mut request = self.client.post(format!("http://{}{path}", self.address)).body(body.to_string());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Self::reply(request.header("content-type", "application/json"))
    }

    fn reply(request: reqwest::RequestBuilder) -> Reply {
        RUNTIME.block_on(async {
            let reply = request.send().await.unwrap();
            let (status, headers) = (reply.status().as_u16(), reply.headers().clone());
            Reply { status, headers, body: reply.text().await.unwrap() }
        })
    }

    /// Sends a GET for a path below `/v1/` with a key.
    pub(super) fn call(&self, key: &str, path: &str) -> Reply {
        self.send(Method::GET, &format!("/v1/{path}"), &[("x-api-key", key)], &[])
    }

    /// Returns a browser that is not signed in.
    pub(super) fn browser(&self) -> Browser<'_> {
        Browser { fixture: self, cookie: None, agent: "Tests/1.0" }
    }

    /// Returns a browser that is signed in with a key.
    pub(super) fn signed_in(&self, key: &Secret) -> Browser<'_> {
        let mut browser = self.browser();
        let reply = browser.post("/login", &[("key", key.reveal())]);
        assert_eq!((reply.status, reply.header("location")), (303, "/india"), "{}", reply.body);
        browser
    }
}

impl Browser<'_> {
    pub(super) fn get(&mut self, path: &str) -> Reply {
        self.request(Method::GET, path, &[])
    }

    pub(super) fn post(&mut self, path: &str, form: &[(&str, &str)]) -> Reply {
        self.request(Method::POST, path, form)
    }

    fn request(&mut self, method: Method, path: &str, form: &[(&str, &str)]) -> Reply {
        let cookie = self.cookie.clone().unwrap_or_default();
        let mut headers = vec![("user-agent", self.agent), ("sec-fetch-site", "same-origin")];
        if !cookie.is_empty() {
            headers.push(("cookie", &cookie));
        }
        let reply = self.fixture.send(method, path, &headers, form);
        for line in reply.headers.get_all("set-cookie") {
            let pair = line.to_str().unwrap().split(';').next().unwrap();
            self.cookie = (!pair.ends_with('=')).then(|| pair.to_owned());
        }
        reply
    }

    /// Returns true if it is signed in.
    pub(super) fn is_in(&mut self) -> bool {
        self.get("/portal").status == 200
    }
}

impl Reply {
    /// Returns a header as text, empty if it is missing.
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(super) fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.body))
    }

    /// Returns the day's remaining allowance.
    pub(super) fn left_today(&self) -> i64 {
        self.header("x-ratelimit-remaining-daily").parse().unwrap()
    }

    /// Returns the key that a page shows once.
    pub(super) fn shown_key(&self) -> String {
        let at = self.body.find("id=\"secret\">").unwrap_or_else(|| panic!("no key: {}", self.body));
        let key = self.body[at..].split(['>', '<']).nth(1).unwrap().to_owned();
        assert!(key.starts_with("pq_") && key.len() == 35, "{key}");
        key
    }
}
