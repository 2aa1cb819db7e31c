//! The callers: each kind in a separate task, with random arguments, until it is stopped.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use parquote::operation::{Operation, Param};
use reqwest::{Client, RequestBuilder};
use serde_json::{Map, Value as Json, json};
use tokio::task::JoinHandle;

use crate::attack::target::Target;
use crate::demo_market::{CATALOGUE, RUNTIME};
use crate::server::{Reply, query};

/// Pause between two requests of a caller, because concurrent tests share the processors.
const PAUSE: Duration = Duration::from_millis(20);

/// The kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Read,
    Page,
    Tool,
    Pin,
    Noise,
    Run,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Read, Self::Page, Self::Tool, Self::Pin, Self::Noise, Self::Run];
}

/// All callers of a server.
pub(super) struct Callers {
    address: String,
    admin: String,
    key: String,
    cookie: String,
    client: Client,
    pub over: AtomicBool,
    /// Replies that no server should give.
    pub faults: Mutex<Vec<String>>,
    /// Number of replies by kind and class of status.
    replies: Mutex<BTreeMap<(Kind, u16), usize>>,
    took: Mutex<Vec<Duration>>,
}

/// A generator of pseudo-random numbers.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Returns a value for a parameter: mostly a valid one.
    fn value(&mut self, param: &Param) -> String {
        match self.below(20) {
            0 => self.below(1_000_000).to_string(),
            1 => ["", "-1", "nan", "\u{202e}x", "=1+1", "' OR 1=1", "2026-02-30", "\0"][self.below(8)]
                .to_owned(),
            2 => "x".repeat(self.below(3_000)),
            _ => param
                .example
                .clone()
                .unwrap_or_else(|| ["10", "BAXIPAPOWR", "2026-10-01"][self.below(3)].to_owned()),
        }
    }

    fn arguments(&mut self, operation: &Operation) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for param in &operation.params {
            if param.is_required() || self.below(3) == 0 {
                pairs.push((param.name.clone(), self.value(param)));
            }
        }
        pairs
    }
}

/// Returns true if a tool's result reports a server fault.
fn failed(message: &Json) -> bool {
    message["result"]["_meta"]["parquote/error"]["status"].as_u64().is_some_and(|status| status >= 500)
}

impl Callers {
    pub(super) fn new(target: &Target) -> Self {
        let client = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
        let client = client.timeout(Duration::from_mins(1)).build().unwrap();
        let entered = client.post(target.url("/login")).header("sec-fetch-site", "same-origin");
        let body = query(&[("key", &target.honest)]);
        let entered = entered.header("content-type", "application/x-www-form-urlencoded").body(body);
        let entered = RUNTIME.block_on(Reply::to(entered)).unwrap();
        let cookie = entered.header("set-cookie").split(';').next().unwrap().to_owned();
        Self {
            address: target.address.clone(),
            admin: target.admin.clone(),
            key: target.hostile.clone(),
            cookie,
            client,
            over: AtomicBool::new(false),
            faults: Mutex::default(),
            replies: Mutex::default(),
            took: Mutex::default(),
        }
    }

    /// Starts the callers; they end when `over` is set.
    pub(super) fn start(self: &Arc<Self>) -> Vec<JoinHandle<()>> {
        let kinds = Kind::ALL.into_iter().chain([Kind::Read, Kind::Read, Kind::Tool]);
        let task = |(at, kind)| RUNTIME.spawn(Arc::clone(self).go_on(kind, Draw(at as u64 + 7)));
        kinds.enumerate().map(task).collect()
    }

