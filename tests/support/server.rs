//! A real server on its own port, and a client that decompresses nothing and follows no redirects.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};

use parquote::call::Service;
use parquote::engine::Snapshot;
use parquote::http::{HttpSettings, Routes, serve};
use parquote::mcp::McpSettings;
use parquote::operation::Catalogue;
use parquote::routes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value as Json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, SELECTS, SNAPSHOTS, open};

/// The fixed server time of all tests, in Unix seconds.
pub(crate) const NOW: i64 = 1_793_500_000;

/// The public address with which the server is configured.
pub(crate) const PUBLIC: &str = "https://market.example.com";

/// The server over the shipped demo market.
pub(crate) static SERVER: LazyLock<Server> = LazyLock::new(|| {
    Server::start_service(Service::with_snapshots(Arc::clone(&CATALOGUE), Arc::clone(&SNAPSHOTS)))
});

/// The server over the little market.
pub(crate) static LITTLE_SERVER: LazyLock<Server> =
    LazyLock::new(|| Server::start(&CATALOGUE, open(&LITTLE.data).unwrap()));

/// A server that listens until the tests end.
pub(crate) struct Server {
    address: SocketAddr,
    client: Client,
    service: Arc<Service>,
    serving: JoinHandle<io::Result<()>>,
}

/// On drop, the server's fetched tables and open files are released, instead of at the end of all tests.
impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
        let _ = RUNTIME.block_on(&mut self.serving);
    }
}

/// A reply as received.
pub(crate) struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Server {
    /// Serves a snapshot.
    pub(crate) fn start(catalogue: &Arc<Catalogue>, snapshot: Snapshot) -> Self {
        Self::start_service(Service::new(Arc::clone(catalogue), snapshot))
    }

    fn start_service(service: Service) -> Self {
        let service = Arc::new(service.with_select_processes(Arc::clone(&SELECTS), 4));
        let settings = HttpSettings { clock: Arc::new(|| NOW), ..HttpSettings::default() };
        let tools = McpSettings { public_url: Some(PUBLIC.to_owned()), ..McpSettings::default() };
        let routes = routes(&service, settings, &tools);
        let (address, serving) = listen(routes);
        let client = Client::builder()
            .pool_max_idle_per_host(0)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .unwrap();
        Self { address, client, service, serving }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn service(&self) -> &Service {
        &self.service
    }

    /// Sends a GET for a path below `/v1/`, with its query string.
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask(&Method::GET, path, &[])
    }

    /// Sends a SELECT of a caller; again while a busy machine does not answer it within its deadline.
    pub(crate) fn select(&self, pairs: &[(&str, &str)]) -> Reply {
        const MOST_TRIES: usize = 30;
        let path = format!("query?{}", query(pairs));
        let mut replies = (0..MOST_TRIES).map(|_| self.get(&path));
        replies.find(|reply| reply.status != 503 || !reply.message().contains("took longer than")).unwrap()
    }

    /// Sends a request with headers.
    pub(crate) fn ask(&self, method: &Method, path: &str, headers: &[(&str, &str)]) -> Reply {
        self.send(method, &format!("/v1/{path}"), headers, "")
    }

    /// Sends a request for any path, with a body.
    pub(crate) fn send(&self, method: &Method, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut request = self.client.request(method.clone(), format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request =
                request.header(HeaderName::try_from(*name).unwrap(), HeaderValue::from_str(value).unwrap());
        }
        if !body.is_empty() {
            request = request.body(body.to_owned());
        }
        RUNTIME.block_on(Reply::to(request)).unwrap()
    }
}

/// Serves routes on their own port, until the task is aborted or the tests end.
pub(crate) fn listen(routes: Routes) -> (SocketAddr, JoinHandle<io::Result<()>>) {
    let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    (address, RUNTIME.spawn(serve(listener, routes, std::future::pending())))
}

impl Reply {
    /// Sends a request and reads its reply to the end.
    pub(crate) async fn to(request: RequestBuilder) -> reqwest::Result<Self> {
        let reply = request.send().await?;
        let (status, headers) = (reply.status().as_u16(), reply.headers().clone());
        Ok(Self { status, headers, body: reply.bytes().await?.to_vec() })
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Json {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("no JSON ({error}): {}", String::from_utf8_lossy(&self.body)))
    }

    /// Returns the value of `data`; the reply must be a success.
    pub(crate) fn data(&self) -> Json {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.body));
        self.json()["data"].take()
    }

    /// Returns the message of an error reply.
    pub(crate) fn message(&self) -> String {
        self.json()["message"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns a header as text, empty if it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// Returns a query string of pairs.
pub(crate) fn query<N: AsRef<str>, V: AsRef<str>>(pairs: &[(N, V)]) -> String {
    let mut text = url::form_urlencoded::Serializer::new(String::new());
    text.extend_pairs(pairs);
    text.finish()
}
