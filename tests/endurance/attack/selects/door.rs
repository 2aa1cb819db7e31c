//! The attacked server, with limited address space, and concurrent honest callers.

use std::fmt;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::RequestBuilder;
use serde_json::{Value as Json, json};

use super::super::target::{Target, client};
use super::processes::{OWN, Peak, Processes};
use crate::demo_market::RUNTIME;

const MIB: u64 = 1 << 20;
/// Memory limit of a run.
const RUN_MIB: u64 = 64;
/// Further allowed memory: a reply, and a replacement process.
const SLACK_MIB: u64 = 96;
/// Deadline of a SELECT.
const DEADLINE: Duration = Duration::from_secs(2);
/// Allowance for other work on the machine.
const LATE: Duration = Duration::from_secs(8);
/// Largest ratio of an honest caller's wait to that on an idle server, and the smallest wait that counts.
const SLOWER: f64 = 100.0;
const SLICE: f64 = 0.010;
/// Address space of each process, to protect the test machine.
const ADDRESS_SPACE: u64 = 6 << 30;
/// Attempts of a short SELECT that its deadline ends.
const TRIES: usize = 5;
/// The longest URL.
const URL: usize = 8_000;

/// A server and its honest callers.
pub(super) struct SelectTarget {
    target: Target,
    /// Seconds that honest callers waited during attacks.
    waited: Vec<f64>,
    /// Seconds that honest SELECTs took after attacks.
    selected: Vec<f64>,
    idle: f64,
}

/// The outcome of a SELECT.
#[derive(Default)]
pub(super) struct SelectOutcome {
    pub status: u16,
    pub text: String,
    pub took: Duration,
    /// Processor time in all processes.
    pub spent: Duration,
    pub more_mib: u64,
    /// The longest wait of an honest caller during the SELECT, in seconds.
    pub waited: f64,
    pub breaks: Vec<String>,
}

impl fmt::Display for SelectOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self.text.chars().take(110).collect();
        write!(
            f,
            "{} {:6.3} s, {:6.2} s of the processor, {:5} MiB more, honest {:.3} s, {:?}",
            self.status,
            self.took.as_secs_f64(),
            self.spent.as_secs_f64(),
            self.more_mib,
            self.waited,
            text
        )?;
        if self.breaks.is_empty() { Ok(()) } else { write!(f, " BROKEN: {}", self.breaks.join("; ")) }
    }
}

impl SelectTarget {
    /// Starts the server and warms it up.
    pub(super) fn open() -> Self {
        let target = started();
        let mut door = Self { target, waited: Vec::new(), selected: Vec::new(), idle: 0.0 };
        door.warm();
        door
    }

    /// Sends honest calls until everything made on first use exists. On a busy machine the first ones reach their deadline.
    fn warm(&mut self) {
        const ANSWERED: usize = 8;
        const TRIES: usize = 60;
        let (mut answered, mut last) = (0, String::new());
        for _ in 0..TRIES {
            let began = Instant::now();
            let status = RUNTIME.block_on(self.honest_call());
            self.idle = began.elapsed().as_secs_f64();
            let select = self.honest_select();
            if (status, select.status) == (200, 200) {
                answered += 1;
            } else {
                last = format!("a call: {status}; a SELECT: {select}");
            }
            if answered == ANSWERED {
                return;
            }
        }
        panic!("{answered} of {TRIES} calls were answered; the last that was not: {last}");
    }

    async fn honest_call(&self) -> u16 {
        let target = &self.target;
        let health = client(false).get(format!("http://{}/healthz", target.admin)).send().await;
        let healthy = health.is_ok_and(|reply| reply.status() == 200);
        let call = client(false).get(target.url("/v1/market/sectors")).header("x-api-key", &target.honest);
        match call.send().await {
            Ok(reply) if healthy => reply.status().as_u16(),
            _ => 0,
        }
    }

    /// Sends a new SELECT of another owner; returns its status, text and duration.
    fn honest_select(&self) -> SelectOutcome {
        static SALT: AtomicU64 = AtomicU64::new(0);
        let sql = format!("SELECT COUNT(*) AS n{} FROM stocks", SALT.fetch_add(1, Ordering::Relaxed));
        let began = Instant::now();
        let request = self.request(&self.target.honest, &sql, &[]);
        let (status, text) = RUNTIME.block_on(read(request)).unwrap_or_default();
        SelectOutcome { status, text, took: began.elapsed(), ..SelectOutcome::default() }
    }

