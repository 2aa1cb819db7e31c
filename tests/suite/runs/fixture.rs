//! A server over the shipped demo market, assembled as in the program, with a scripted model as all six providers and a
//! clock that the test moves.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use parquote::access::{AccessControl, Secret};
use parquote::agents::job::{Jobs, Settings, StateJobStore, WORKERS, Workers};
use parquote::agents::presets::Presets;
use parquote::agents::provider::retry::RetryPolicy;
use parquote::agents::provider::{
    BreakerSettings, Client, ClientSettings, MasterKey, ProviderKeys, Providers,
};
use parquote::call::{Service, ToolRunners};
use parquote::handlers::{SavedItemStore, StatefulHandlers, StatefulParts};
use parquote::http::HttpSettings;
use parquote::mcp::McpSettings;
use parquote::operation::Tier;
use parquote::refresh::Snapshots;
use parquote::routes;
use parquote::state::{NewKey, Store};
use serde_json::{Value as Json, json};

use super::script::Model;
use crate::demo_market::{CATALOGUE, RUNTIME, SNAPSHOTS, open};
use crate::issued_key::{NOON, key};
use crate::protocol_server::{ProtocolServer, Spoken};
use crate::server::{Reply, listen};

/// Timeout for events that should come soon.
const TIMEOUT: Duration = Duration::from_mins(3);
/// The master key of the tests.
const MASTER: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Limits of requests to models, short enough to wait for.
const FAST: ClientSettings = ClientSettings {
    connect: Duration::from_secs(2),
    request: Duration::from_secs(1),
    idle: Duration::from_secs(1),
    reply_bytes: 1024 * 1024,
    breaker: BreakerSettings::DEFAULT_SETTINGS,
};

/// Returns job timings short enough to wait for.
pub(super) fn fast_jobs() -> Settings {
    Settings {
        renew_interval: Duration::from_millis(100),
        poll_interval: Duration::from_millis(50),
        retry_s: 1,
        local_cancel_timeout: Duration::from_secs(1),
        remote_cancel_timeout: Duration::from_millis(600),
        ..Settings::default()
    }
}

/// The settings that differ between fixtures.
pub(super) struct Plan {
    /// Number of concurrent runs.
    pub workers: usize,
    /// The provider of the operator's own model, if there is one.
    pub service: Option<Spoken>,
    /// Another market than the shipped one.
    pub data: Option<PathBuf>,
    /// Requests an hour of every key, if not the tier's.
    pub quota_hour: Option<u32>,
    /// Time limit of a request to a model. Runs repeat their requests; a key test and a screen do not, and need more on a busy machine.
    pub request: Duration,
}

impl Default for Plan {
    fn default() -> Self {
        Self { workers: WORKERS, service: None, data: None, quota_hour: None, request: FAST.request }
    }
}

/// The server and the parts behind it.
pub(super) struct Fixture {
    pub model: Model,
    pub server: ProtocolServer,
    folder: tempfile::TempDir,
    moved: Arc<AtomicI64>,
    address: SocketAddr,
    client: reqwest::Client,
    callers: Vec<Secret>,
    /// All replies so far.
    told: Mutex<Vec<String>>,
    _workers: Workers,
}

impl Fixture {
    /// Starts a server with keys of these owners and tiers, in this order.
    pub(super) fn for_callers(callers: &[(&str, Tier)]) -> Self {
        Self::with(callers, &Plan::default())
    }

