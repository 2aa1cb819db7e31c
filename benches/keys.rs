//! What keys and quotas cost: requests a second with them and without, over real connections, in turns.
//!
//! The answer that is asked for is kept as bytes, so that nearly all of a request's time is the door itself: the case
//! in which keys weigh most. `cargo bench --profile dev --bench keys`, in seconds with `-- --small`.
//!
//! Beside the rate stands what a request costs of the server's processor (on Linux): a machine that does other things
//! blurs the one, hardly the other.

#[path = "measure/demo_data.rs"]
mod demo_data;
#[path = "measure/scale.rs"]
mod scale;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use parquote::access::{AccessControl, Secret, StateSync, UNMETERED, unix_seconds};
use parquote::call::Service;
use parquote::engine::{LoadScope, QueryLimits, Snapshot};
use parquote::operation::{Catalogue, Tier};
use parquote::set::Root;
use parquote::state::{NewKey, Store};
use parquote::surface::http::{HttpSettings, router, serve};
use scale::Scale;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

/// Connections that each send a request as soon as they have the reply to the last.
const CONNECTIONS: usize = 32;

/// How much is measured.
struct Load {
    /// Turns; the best half of each side counts, so that a turn in which the machine did something else does not.
    turns: usize,
    turn: Duration,
    /// Keys in the state file; requests come from one of them, which is the worst case for its counter.
    keys: usize,
}

const FULL: Load = Load { turns: 20, turn: Duration::from_millis(700), keys: 1_000 };
const SMALL: Load = Load { turns: 2, turn: Duration::from_millis(100), keys: 10 };

fn main() -> anyhow::Result<()> {
    let Some(scale) = Scale::from_arguments()? else { return Ok(()) };
    let load = scale.pick(FULL, SMALL);
    // Callers and server have a thread each: what is measured is the server's, as it is the busier one.
    let (ours, theirs) = (one_thread()?, one_thread()?);
    let catalogue = Arc::new(Catalogue::with_overlay(&[])?);
    let folder = tempfile::tempdir()?;
    let open = || {
        let (limits, catalogue) = (QueryLimits::default(), Arc::clone(&catalogue));
        async move {
            Snapshot::open(catalogue, &Root::folder(demo_data::FOLDER), LoadScope::Served, &limits).await
        }
    };
    let mut store = Store::open(&folder.path().join("state.db"))?;
    let secret = keys(&mut store, load.keys)?;
    let access = Arc::new(AccessControl::open(&store, 600, Arc::new(unix_seconds))?);
    let _sync = StateSync::start(Arc::clone(&access), store, Arc::default())?;
    let without = Service::new(Arc::clone(&catalogue), ours.block_on(open())?);
    let with = Service::new(Arc::clone(&catalogue), ours.block_on(open())?).behind(access);
    let sides = [listen(&ours, without)?, listen(&ours, with)?];
    // Rows alone, without what is left of a quota, are the same on both sides.
    let rows = request("limit=5&format=ndjson", &secret);
    let [plain, keyed] = sides.map(|address| theirs.block_on(body(address, &rows)));
    ensure!(plain? == keyed?, "with keys other rows are answered than without");
    let request = request("limit=5", &secret);
    let mut turns = [Vec::new(), Vec::new()];
    for turn in 0..load.turns {
        for side in if turn % 2 == 0 { [0, 1] } else { [1, 0] } {
            let (Some(address), Some(turns)) = (sides.get(side), turns.get_mut(side)) else { continue };
            let (began, before) = (Instant::now(), processor_ns(&ours)?);
            let answered = theirs.block_on(a_turn(*address, &request, load.turn))?;
            let nanoseconds = processor_ns(&ours)?.saturating_sub(before);
            turns
                .push((answered / began.elapsed().as_secs_f64(), -(nanoseconds as f64) / answered / 1_000.0));
        }
    }
    print(&load, turns);
    Ok(())
}

/// Prints the better half of each side's turns, and how much keys cost.
fn print(load: &Load, turns: [Vec<(f64, f64)>; 2]) {
    println!(
        "{CONNECTIONS} connections, {} turns of {} ms a side, {} keys",
        load.turns,
        load.turn.as_millis(),
        load.keys
    );
    let [without, with] = turns.map(|turns| {
        let (rates, costs) = turns.into_iter().unzip();
        (best_half(rates), -best_half(costs))
    });
    println!(
        "without keys {:9.0} requests/s  {:7.2} us of the server's processor each",
        without.0, without.1
    );
    println!("with keys    {:9.0} requests/s  {:7.2} us", with.0, with.1);
    let percent = |with: f64, without: f64| 100.0 * (with / without - 1.0);
    println!(
        "             {:+8.1} %           {:+8.1} %",
        percent(with.0, without.0),
        percent(with.1, without.1)
    );
}

