//! Servers on one PostgreSQL that are replaced one by one while clients call: no request fails, quotas are exact, and sessions
//! and apps stay authorized.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use parquote::state::{GUEST_HINT, StateLocation, Store};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value as Json, json};
use tokio::task::JoinHandle;

use crate::demo_market::{RUNTIME, SHIPPED};
use crate::postgres_server::{PostgresServer, not_there};
use crate::running_server::{RunningServer, issue_key, wait_for};

const SERVERS: usize = 3;
/// Clients of each kind.
const CLIENTS: usize = 3;
/// A quota that is used up during the replacement.
const QUOTA: usize = 900;
/// Interval of the balancer's checks, and the drain time of a stopped server.
const LOOK: Duration = Duration::from_millis(100);
const DRAIN_MS: &str = "2000";
/// Pauses of a client after an answer. An app is limited to its tier's calls per hour.
const SHORT: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_millis(100);
/// The public address of the servers.
const PUBLIC: &str = "https://quotes.example";
/// The redirect address of the app, and its verifier with its hash from RFC 7636, appendix B.
const BACK: &str = "http://127.0.0.1:6274/callback";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// A server and its addresses.
struct Replica {
    server: RunningServer,
    place: ServerUrls,
}

/// The address for clients, and the one for readiness checks.
#[derive(Clone, PartialEq, Eq)]
struct ServerUrls {
    url: String,
    admin: String,
}

/// Returns ready servers in turn.
#[derive(Default)]
struct Balancer {
    known: Mutex<Vec<ServerUrls>>,
    ready: Mutex<Vec<String>>,
    turn: AtomicUsize,
}

fn command(folder: &Path, state: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
    command.current_dir(folder).env("PARQUOTE_STATE", state).env("PARQUOTE_MASTER_KEY", "5a".repeat(32));
    command
}

/// Starts a server, without waiting for it.
fn start(folder: &Path, state: &str, name: &str) -> Replica {
    // This port was free a moment ago.
    let admin = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut command = command(folder, state);
    command.args(["serve", "--listen", "127.0.0.1:0", "--admin", &admin, "--drain-ms", DRAIN_MS, "--guest"]);
    command.args(["--public-url", PUBLIC, "--cache", &format!("cache-{name}"), "--data"]).arg(&SHIPPED.sets);
    let log = folder.join(format!("{name}.log"));
    let server = RunningServer::start(command, folder.join(format!("{name}.out")), &log);
    Replica { server, place: ServerUrls { url: String::new(), admin } }
}

impl Replica {
    /// Waits until it serves, and adds it to the balancer.
    fn enter(mut self, balancer: &Balancer) -> Self {
        let url = self.server.url();
        url.trim_end_matches("/v1").clone_into(&mut self.place.url);
        balancer.known.lock().unwrap().push(self.place.clone());
        wait_for("readiness", || balancer.ready.lock().unwrap().contains(&self.place.url));
        self
    }

    /// Stops it as an orchestrator does: with a signal, while the balancer notices by itself.
    fn leave(mut self, balancer: &Balancer) {
        self.server.signal("TERM");
        self.server.ended();
        balancer.known.lock().unwrap().retain(|place| *place != self.place);
    }
}