    /// Starts a server with these settings.
    pub(super) fn with(callers: &[(&str, Tier)], plan: &Plan) -> Self {
        let _inside = RUNTIME.enter();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.db");
        let (moved, began) = (Arc::new(AtomicI64::new(0)), Instant::now());
        let now = Arc::clone(&moved);
        // It runs with the wall clock, so that leases expire.
        let clock: Arc<dyn Fn() -> i64 + Send + Sync> =
            Arc::new(move || NOON + began.elapsed().as_secs() as i64 + now.load(Ordering::Relaxed));
        let mut store = Store::open(&file).unwrap();
        let issued = callers.iter().map(|(owner, tier)| issue(&mut store, owner, *tier, plan.quota_hour));
        let callers: Vec<Secret> = issued.collect();
        let access = AccessControl::open(&store, 1_000, Arc::clone(&clock) as _).unwrap();

        let model = Model::default();
        let script = model.clone();
        let server = RUNTIME.block_on(ProtocolServer::start(move |asked| script.reply(asked)));
        let providers = Arc::new(providers_at(&server));
        let limits = ClientSettings { request: plan.request, idle: plan.request, ..FAST };
        let client = Client::new(limits).unwrap();
        let service_model = plan.service.map(|spoken| {
            client.model(providers.get(spoken.name()).unwrap(), &"sk-service-0000-key".parse().unwrap(), None)
        });
        let jobs =
            Jobs::new(Arc::new(StateJobStore::open(&file).unwrap()), Arc::clone(&clock) as _, fast_jobs());
        let snapshots = match &plan.data {
            Some(data) => Arc::new(Snapshots::from_snapshot(open(data).unwrap())),
            None => Arc::clone(&SNAPSHOTS),
        };
        let lists = SavedItemStore::new(Store::open(&file).unwrap(), Arc::clone(&clock));
        let handlers = StatefulHandlers::new(StatefulParts {
            catalogue: Arc::clone(&CATALOGUE),
            keys: ProviderKeys::new(
                Store::open(&file).unwrap(),
                MasterKey::from_text(MASTER).unwrap(),
                Arc::clone(&providers),
                Arc::clone(&clock),
            ),
            providers,
            prober: client.clone(),
            client,
            presets: Arc::new(Presets::parse(CATALOGUE.declarations("presets/")).unwrap()),
            jobs: jobs.clone(),
            ledgers: lists.clone(),
            runners: Arc::new(ToolRunners::new(Arc::clone(&CATALOGUE), Arc::clone(&snapshots), None)),
            retries: RetryPolicy {
                tries: 1_000,
                first_wait: Duration::from_millis(10),
                longest_wait: Duration::from_millis(20),
                ..RetryPolicy::default()
            },
            service_model,
            rows: None,
        });
        let workers = jobs.serve(handlers.works, plan.workers);
        let service = Service::with_snapshots(Arc::clone(&CATALOGUE), snapshots)
            .with_access_control(Arc::new(access))
            .with_handlers(Arc::new(handlers.handlers.with_lists(lists)));
        let settings = HttpSettings::default();
        let routes = routes(
            &Arc::new(service),
            settings,
            &McpSettings { public_url: Some("https://m.example/".into()), ..McpSettings::default() },
        );
        let (address, _) = listen(routes);
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let told = Mutex::default();
        Self { model, server, folder, moved, address, client, callers, told, _workers: workers }
    }

    /// Returns the path of the state file.
    pub(super) fn state(&self) -> PathBuf {
        self.folder.path().join("state.db")
    }

    /// Advances the clock.
    pub(super) fn pass(&self, seconds: i64) {
        self.moved.fetch_add(seconds, Ordering::Relaxed);
    }

    /// Sends a GET for a path below `/v1/` as the caller with this index.
    pub(super) fn get(&self, caller: usize, path: &str) -> Reply {
        let url = format!("http://{}/v1/{path}", self.address);
        self.read(self.client.get(url).header("x-api-key", self.callers[caller].reveal()))
    }

    /// Returns the value of `data` of a successful GET.
    pub(super) fn data(&self, caller: usize, path: &str) -> Json {
        self.get(caller, path).data()
    }

    /// Returns status and message of a refused GET.
    pub(super) fn refusal(&self, caller: usize, path: &str) -> (u16, String) {
        let reply = self.get(caller, path);
        assert_ne!(reply.status, 200, "{path}: {}", String::from_utf8_lossy(&reply.body));
        (reply.status, reply.message())
    }

    /// Returns the result of a tool call.
    pub(super) fn tool(&self, caller: usize, tool: &str, arguments: &Json) -> Json {
        self.tool_at("mcp", caller, tool, arguments)
    }

    /// Returns the result of a tool call at a path.
    pub(super) fn tool_at(&self, path: &str, caller: usize, tool: &str, arguments: &Json) -> Json {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let request = self.client.post(format!("http://{}/{path}", self.address));
        let request = request.header("content-type", "application/json").body(message.to_string());
        let reply = self.read(request.header("x-api-key", self.callers[caller].reveal()));
        assert_eq!(reply.status, 200, "{tool}: {}", String::from_utf8_lossy(&reply.body));
        reply.json()["result"].take()
    }