/// The time that the server's one thread was on a processor; 0 where the system does not say.
fn processor_ns(server: &Runtime) -> anyhow::Result<u64> {
    let read = async { std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default() };
    let text = server.block_on(server.spawn(read))?;
    Ok(text.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(0))
}

fn one_thread() -> anyhow::Result<Runtime> {
    Ok(Builder::new_multi_thread().worker_threads(1).enable_all().build()?)
}

/// The bytes of a request by this key.
fn request(query: &str, secret: &Secret) -> Arc<[u8]> {
    let request = format!(
        "GET /v1/market/momentum?{query} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {}\r\naccept: */*\r\n\r\n",
        secret.reveal()
    );
    request.into_bytes().into()
}

fn keys(store: &mut Store, count: usize) -> anyhow::Result<Secret> {
    let mut last = None;
    for _ in 0..count {
        let secret = Secret::generate()?;
        store.insert_key(&NewKey {
            hash: secret.hash(),
            hint: secret.hint().to_owned(),
            tier: Tier::ApiMax.word().to_owned(),
            owner: "bench".to_owned(),
            note: String::new(),
            quota_day: Some(UNMETERED),
            quota_hour: Some(UNMETERED),
            created_at: unix_seconds(),
            expires_at: None,
            is_admin: false,
            parent: None,
            may_account: false,
        })?;
        last = Some(secret);
    }
    last.context("there is at least one key")
}

fn listen(runtime: &Runtime, service: Service) -> anyhow::Result<SocketAddr> {
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let address = listener.local_addr()?;
    let routes = router(Arc::new(service), HttpSettings::default());
    runtime.spawn(serve(listener, routes, std::future::pending()));
    Ok(address)
}

/// How many requests were answered in one turn.
async fn a_turn(address: SocketAddr, request: &Arc<[u8]>, turn: Duration) -> anyhow::Result<f64> {
    let began = Instant::now();
    let callers: Vec<_> =
        (0..CONNECTIONS).map(|_| tokio::spawn(caller(address, Arc::clone(request), began + turn))).collect();
    let mut answered = 0;
    for caller in callers {
        answered += caller.await??;
    }
    Ok(f64::from(answered))
}

/// How many replies one connection got.
async fn caller(address: SocketAddr, request: Arc<[u8]>, until: Instant) -> anyhow::Result<u32> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut answered, mut reply) = (0, vec![0_u8; 16 * 1024]);
    while Instant::now() < until {
        ask(&mut stream, &request, &mut reply).await?;
        answered += 1;
    }
    Ok(answered)
}

/// The body of one reply.
async fn body(address: SocketAddr, request: &[u8]) -> anyhow::Result<String> {
    let mut reply = vec![0_u8; 16 * 1024];
    Ok(ask(&mut TcpStream::connect(address).await?, request, &mut reply).await?.to_owned())
}

/// Sends a request and returns the body of the reply, which is read into the buffer. Replies differ in length by the digits of
/// what is left of a quota, so each is read up to the length in its own head.
async fn ask<'a>(stream: &mut TcpStream, request: &[u8], reply: &'a mut [u8]) -> anyhow::Result<&'a str> {
    stream.write_all(request).await?;
    let (mut read, mut length) = (0, None);
    while length.is_none() {
        let more = stream.read(reply.get_mut(read..).unwrap_or_default()).await?;
        ensure!(more > 0, "the server hung up, or its reply is longer than {} bytes", reply.len());
        read += more;
        length = whole(reply.get(..read).unwrap_or_default())?;
    }
    let body = read.saturating_sub(length.unwrap_or_default())..read;
    Ok(std::str::from_utf8(reply.get(body).unwrap_or_default())?)
}

/// The length of a reply's body, once it is there to its end.
fn whole(reply: &[u8]) -> anyhow::Result<Option<usize>> {
    let text = std::str::from_utf8(reply)?;
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return Ok(None) };
    ensure!(head.starts_with("HTTP/1.1 200"), "{text}");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    Ok((body.len() >= length.context("a reply says how long it is")?.parse()?).then_some(body.len()))
}

/// The mean of the better half: of the larger numbers.
fn best_half(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    let best = rates.get(rates.len() / 2..).unwrap_or_default();
    best.iter().sum::<f64>() / best.len() as f64
}