impl Balancer {
    /// Checks the readiness of each server until it is stopped.
    async fn look(self: Arc<Self>, ends: Arc<AtomicBool>) {
        let client = Client::builder().no_proxy().timeout(Duration::from_secs(2)).build().unwrap();
        while !ends.load(Ordering::Relaxed) {
            let known = self.known.lock().unwrap().clone();
            let asked = known.into_iter().map(async |place| {
                let reply = client.get(format!("http://{}/readyz", place.admin)).send().await;
                reply.is_ok_and(|reply| reply.status() == 200).then_some(place.url)
            });
            let ready = futures::future::join_all(asked).await;
            *self.ready.lock().unwrap() = ready.into_iter().flatten().collect();
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Returns the next server.
    fn next(&self) -> String {
        let ready = self.ready.lock().unwrap();
        assert!(!ready.is_empty(), "no server is ready");
        ready[self.turn.fetch_add(1, Ordering::Relaxed) % ready.len()].clone()
    }
}

/// The results of clients.
#[derive(Default)]
struct RolloutCounts {
    answered: AtomicUsize,
    failed: Mutex<Vec<String>>,
}

/// Sends requests repeatedly, each to the next server, until it is stopped. `ends_at` is a status that means that a quota
/// is used up.
fn steady(
    (balancer, ends): (&Arc<Balancer>, &Arc<AtomicBool>),
    done: &Arc<RolloutCounts>,
    (ends_at, pause): (Option<u16>, Duration),
    asked: impl Fn(&Client, &str) -> RequestBuilder + Send + Sync + 'static,
) -> JoinHandle<()> {
    let (balancer, ends, done) = (Arc::clone(balancer), Arc::clone(ends), Arc::clone(done));
    RUNTIME.spawn(async move {
        let client = client();
        while !ends.load(Ordering::Relaxed) {
            let url = balancer.next();
            let reply = asked(&client, &url).send().await;
            let status = reply.as_ref().map_or(0, |reply| reply.status().as_u16());
            // The body too, which a stopping server must not cut off.
            let whole = match reply {
                Ok(reply) => reply.text().await.map(drop),
                Err(error) => Err(error),
            };
            match whole {
                Ok(()) if status == 200 => drop(done.answered.fetch_add(1, Ordering::Relaxed)),
                Ok(()) if ends_at == Some(status) => {}
                whole => done.failed.lock().unwrap().push(format!("{url}: {status} {whole:?}")),
            }
            tokio::time::sleep(pause).await;
        }
    })
}

fn client() -> Client {
    Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

fn form(request: RequestBuilder, pairs: &[(&str, &str)]) -> Response {
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    let request = request.header("content-type", "application/x-www-form-urlencoded").body(body);
    RUNTIME.block_on(request.header("sec-fetch-site", "same-origin").send()).unwrap()
}

fn json_of(reply: Response) -> Json {
    let status = reply.status();
    let body = RUNTIME.block_on(reply.text()).unwrap();
    serde_json::from_str(&body).unwrap_or_else(|_| panic!("{status}: {body}"))
}

/// Returns the access token and the refresh token of a reply.
fn tokens(reply: Response) -> [String; 2] {
    let told = json_of(reply);
    ["access_token", "refresh_token"]
        .map(|name| told[name].as_str().unwrap_or_else(|| panic!("{told}")).into())
}

fn status(request: RequestBuilder) -> u16 {
    RUNTIME.block_on(request.send()).unwrap().status().as_u16()
}

fn portal(client: &Client, url: &str, cookie: &str) -> RequestBuilder {
    client.get(format!("{url}/portal")).header("cookie", cookie)
}

/// Returns a request for the list of tools, which is free of charge.
fn tools(client: &Client, url: &str, token: &str) -> RequestBuilder {
    message(client, (url, token), &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
}

/// Returns a request for a tool call.
fn tool(client: &Client, url: &str, token: &str) -> RequestBuilder {
    let params = json!({"name": "get_market_sectors", "arguments": {}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    message(client, (url, token), &call)
}

fn message(client: &Client, (url, token): (&str, &str), message: &Json) -> RequestBuilder {
    let request = client.post(format!("{url}/mcp")).header("content-type", "application/json");
    request
        .header("accept", "application/json, text/event-stream")
        .bearer_auth(token)
        .body(message.to_string())
}

/// Authorized before the servers are replaced: a browser session, and an app with its tokens.
struct LetIn {
    cookie: String,
    app: String,
    access: String,
    renewal: String,
}

/// Signs in at one server, authorizes an app at the next, and fetches its tokens from a third. All servers share this state.
fn let_in(balancer: &Balancer, key: &str) -> LetIn {
    let client = client();
    let entered = form(client.post(format!("{}/login", balancer.next())), &[("key", key)]);
    assert_eq!(entered.status(), 303);
    let cookie = entered.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let about = json!({"client_name": "Chat", "redirect_uris": [BACK]}).to_string();
    let registering = client.post(format!("{}/oauth/register", balancer.next()));
    let registering = registering.header("content-type", "application/json").body(about);
    let registered = json_of(RUNTIME.block_on(registering.send()).unwrap());
    let app = registered["client_id"].as_str().unwrap().to_owned();
    let resource = format!("{PUBLIC}/mcp");
    let consented = form(
        client.post(format!("{}/authorize", balancer.next())).header("cookie", &cookie),
        &[
            ("response_type", "code"),
            ("client_id", &app),
            ("redirect_uri", BACK),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("state", "s"),
            ("resource", &resource),
            ("scope", "mcp"),
            ("tier", "api_max"),
            ("decision", "allow"),
        ],
    );
    assert_eq!(consented.status(), 200);
    let onward = consented.headers()["refresh"].to_str().unwrap().strip_prefix("0;url=").unwrap().to_owned();
    let onward = url::Url::parse(&onward).unwrap();
    let code = onward.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned();
    let exchanged = form(
        client.post(format!("{}/oauth/token", balancer.next())),
        &[
            ("grant_type", "authorization_code"),
            ("client_id", &app),
            ("code", &code),
            ("redirect_uri", BACK),
            ("code_verifier", VERIFIER),
            ("resource", &resource),
        ],
    );
    let [access, renewal] = tokens(exchanged);
    LetIn { cookie, app, access, renewal }
}

#[test]
fn servers_are_replaced_one_by_one_and_no_request_fails() {
    let Some(postgres) = PostgresServer::start() else {
        return not_there("servers that are replaced one by one");
    };
    let folder = tempfile::tempdir().unwrap();
    let (folder, state) = (folder.path(), postgres.url());
    let balancer = Arc::new(Balancer::default());
    let ends = Arc::<AtomicBool>::default();
    let looking = RUNTIME.spawn(Arc::clone(&balancer).look(Arc::clone(&ends)));
    // All start at once on a database without tables.
    let started: Vec<_> = (0..SERVERS).map(|nth| start(folder, &state, &format!("old-{nth}"))).collect();
    let mut servers: Vec<_> = started.into_iter().map(|replica| replica.enter(&balancer)).collect();
    let store = Store::open(state.parse::<StateLocation>().unwrap()).unwrap();
    let guests = || store.keys().unwrap().iter().filter(|key| key.hint == GUEST_HINT).count();
    assert_eq!(guests(), 1);

    let issue = |quota: &str| issue_key(command(folder, &state), "Ann", &["--day", quota, "--hour", quota]);
    let (free, bounded) = (issue("1000000"), issue(&QUOTA.to_string()));
    let knows =
        |url: &String| form(client().post(format!("{url}/login")), &[("key", &bounded)]).status() == 303;
    wait_for("the keys", || {
        let urls = balancer.ready.lock().unwrap().clone();
        urls.len() == SERVERS && urls.iter().all(knows)
    });
    let LetIn { cookie, app, access, renewal } = let_in(&balancer, &free);
    let done: [Arc<RolloutCounts>; 4] = std::array::from_fn(|_| Arc::default());
    let mut asking = Vec::new();
    for _ in 0..CLIENTS {
        for (done, key, ends_at) in [(&done[0], free.clone(), None), (&done[1], bounded.clone(), Some(429))] {
            asking.push(steady((&balancer, &ends), done, (ends_at, SHORT), move |client, url| {
                client.get(format!("{url}/v1/market/sectors")).header("x-api-key", &key)
            }));
        }
    }
    let token = access.clone();
    asking.push(steady((&balancer, &ends), &done[2], (None, LONG), move |client, url| {
        tool(client, url, &token)
    }));
    let session = cookie.clone();
    asking.push(steady((&balancer, &ends), &done[3], (None, LONG), move |client, url| {
        portal(client, url, &session)
    }));

    for nth in 0..SERVERS {
        let old = servers.remove(0);
        let new = || start(folder, &state, &format!("new-{nth}")).enter(&balancer);
        // With one more server during the replacement, and with one less.
        servers.push(if nth % 2 == 0 {
            let new = new();
            old.leave(&balancer);
            new
        } else {
            old.leave(&balancer);
            new()
        });
    }
    let answered = |nth: usize| done[nth].answered.load(Ordering::Relaxed);
    wait_for("the end of the quota", || answered(1) >= QUOTA);
    // Sessions and tokens of the old servers are valid on each of the new ones.
    for Replica { place, .. } in &servers {
        let url = &place.url;
        assert_eq!(status(portal(&client(), url, &cookie)), 200);
        assert_eq!(status(tool(&client(), url, &access)), 200);
    }
    ends.store(true, Ordering::Relaxed);
    asking.push(looking);
    RUNTIME.block_on(futures::future::join_all(asking)).into_iter().for_each(|ended| ended.unwrap());
    // This uses up the earlier tokens.
    let renewed = [("grant_type", "refresh_token"), ("client_id", &app), ("refresh_token", &renewal)];
    let [access, _] = tokens(form(client().post(format!("{}/oauth/token", balancer.next())), &renewed));
    for _ in 0..SERVERS {
        assert_eq!(status(tools(&client(), &balancer.next(), &access)), 200);
    }
    for server in servers {
        server.leave(&balancer);
    }
    let failed: Vec<String> = done.iter().flat_map(|done| done.failed.lock().unwrap().clone()).collect();
    let all: usize = (0..done.len()).map(answered).sum();
    eprintln!("{all} requests answered while {SERVERS} servers were replaced, {} failed", failed.len());
    assert!(failed.is_empty(), "{failed:?}");
    assert!((0..done.len()).all(|nth| answered(nth) > SERVERS), "a client stood still");
    // Every answer is counted exactly once. An app's calls count against the allowance of the key that authorized it.
    let by_free = answered(0) + answered(2) + SERVERS;
    let used: Vec<usize> =
        store.counters().unwrap().iter().take(2).map(|row| row.usage.day_used as usize).collect();
    assert_eq!((answered(1), used), (QUOTA, vec![by_free, QUOTA]));
    assert_eq!(guests(), 1);
}