    /// Returns a request for a SELECT, over the chat endpoint if it is too long for a URL.
    fn request(&self, key: &str, sql: &str, more: &[(String, String)]) -> RequestBuilder {
        let more = more.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let pairs: Vec<(&str, &str)> = std::iter::once(("sql", sql)).chain(more).collect();
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&pairs).finish();
        let request = if query.len() < URL {
            client(false).get(self.target.url(&format!("/v1/query?{query}")))
        } else {
            let known = pairs.into_iter().filter(|(name, _)| ["sql", "params"].contains(name));
            let arguments: serde_json::Map<String, Json> =
                known.map(|(name, value)| (name.to_owned(), json!(value))).collect();
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "query", "arguments": arguments}});
            client(false)
                .post(self.target.url("/mcp/chat"))
                .header("content-type", "application/json")
                .header("accept", "application/json, text/event-stream")
                .header("mcp-protocol-version", "2025-11-25")
                .body(message.to_string())
        };
        request.timeout(Duration::from_secs(30)).header("x-api-key", key)
    }

    /// Sends a SELECT of the hostile owner, without honest callers.
    pub(super) fn answers(&self, sql: &str) -> (u16, String) {
        let request = self.request(&self.target.hostile, sql, &[]);
        RUNTIME.block_on(read(request)).unwrap_or_default()
    }

    /// Sends a short SELECT of the hostile owner until its deadline does not end it, a few times: on a busy machine the deadline ends any,
    /// with its process. Each time, `ended` becomes the number of processes killed before.
    pub(super) fn answers_in_time(&self, sql: &str, ended: &mut Option<u64>) -> (u16, String) {
        let mut outcome = self.answers(sql);
        for _ in 1..TRIES {
            if !is_late(outcome.0, &outcome.1) {
                break;
            }
            *ended = self.ended();
            outcome = self.answers(sql);
        }
        outcome
    }

    /// Sends a SELECT of the hostile owner while honest callers call, and checks the outcome against its bounds. A server that
    /// ended, or that still works without callers, is replaced.
    pub(super) fn meets(&mut self, sql: &str, more: &[(String, String)]) -> SelectOutcome {
        let processes = self.processes();
        let (held, spent) = (processes.memory(OWN), processes.processor_time());
        let peak = Peak::watch(processes);
        let request = self.request(&self.target.hostile, sql, more);
        let began = Instant::now();
        let (reply, waited, failed) = RUNTIME.block_on(self.beside(read(request)));
        let took = began.elapsed();
        let processes = self.processes();
        let most = peak.most();
        let (status, text) = reply.unwrap_or_default();
        let mut met = SelectOutcome {
            status,
            text,
            took,
            spent: processes.processor_time().saturating_sub(spent),
            more_mib: most.saturating_sub(held) / MIB,
            waited,
            breaks: Vec::new(),
        };
        self.waited.push(waited);
        self.judge(&mut met, failed);
        if met.breaks.iter().any(|broken| broken.starts_with("gone") || broken.starts_with("goes on")) {
            self.target = started();
            self.warm();
        }
        met
    }

    /// Waits for a reply while honest callers call; returns it, their longest wait, and the number of failed calls.
    async fn beside<T>(&self, reply: impl Future<Output = T>) -> (T, f64, usize) {
        let (mut longest, mut failed) = (0.0_f64, 0);
        let mut reply = std::pin::pin!(reply);
        loop {
            let began = Instant::now();
            let honest = self.honest_call();
            tokio::select! {
                told = &mut reply => return (told, longest, failed),
                status = honest => {
                    failed += usize::from(status != 200);
                    longest = longest.max(began.elapsed().as_secs_f64());
                }
            }
            tokio::select! {
                told = &mut reply => return (told, longest, failed),
                () = tokio::time::sleep(Duration::from_millis(5)) => {}
            }
        }
    }

    fn judge(&mut self, met: &mut SelectOutcome, failed: usize) {
        if !self.target.server.lives() {
            met.breaks.push(format!("gone after {:.2} s, {} MiB more", met.took.as_secs_f64(), met.more_mib));
            return;
        }
        let is_answer = met.status == 200 || (400..500).contains(&met.status) || met.status == 503;
        let has_words = met.status == 200 || error_message(&met.text).is_some_and(|words| !words.is_empty());
        if !is_answer || !has_words {
            met.breaks.push(format!("status {} {:?}", met.status, error_message(&met.text)));
        }
        if met.text.contains("-32603") {
            met.breaks.push("a fault of the server over MCP".to_owned());
        }
        if met.more_mib > RUN_MIB + SLACK_MIB {
            met.breaks.push(format!("memory: {} MiB more", met.more_mib));
        }
        if met.took > DEADLINE + LATE {
            met.breaks.push(format!("time: {:.1} s", met.took.as_secs_f64()));
        }
        if failed > 0 || met.waited > SLOWER * self.idle.max(SLICE) {
            met.breaks.push(format!("honest callers: {failed} not answered, {:.2} s", met.waited));
        }
        let mut other = self.honest_select();
        for _ in 1..TRIES {
            if is_late(other.status, &other.text) {
                other = self.honest_select();
            }
        }
        self.selected.push(other.took.as_secs_f64());
        if other.status != 200 {
            met.breaks.push(format!("the SELECT of another owner: {other}"));
        }
        if met.took > DEADLINE / 2 && self.goes_on() {
            met.breaks.push("goes on after its answer".to_owned());
        }
        if !self.target.server.lives() {
            met.breaks.push("gone after its answer".to_owned());
        }
    }

    /// Returns true if the processor is busy without any caller.
    fn goes_on(&self) -> bool {
        const LOOKED: Duration = Duration::from_millis(200);
        let busy = |_| {
            let before = self.processes().processor_time();
            std::thread::sleep(LOOKED);
            self.processes().processor_time().saturating_sub(before) > LOOKED / 2
        };
        (0..4).all(busy)
    }

    /// Returns the waits of honest callers as text.
    pub(super) fn honest(&self) -> String {
        let most = |times: &[f64], part: f64| {
            let mut times = times.to_vec();
            times.sort_by(f64::total_cmp);
            times.get(((times.len() as f64) * part) as usize).or(times.last()).copied().unwrap_or_default()
                * 1e3
        };
        format!(
            "honest callers waited at p50 {:.0}, p99 {:.0}, at most {:.0} ms (idle {:.0}); their SELECTs {:.0}, {:.0}, {:.0} ms",
            most(&self.waited, 0.5),
            most(&self.waited, 0.99),
            most(&self.waited, 1.0),
            self.idle * 1e3,
            most(&self.selected, 0.5),
            most(&self.selected, 0.99),
            most(&self.selected, 1.0)
        )
    }

    pub(super) fn processes(&self) -> Processes {
        Processes(self.target.server.id())
    }

    /// Returns the number of processes killed because of SELECTs so far; `None` if the server does not answer.
    pub(super) fn ended(&self) -> Option<u64> {
        let request = client(false).get(format!("http://{}/metrics", self.target.admin));
        let (_, metrics) = RUNTIME.block_on(read(request))?;
        let line =
            metrics.lines().find_map(|line| line.strip_prefix("parquote_select_processes_killed_total "))?;
        line.parse().ok()
    }

    pub(super) fn lives(&mut self) -> bool {
        self.target.server.lives()
    }
}

fn started() -> Target {
    let deadline = DEADLINE.as_millis().to_string();
    let target = Target::start(&["--deadline-ms", &deadline]);
    let limit = [format!("--pid={}", target.server.id()), format!("--as={ADDRESS_SPACE}")];
    let _ = Command::new("prlimit").args(limit).status();
    target
}

async fn read(request: RequestBuilder) -> Option<(u16, String)> {
    let reply = request.send().await.ok()?;
    let status = reply.status().as_u16();
    let bytes = reply.bytes().await.ok()?;
    Some((status, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns true if a SELECT was ended at its deadline.
fn is_late(status: u16, text: &str) -> bool {
    status == 503 && text.contains("took longer than")
}

/// Returns the message of a JSON error or of a tool's error.
fn error_message(text: &str) -> Option<String> {
    let told: Json = serde_json::from_str(text).ok()?;
    let words = [&told["message"], &told["result"]["content"][0]["text"], &told["error"]["message"]];
    words.into_iter().find_map(Json::as_str).map(str::to_owned)
}
