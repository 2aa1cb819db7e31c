//! Cost of separate query threads: a call from admission to answer on the caller's thread, on the query threads, and as in a
//! server, where quick queries stay on the caller's thread; and a call with a cached answer.
//!
//! `cargo bench --profile dev --bench query_threads`, in seconds with `-- --small`

#[path = "measure/demo_data.rs"]
mod demo_data;
mod measure;

use std::sync::Arc;

use anyhow::{Context, ensure};
use measure::Times;
use measure::scale::Scale;
use parquote::call::{CallOptions, Caller, QueryThreadSettings, QueryThreads, Service};
use parquote::engine::{LoadScope, QueryLimits, Snapshot};
use parquote::operation::{Catalogue, Offer};
use parquote::set::Root;
use tokio::runtime::Builder;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CALLS: usize = 4_000;
const SMALL_CALLS: usize = 20;
/// Calls in one turn of one alternative,
const A_TURN: usize = 20;
/// and unmeasured calls before them, in which plans are made and found to be quick.
const BEFORE: usize = 5;
const NAMES: [&str; 3] = ["where the caller is", "on the threads", "as a server has it"];

fn main() -> anyhow::Result<()> {
    let Some(scale) = Scale::from_arguments()? else { return Ok(()) };
    let calls = scale.pick(CALLS, SMALL_CALLS);
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    // Calls come from a thread of the runtime, as in a server.
    runtime.block_on(async { tokio::spawn(measured(calls)).await? })
}

async fn measured(calls: usize) -> anyhow::Result<()> {
    let catalogue = Arc::new(Catalogue::with_overlay(&[])?);
    for (cache_bytes, title) in [(0, "computed"), (1 << 26, "kept")] {
        let limits = QueryLimits { cache_bytes, ..QueryLimits::default() };
        let root = Root::folder(demo_data::FOLDER);
        let snapshot = Snapshot::open(Arc::clone(&catalogue), &root, LoadScope::Served, &limits).await?;
        let service = || Service::new(Arc::clone(&catalogue), snapshot.clone());
        let usual = QueryThreadSettings::default();
        let never_quick = QueryThreadSettings { quick_queries: 0, ..usual };
        let services = [
            service(),
            service().on_threads(QueryThreads::start(never_quick)?),
            service().on_threads(QueryThreads::start(usual)?),
        ];
        for (name, pairs) in [
            ("screener", &[("min_roce", "5"), ("sort_by", "roce")][..]),
            ("market/sectors", &[]),
            ("market/momentum", &[("limit", "50")]),
        ] {
            let mut times: [Times; 3] = Default::default();
            for turn in 0..=calls / A_TURN {
                for (service, times) in services.iter().zip(&mut times) {
                    let mut unmeasured = Times::default();
                    // The previous alternative has filled this core's caches, or left the core idle.
                    for _ in 0..BEFORE {
                        unmeasured.call(answer(service, name, pairs)).await?;
                    }
                    let times = if turn == 0 { &mut unmeasured } else { times };
                    for _ in 0..A_TURN {
                        times.call(answer(service, name, pairs)).await?;
                    }
                }
            }
            println!("{title}: {name}");
            for (way, times) in NAMES.iter().zip(&mut times) {
                let [median, p99] = [0.5, 0.99].map(|share| times.quantile(share));
                println!("  {way:<20} {median:8.1} us median  {p99:8.1} us p99");
            }
        }
    }
    Ok(())
}

async fn answer(service: &Service, name: &str, pairs: &[(&str, &str)]) -> anyhow::Result<()> {
    let operation = service.catalogue().operation(name).context("there is such an operation")?;
    let metered = service.enter(operation, &Caller::unmetered()).await?;
    let call = service.admit(&metered, pairs.iter().copied(), CallOptions::new(Offer::ENVELOPED)).await?;
    let answer = service.run(&call).await?;
    ensure!(!answer.body.is_empty(), "an answer has something in it");
    Ok(())
}