    /// Returns the result of a tool call by a client of the later revision that can open addresses for its user.
    pub(super) fn tool_of_opener(&self, caller: usize, tool: &str, params: Json) -> Json {
        const LATER: &str = "2026-07-28";
        let mut params = params;
        params["name"] = tool.into();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": LATER,
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"url": {}}},
            "io.modelcontextprotocol/clientInfo": {"name": "suite", "version": "1"},
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let request = self.client.post(format!("http://{}/mcp", self.address));
        let request =
            request.header("content-type", "application/json").header("mcp-protocol-version", LATER);
        let request = request.header("mcp-method", "tools/call").header("mcp-name", tool);
        let request = request.header("x-api-key", self.callers[caller].reveal()).body(message.to_string());
        let mut reply = self.read(request).json();
        assert!(reply["error"].is_null(), "{reply}");
        reply["result"].take()
    }

    /// Returns the value of `data` of a successful tool call.
    pub(super) fn tool_data(&self, caller: usize, tool: &str, arguments: &Json) -> Json {
        let mut result = self.tool(caller, tool, arguments);
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result}");
        result["structuredContent"]["data"].take()
    }

    /// Returns status and message of a refused tool call.
    pub(super) fn tool_refusal(&self, caller: usize, tool: &str, arguments: &Json) -> (u64, String) {
        let result = self.tool(caller, tool, arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        let status = result["_meta"]["parquote/error"]["status"].as_u64().unwrap();
        (status, result["content"][0]["text"].as_str().unwrap().to_owned())
    }

    /// Saves a provider key.
    pub(super) fn save_key(&self, caller: usize, spoken: Spoken, key: &str) {
        let arguments = json!({"provider": spoken.name(), "key": key});
        assert_eq!(self.tool_data(caller, "save_byo_key", &arguments)["saved"], true);
    }

    /// Starts a run of a preset and returns its id.
    pub(super) fn start_preset(&self, caller: usize, preset: &str, goal: &str, market: &str) -> String {
        let query = crate::server::query(&[("preset", preset), ("goal", goal), ("market", market)]);
        let started = self.data(caller, &format!("presets/start?{query}"));
        assert_eq!(
            (&started["status"], &started["preset"]),
            (&json!("running"), &json!(preset)),
            "{started}"
        );
        started["vibe_run_id"].as_str().unwrap().to_owned()
    }

    /// Starts a committee and returns its job id.
    pub(super) fn start_committee(&self, caller: usize, symbol: &str, market: &str) -> i64 {
        let started = self.data(caller, &format!("committee/start?symbol={symbol}&market={market}"));
        assert_eq!(
            (&started["status"], &started["symbol"]),
            (&json!("running"), &json!(symbol)),
            "{started}"
        );
        started["job_id"].as_i64().unwrap()
    }

    /// Returns the state of a preset's run.
    pub(super) fn preset(&self, caller: usize, id: &str) -> Json {
        self.data(caller, &format!("presets/poll?vibe_run_id={id}"))
    }

    /// Returns the state of a committee.
    pub(super) fn committee(&self, caller: usize, job: i64) -> Json {
        self.data(caller, &format!("committee/poll?job_id={job}"))
    }

    /// Returns all replies so far.
    pub(super) fn replies(&self) -> Vec<String> {
        self.told.lock().unwrap().clone()
    }

    /// Returns the state file and its companion files, with names.
    pub(super) fn kept(&self) -> Vec<(String, Vec<u8>)> {
        let files = std::fs::read_dir(self.folder.path()).unwrap().flatten();
        files.map(|f| (f.path().display().to_string(), std::fs::read(f.path()).unwrap())).collect()
    }

    fn read(&self, request: reqwest::RequestBuilder) -> Reply {
        let reply = RUNTIME.block_on(Reply::to(request)).unwrap();
        let told = format!("{:?} {}", reply.headers, String::from_utf8_lossy(&reply.body));
        self.told.lock().unwrap().push(told);
        reply
    }
}

/// Polls until the condition holds; returns the last answer.
pub(super) fn wait_until(what: &str, poll: impl Fn() -> Json, so: impl Fn(&Json) -> bool) -> Json {
    let began = Instant::now();
    loop {
        let found = poll();
        if so(&found) {
            return found;
        }
        assert!(began.elapsed() < TIMEOUT, "{what} did not come: {found}");
        std::thread::sleep(Duration::from_millis(15));
    }
}

/// Polls until a run has this status; fails if another final status comes first.
pub(super) fn wait_status(status: &str, poll: impl Fn() -> Json) -> Json {
    let found = wait_until(status, poll, |found| found["status"] == status || found["status"] != "running");
    assert_eq!(found["status"], status, "{found}");
    found
}

/// Returns the declared providers with other addresses. An address set by the operator would remove the prices.
fn providers_at(server: &ProtocolServer) -> Providers {
    let declared: Vec<(&str, String)> = CATALOGUE
        .declarations("providers/")
        .map(|(path, text)| {
            let name = path.rsplit('/').next().unwrap().trim_end_matches(".toml");
            let spoken = Spoken::ALL.into_iter().find(|spoken| spoken.name() == name).unwrap();
            let lines = text.lines().map(|line| {
                if line.starts_with("base_url") {
                    format!("base_url = \"{}\"", server.url(spoken))
                } else {
                    line.to_owned()
                }
            });
            (path, lines.collect::<Vec<_>>().join("\n"))
        })
        .collect();
    Providers::parse(declared.iter().map(|(path, text)| (*path, text.as_str()))).unwrap()
}

fn issue(store: &mut Store, owner: &str, tier: Tier, quota_hour: Option<u32>) -> Secret {
    let (secret, row) = key(owner, tier);
    store.insert_key(&NewKey { quota_hour, ..row }).unwrap();
    secret
}