    async fn go_on(self: Arc<Self>, kind: Kind, mut draw: Draw) {
        let (mut links, mut pin) = (vec!["/india".to_owned(), "/us".to_owned()], String::new());
        while !self.over.load(Ordering::Relaxed) {
            match kind {
                Kind::Read => drop(self.read(&mut draw, kind, None).await),
                Kind::Page => self.page(&mut draw, &mut links).await,
                Kind::Tool => self.tool(&mut draw).await,
                Kind::Pin => self.pin(&mut draw, &mut pin).await,
                Kind::Noise => self.noise(&mut draw).await,
                Kind::Run => self.run(&mut draw).await,
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Records a reply; a server fault is recorded as such.
    async fn send_recorded(&self, kind: Kind, what: &str, request: RequestBuilder) -> Option<Reply> {
        let began = Instant::now();
        let reply = match Reply::to(request).await {
            Ok(reply) => reply,
            Err(error) => {
                self.faults.lock().unwrap().push(format!("{what}: {error:?}"));
                return None;
            }
        };
        self.took.lock().unwrap().push(began.elapsed());
        *self.replies.lock().unwrap().entry((kind, reply.status / 100)).or_default() += 1;
        let text = String::from_utf8_lossy(&reply.body);
        // A tool reports a failure in its result.
        let of_tool = || serde_json::from_slice::<Json>(&reply.body).ok().is_some_and(|json| failed(&json));
        if reply.status >= 500 || text.contains("-32603") || (kind == Kind::Tool && of_tool()) {
            let text: String = text.chars().take(300).collect();
            let what: String = what.chars().take(300).collect();
            self.faults.lock().unwrap().push(format!("{what}: {} {text}", reply.status));
        }
        Some(reply)
    }

    async fn read(&self, draw: &mut Draw, kind: Kind, pin: Option<&str>) -> Option<Reply> {
        let operations: Vec<&Operation> = CATALOGUE
            .operations()
            .iter()
            .map(AsRef::as_ref)
            .filter(|of| of.has_route && of.run.is_none())
            .collect();
        let operation = *draw.pick(&operations);
        let mut pairs = draw.arguments(operation);
        if draw.below(2) == 0 {
            let form = *draw.pick(&["json", "columns", "ndjson", "csv", "arrow", "svg", "png"]);
            pairs.push(("format".to_owned(), form.to_owned()));
        }
        pairs.extend(pin.map(|pin| ("snapshot".to_owned(), pin.to_owned())));
        let path = format!("/v1/{}?{}", operation.name, query(&pairs));
        let request = self.client.get(format!("http://{}{path}", self.address));
        self.send_recorded(kind, &path, request.header("x-api-key", &self.key)).await
    }

    /// Requests a page and collects its links.
    async fn page(&self, draw: &mut Draw, links: &mut Vec<String>) {
        let link = draw.pick(links).clone();
        let request =
            self.client.get(format!("http://{}{link}", self.address)).header("cookie", &self.cookie);
        let Some(reply) = self.send_recorded(Kind::Page, &link, request).await else { return };
        let text = String::from_utf8_lossy(&reply.body).replace("&amp;", "&");
        let found: Vec<String> = text
            .split("href=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .filter(|link| link.starts_with("/india") || link.starts_with("/us"))
            .map(|link| link.split('#').next().unwrap().to_owned())
            .collect();
        *links = if found.is_empty() { vec!["/india".to_owned(), "/us".to_owned()] } else { found };
    }

    async fn tool(&self, draw: &mut Draw) {
        let tools: Vec<&Operation> = CATALOGUE
            .operations()
            .iter()
            .map(AsRef::as_ref)
            .filter(|of| of.tool.is_some() && of.run.is_none())
            .collect();
        let operation = *draw.pick(&tools);
        let arguments: Map<String, Json> = draw
            .arguments(operation)
            .into_iter()
            .map(|(name, value)| {
                let number = value.parse::<i64>().map(Json::from);
                (name, number.unwrap_or(Json::String(value)))
            })
            .collect();
        self.call(Kind::Tool, operation.tool.as_deref().unwrap(), Json::Object(arguments)).await;
    }

    async fn call(&self, kind: Kind, name: &str, arguments: Json) -> Option<Reply> {
        let what = format!("{name} {arguments}");
        let params = json!({"name": name, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
        let request = self.client.post(format!("http://{}/mcp", self.address));
        let request = request.header("content-type", "application/json").header("x-api-key", &self.key);
        self.send_recorded(kind, &what, request.body(message.to_string())).await
    }

    /// Reads from the set of an earlier answer, or from a set number that may exist.
    async fn pin(&self, draw: &mut Draw, pin: &mut String) {
        let asked = match draw.below(4) {
            0 => None,
            1 => Some(draw.below(30).to_string()),
            _ => Some(pin.clone()).filter(|pin| !pin.is_empty()),
        };
        let reply = self.read(draw, Kind::Pin, asked.as_deref()).await;
        if let Some(named) =
            reply.and_then(|reply| reply.header("x-snapshot").split('-').next().map(str::to_owned))
            && draw.below(4) == 0
        {
            *pin = named;
        }
        // Opening a set costs as much as a start.
        tokio::time::sleep(PAUSE * 5).await;
    }

    /// Sends bytes that are no request, or an incomplete one.
    async fn noise(&self, draw: &mut Draw) {
        let mut bytes: Vec<u8> = (0..draw.below(2_000)).map(|_| draw.below(256) as u8).collect();
        if draw.below(2) == 0 {
            bytes.splice(0..0, b"GET /v1/companies HTTP/1.1\r\nHost: x\r\n".iter().copied());
        }
        if let Ok(mut stream) = TcpStream::connect(&self.address) {
            let _ = stream.write_all(&bytes);
            *self.replies.lock().unwrap().entry((Kind::Noise, 0)).or_default() += 1;
        }
        tokio::time::sleep(PAUSE * 5).await;
    }

    /// Starts runs whose provider never answers, and cancels them.
    async fn run(&self, draw: &mut Draw) {
        let of = |reply: Option<Reply>| {
            let reply = reply.and_then(|reply| serde_json::from_slice::<Json>(&reply.body).ok());
            reply.map(|json| json["result"]["structuredContent"]["data"].clone()).unwrap_or_default()
        };
        let key = json!({"provider": "openai", "key": "sk-soak-0000-1111"});
        self.call(Kind::Run, "save_byo_key", key).await;
        let goal = json!({"preset": "technical_analysis_panel", "goal": "How strong is it?"});
        let started = of(self.call(Kind::Run, "start_preset", goal).await);
        tokio::time::sleep(Duration::from_millis(200 + draw.below(2_000) as u64)).await;
        self.call(Kind::Run, "list_preset_runs", json!({})).await;
        if let Some(id) = started["vibe_run_id"].as_str() {
            self.call(Kind::Run, "cancel_preset", json!({"vibe_run_id": id})).await;
        }
    }

    /// Returns the number of the Indian set that is served.
    pub(super) fn set_that_is_served(&self) -> u64 {
        let request = self.client.get(format!("http://{}/readyz", self.admin));
        let ready = RUNTIME.block_on(Reply::to(request)).unwrap().json();
        ready["markets"]["india"]["set"].as_u64().unwrap()
    }

    /// Returns the first company's name as served.
    pub(super) fn name_of_first(&self) -> String {
        let request = self.client.get(format!("http://{}/v1/companies?limit=1", self.address));
        let reply = RUNTIME.block_on(Reply::to(request.header("x-api-key", &self.key))).unwrap();
        reply.data()[0]["company_name"].to_string()
    }

    /// Returns true if each kind got an answer.
    pub(super) fn asked_each(&self) -> bool {
        let replies = self.replies.lock().unwrap();
        Kind::ALL.iter().all(|kind| replies.contains_key(&(*kind, if *kind == Kind::Noise { 0 } else { 2 })))
    }

    /// Returns the numbers and latencies of replies as text.
    pub(super) fn summary(&self) -> String {
        let mut took = self.took.lock().unwrap().clone();
        took.sort_unstable();
        let at = |of: usize| took.get(took.len() * of / 100).copied().unwrap_or_default().as_millis();
        let replies = self.replies.lock().unwrap();
        format!(
            "{} replies, p50 {} ms, p99 {} ms, at most {} ms; {replies:?}",
            took.len(),
            at(50),
            at(99),
            took.last().copied().unwrap_or_default().as_millis()
        )
    }
}
