//! The attacked server: with limited address space, its processes, and concurrent honest callers.

use std::fmt;
use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::RequestBuilder;
use serde_json::{Value as Json, json};

use super::super::target::{Target, client};
use crate::demo_market::RUNTIME;

const MIB: u64 = 1 << 20;
/// Memory limit of a run.
const RUN_MIB: u64 = 64;
/// Further allowed memory: a reply, and a replacement process.
const SLACK_MIB: u64 = 96;
/// A process's unshared memory, without shared pages of the program.
const OWN: &str = "RssAnon";
/// Deadline of a SELECT.
const DEADLINE: Duration = Duration::from_secs(2);
/// Allowance for other work on the machine.
const LATE: Duration = Duration::from_secs(8);
/// Largest ratio of an honest caller's wait to that on an idle server, and the smallest wait that counts.
const SLOWER: f64 = 100.0;
const SLICE: f64 = 0.010;
/// Address space of each process, to protect the test machine.
const ADDRESS_SPACE: u64 = 6 << 30;
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

    /// Sends honest calls until everything made on first use exists.
    fn warm(&mut self) {
        for _ in 0..8 {
            let began = Instant::now();
            assert_eq!(RUNTIME.block_on(self.honest_call()), 200);
            self.idle = began.elapsed().as_secs_f64();
            assert_eq!(self.honest_select().0, 200);
        }
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

    /// Sends a new SELECT of another owner; returns its status and seconds.
    fn honest_select(&self) -> (u16, f64) {
        static SALT: AtomicU64 = AtomicU64::new(0);
        let sql = format!("SELECT COUNT(*) AS n{} FROM stocks", SALT.fetch_add(1, Ordering::Relaxed));
        let began = Instant::now();
        let request = self.request(&self.target.honest, &sql, &[]);
        let status =
            RUNTIME.block_on(async { request.send().await.map_or(0, |reply| reply.status().as_u16()) });
        (status, began.elapsed().as_secs_f64())
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
        let (status, took) = self.honest_select();
        self.selected.push(took);
        if status != 200 {
            met.breaks.push(format!("the SELECT of another owner: {status} after {took:.1} s"));
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

/// Returns the message of a JSON error or of a tool's error.
fn error_message(text: &str) -> Option<String> {
    let told: Json = serde_json::from_str(text).ok()?;
    let words = [&told["message"], &told["result"]["content"][0]["text"], &told["error"]["message"]];
    words.into_iter().find_map(Json::as_str).map(str::to_owned)
}

/// A process with all its descendants.
#[derive(Debug, Clone, Copy)]
pub(super) struct Processes(u32);

impl Processes {
    /// Returns their ids, beginning with the process itself.
    pub(super) fn all(self) -> Vec<u32> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let parents: Vec<(u32, u32)> =
            numbers.filter_map(|process| Some((process, stat(process)?.get(1)?.parse().ok()?))).collect();
        let (mut all, mut at) = (vec![self.0], 0);
        while let Some(parent) = all.get(at).copied() {
            all.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process));
            at += 1;
        }
        all
    }

    /// Returns the sum of a memory figure, in bytes.
    pub(super) fn memory(self, figure: &str) -> u64 {
        let of = |process: u32| {
            let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
            let line = status.lines().find(|line| line.starts_with(figure))?;
            Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
        };
        self.all().into_iter().filter_map(of).sum()
    }

    /// Returns their processor time, including ended ones.
    pub(super) fn processor_time(self) -> Duration {
        let of = |process: u32| {
            Some(stat(process)?.get(11..15)?.iter().flat_map(|it| it.parse::<u64>()).sum::<u64>())
        };
        let ticks: u64 = self.all().into_iter().filter_map(of).sum();
        Duration::from_millis(ticks * 10)
    }
}

/// Returns the fields of `/proc/N/stat` after the name.
fn stat(process: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

/// Samples memory continuously, because an ended process takes its peak with it.
struct Peak {
    over: Arc<AtomicBool>,
    watching: std::thread::JoinHandle<u64>,
}

impl Peak {
    fn watch(processes: Processes) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&over);
        let watching = std::thread::spawn(move || {
            let mut most = 0;
            while !until.load(Ordering::Relaxed) {
                most = most.max(processes.memory(OWN));
                std::thread::sleep(Duration::from_millis(10));
            }
            most
        });
        Self { over, watching }
    }

    fn most(self) -> u64 {
        self.over.store(true, Ordering::Relaxed);
        self.watching.join().unwrap()
    }
}
