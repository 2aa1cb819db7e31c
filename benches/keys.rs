//! Cost of keys and quotas: requests a second with and without them, over real connections, in turns.
//!
//! The requested answer is cached as bytes, so nearly all of a request's time is HTTP and access control: the case
//! in which keys weigh most. `cargo bench --profile dev --bench keys`, in seconds with `-- --small`.
//!
//! In addition to the rate, the processor time per request on the server is printed (on Linux): other work on the machine
//! affects the rate, but hardly the processor time.

#[path = "measure/connection.rs"]
mod connection;
#[path = "measure/demo_data.rs"]
mod demo_data;
#[path = "measure/load.rs"]
mod load;
#[path = "measure/scale.rs"]
mod scale;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use connection::request;
use load::{Load, Turn, best_half, new_key};
use parquote::access::{AccessControl, StateSync, unix_seconds};
use parquote::call::Service;
use parquote::engine::{LoadScope, QueryLimits, Snapshot};
use parquote::http::HttpSettings;
use parquote::operation::Catalogue;
use parquote::set::Root;
use parquote::state::Store;
use scale::Scale;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Connections, each sending a request as soon as it has the previous reply.
const CONNECTIONS: usize = 32;

/// Number and length of measurements.
struct Sizes {
    /// Turns; the best half of each side counts, which excludes turns disturbed by other work.
    turns: usize,
    turn: Duration,
    /// Keys in the state file; requests come from one of them, which is the worst case for its counter.
    keys: usize,
}

const FULL: Sizes = Sizes { turns: 20, turn: Duration::from_millis(700), keys: 1_000 };
const SMALL: Sizes = Sizes { turns: 2, turn: Duration::from_millis(100), keys: 10 };

fn main() -> anyhow::Result<()> {
    let Some(scale) = Scale::from_arguments()? else { return Ok(()) };
    let sizes = scale.pick(FULL, SMALL);
    let load = Load::open()?;
    let catalogue = Arc::new(Catalogue::with_overlay(&[])?);
    let folder = tempfile::tempdir()?;
    let open = || {
        let (limits, catalogue) = (QueryLimits::default(), Arc::clone(&catalogue));
        async move {
            Snapshot::open(catalogue, &Root::folder(demo_data::FOLDER), LoadScope::Served, &limits).await
        }
    };
    let mut store = Store::open(&folder.path().join("state.db"))?;
    let mut secret = None;
    for _ in 0..sizes.keys {
        secret = Some(new_key(&mut store)?);
    }
    let key = format!("x-api-key: {}\r\n", secret.context("there is at least one key")?.reveal());
    let access = Arc::new(AccessControl::open(&store, 600, Arc::new(unix_seconds))?);
    let _sync = StateSync::start(Arc::clone(&access), store, Arc::default())?;
    let without = Service::new(Arc::clone(&catalogue), load.server.block_on(open())?);
    let with =
        Service::new(Arc::clone(&catalogue), load.server.block_on(open())?).with_access_control(access);
    let listen = |service| load.listen(service, HttpSettings::default());
    let addresses = [listen(without)?, listen(with)?];
    // NDJSON rows, without the remaining quota, are the same on both sides.
    let rows = request("market/momentum?limit=5&format=ndjson", &key);
    let [plain, keyed] = addresses.map(|address| load.reply(address, &rows));
    let rows = |reply: String| reply.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
    ensure!(rows(plain?) == rows(keyed?), "with keys other rows are answered than without");
    let request = request("market/momentum?limit=5", &key).into();
    let mut turns = [Vec::new(), Vec::new()];
    for turn in 0..sizes.turns {
        for side in if turn % 2 == 0 { [0, 1] } else { [1, 0] } {
            let (Some(address), Some(turns)) = (addresses.get(side), turns.get_mut(side)) else { continue };
            let Turn { rate, cost_us } = load.turn(*address, &request, (CONNECTIONS, sizes.turn))?;
            turns.push((rate, -cost_us));
        }
    }
    print(&sizes, turns);
    Ok(())
}

/// Prints the better half of each side's turns, and the cost of keys.
fn print(sizes: &Sizes, turns: [Vec<(f64, f64)>; 2]) {
    println!(
        "{CONNECTIONS} connections, {} turns of {} ms a side, {} keys",
        sizes.turns,
        sizes.turn.as_millis(),
        sizes.keys
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
